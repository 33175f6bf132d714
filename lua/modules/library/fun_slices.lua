-- Part of the module `fun`: slices, positions and filters of iterators.

local iterators = require('lycosa.iterator')

local wrap, type, tostring, error = iterators.wrap, type, tostring, error

return function(core)
    local define, check, nothing, each_item = core.define, core.check, core.nothing, core.each_item

    --- Slicing.

    local function is_count(value, least)
        return type(value) == 'number' and value >= least
    end

    define('nth', 1, function(position, gen, param, state)
        check(is_count(position, 1), 'invalid first argument to nth')
        if gen == each_item and state == 0 then
            return param[position]
        end
        local value
        for _ = 1, position do
            state, value = gen(param, state)
            if state == nil then
                return nil
            end
        end
        return value
    end)

    local function head_of(state, ...)
        if state == nil then
            error('head: iterator is empty', 3)
        end
        return ...
    end

    define('head car', 0, function(gen, param, state)
        return head_of(gen(param, state))
    end)

    define('tail cdr', 0, function(gen, param, state)
        state = gen(param, state)
        if state == nil then
            return wrap(nothing, nil, nil)
        end
        return wrap(gen, param, state)
    end)

    local function counted(taken, state, ...)
        if state == nil then
            return nil
        end
        return {taken, state}, ...
    end

    local function taken_by_count(param, state)
        local taken = state[1]
        if taken >= param[1] then
            return nil
        end
        return counted(taken + 1, param[2](param[3], state[2]))
    end

    local function take_n(count, gen, param, state)
        check(is_count(count, 0), 'invalid first argument to take_n')
        return wrap(taken_by_count, {count, gen, param}, {0, state})
    end

    local function while_true(test, state, ...)
        if state == nil or not test(...) then
            return nil
        end
        return state, ...
    end

    local function taken_by_test(param, state)
        return while_true(param[1], param[2](param[3], state))
    end

    local function take_while(test, gen, param, state)
        check(type(test) == 'function', 'invalid first argument to take_while')
        return wrap(taken_by_test, {test, gen, param}, state)
    end

    local function take(test, gen, param, state)
        return (type(test) == 'number' and take_n or take_while)(test, gen, param, state)
    end

    define('take_n', 1, take_n)
    define('take_while', 1, take_while)
    define('take', 1, take)

    local function drop_n(count, gen, param, state)
        check(is_count(count, 0), 'invalid first argument to drop_n')
        for _ = 1, count do
            state = gen(param, state)
            if state == nil then
                return wrap(nothing, nil, nil)
            end
        end
        return wrap(gen, param, state)
    end

    local function test_of(test, state, ...)
        return state, state ~= nil and test(...)
    end

    local function drop_while(test, gen, param, state)
        check(type(test) == 'function', 'invalid first argument to drop_while')
        while true do
            local following, is_dropped = test_of(test, gen(param, state))
            if following == nil then
                return wrap(nothing, nil, nil)
            elseif not is_dropped then
                return wrap(gen, param, state)
            end
            state = following
        end
    end

    local function drop(test, gen, param, state)
        return (type(test) == 'number' and drop_n or drop_while)(test, gen, param, state)
    end

    define('drop_n', 1, drop_n)
    define('drop_while', 1, drop_while)
    define('drop', 1, drop)

    define('split span split_at', 1, function(test, gen, param, state)
        return (take(test, gen, param, state)), drop(test, gen, param, state)
    end)

    --- Indexing.

    define('index index_of elem_index', 1, function(wanted, gen, param, state)
        local position = 0
        for _, value in gen, param, state do
            position = position + 1
            if value == wanted then
                return position
            end
        end
        return nil
    end)

    local function positions_of(param, state)
        local wanted, gen, inner = param[1], param[2], param[3]
        local position, at, value = state[1], state[2], nil
        while true do
            at, value = gen(inner, at)
            if at == nil then
                return nil
            end
            position = position + 1
            if value == wanted then
                return {position, at}, position
            end
        end
    end

    define('indexes indices elem_indexes elem_indices', 1, function(wanted, gen, param, state)
        return wrap(positions_of, {wanted, gen, param}, {0, state})
    end)

    --- Filtering.

    local filtered

    -- The calls in both are tail calls: what is left out takes no stack.
    local function keep_if(param, state, ...)
        if state == nil or param[1](...) then
            return state, ...
        end
        return filtered(param, state)
    end

    function filtered(param, state)
        return keep_if(param, param[2](param[3], state))
    end

    local function filter(test, gen, param, state)
        return wrap(filtered, {test, gen, param}, state)
    end

    define('filter remove_if', 1, filter)

    define('grep', 1, function(pattern, gen, param, state)
        if type(pattern) ~= 'string' then
            return filter(pattern, gen, param, state)
        end
        return filter(function(text) return tostring(text):find(pattern) ~= nil end, gen, param, state)
    end)

    define('partition', 1, function(test, gen, param, state)
        local function is_left_out(...)
            return not test(...)
        end
        return (filter(test, gen, param, state)), filter(is_left_out, gen, param, state)
    end)
end
