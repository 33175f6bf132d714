-- Part of the module `fun`: what makes one value of an iterator.

local type, pairs = type, pairs

return function(core)
    local fun, methods, define, open, check = core.fun, core.methods, core.define, core.open, core.check
    local each_item, each_character = core.each_item, core.each_character

    --- Reducing.

    local function fold_step(f, result, state, ...)
        if state == nil then
            return nil, result
        end
        return state, f(result, ...)
    end

    local function fold(f, result, gen, param, state)
        while true do
            state, result = fold_step(f, result, gen(param, state))
            if state == nil then
                return result
            end
        end
    end

    define('foldl reduce', 2, fold)

    define('length', 0, function(gen, param, state)
        if gen == each_item or gen == each_character then
            return #param - state
        end
        local count = 0
        for _ in gen, param, state do
            count = count + 1
        end
        return count
    end)

    define('is_null', 0, function(gen, param, state)
        return gen(param, state) == nil
    end)

    local function is_prefix_of(left, right)
        local gen_left, param_left, at_left = open(left)
        local gen_right, param_right, at_right = open(right)
        while true do
            local value_left, value_right
            at_left, value_left = gen_left(param_left, at_left)
            at_right, value_right = gen_right(param_right, at_right)
            if at_left == nil then
                return true
            elseif at_right == nil or value_left ~= value_right then
                return false
            end
        end
    end
    fun.is_prefix_of, methods.is_prefix_of = is_prefix_of, is_prefix_of

    local function test_of(test, state, ...)
        return state, state ~= nil and test(...)
    end

    -- Whether the test answers alike, true or false, for all elements.
    local function all_are(wanted, test, gen, param, state)
        while true do
            local following, answer = test_of(test, gen(param, state))
            if following == nil then
                return true
            elseif (not answer) == wanted then
                return false
            end
            state = following
        end
    end

    define('all every', 1, function(test, gen, param, state)
        return all_are(true, test, gen, param, state)
    end)

    define('any some', 1, function(test, gen, param, state)
        return not all_are(false, test, gen, param, state)
    end)

    define('sum', 0, function(gen, param, state)
        local sum = 0
        for _, value in gen, param, state do
            sum = sum + value
        end
        return sum
    end)

    define('product', 0, function(gen, param, state)
        local product = 1
        for _, value in gen, param, state do
            product = product * value
        end
        return product
    end)

    local function lesser(left, right) return left < right and left or right end
    local function greater(left, right) return left > right and left or right end

    -- Reduces to one element by a function that chooses one of two; numbers have their own.
    local function choose(name, of_numbers, choice, gen, param, state)
        local chosen
        state, chosen = gen(param, state)
        check(state ~= nil, name .. ': iterator is empty')
        if of_numbers ~= nil and type(chosen) == 'number' then
            choice = of_numbers
        end
        for _, value in gen, param, state do
            chosen = choice(chosen, value)
        end
        return chosen
    end

    for name, by in pairs({min = {math.min, lesser}, max = {math.max, greater}}) do
        define(('%s %simum'):format(name, name), 0, function(gen, param, state)
            return choose(name, by[1], by[2], gen, param, state)
        end)
        define(('%s_by %simum_by'):format(name, name), 1, function(choice, gen, param, state)
            return choose(name, nil, choice, gen, param, state)
        end)
    end

    define('totable', 0, function(gen, param, state)
        local list, count = {}, 0
        for _, value in gen, param, state do
            if type(value) ~= 'nil' then
                count = count + 1
                list[count] = value
            end
        end
        return list
    end)

    define('tomap', 0, function(gen, param, state)
        local map = {}
        for _, key, value in gen, param, state do
            map[key] = value
        end
        return map
    end)

    local function call_on(f, state, ...)
        if state ~= nil then
            f(...)
        end
        return state
    end

    define('each for_each foreach', 1, function(f, gen, param, state)
        repeat
            state = call_on(f, gen(param, state))
        until state == nil
    end)
end
