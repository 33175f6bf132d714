-- Part of the module `fun`: transformed and combined iterators, and operators as functions.

local iterators = require('lycosa.iterator')

local wrap, metatable = iterators.wrap, iterators.metatable
local getmetatable, select, type, floor = getmetatable, select, type, math.floor

return function(core)
    local fun, methods, define, open, nothing = core.fun, core.methods, core.define, core.open, core.nothing

    --- Transformations.

    local function apply(f, state, ...)
        if state == nil then
            return nil
        end
        return state, f(...)
    end

    local function mapped(param, state)
        return apply(param[1], param[2](param[3], state))
    end

    define('map', 1, function(f, gen, param, state)
        return wrap(mapped, {f, gen, param}, state)
    end)

    local function numbered(position, state, ...)
        if state == nil then
            return nil
        end
        return {position + 1, state}, position, ...
    end

    local function enumerated(param, state)
        return numbered(state[1], param[1](param[2], state[2]))
    end

    define('enumerate', 0, function(gen, param, state)
        return wrap(enumerated, {gen, param}, {1, state})
    end)

    local function before_separator(state, ...)
        if state == nil then
            return nil
        end
        return {true, state}, ...
    end

    local function interspersed(param, state)
        if state[1] then
            return {false, state[2]}, param[1]
        end
        return before_separator(param[2](param[3], state[2]))
    end

    define('intersperse', 1, function(separator, gen, param, state)
        return wrap(interspersed, {separator, gen, param}, {false, state})
    end)

    --- Composition.

    -- How many of the arguments are iterators: the last may have come with its parameter and state.
    local function count_iterators(...)
        local count = select('#', ...)
        if count >= 3 then
            local last, param, state = select(count - 2, ...)
            if type(last) == 'table' and getmetatable(last) == metatable
                and last.param == param and last.state == state then
                return count - 2
            end
        end
        return count
    end

    -- Opens all of them: generators and parameters alternate in one list, states are in another.
    local function open_all(...)
        local count = count_iterators(...)
        local parts, states = {}, {}
        for position = 1, count do
            local gen, param, state = open((select(position, ...)))
            parts[2 * position - 1], parts[2 * position], states[position] = gen, param, state
        end
        return count, parts, states
    end

    -- Steps the iterators from `position` on, and answers with `following` and their values.
    local function zip_from(position, count, parts, states, following)
        if position > count then
            return following
        end
        local state, value = parts[2 * position - 1](parts[2 * position], states[position])
        if state == nil then
            return nil
        end
        following[position] = state
        local function prepend(rest, ...)
            if rest == nil then
                return nil
            end
            return rest, value, ...
        end
        return prepend(zip_from(position + 1, count, parts, states, following))
    end

    local function zipped_two(parts, states)
        local first, left = parts[1](parts[2], states[1])
        if first == nil then
            return nil
        end
        local second, right = parts[3](parts[4], states[2])
        if second == nil then
            return nil
        end
        return {first, second}, left, right
    end

    local function zipped(parts, states)
        return zip_from(1, parts.count, parts, states, {})
    end

    local function zip(...)
        local count, parts, states = open_all(...)
        if count == 0 then
            return wrap(nothing, nil, nil)
        end
        parts.count = count
        return wrap(count == 2 and zipped_two or zipped, parts, states)
    end
    fun.zip, methods.zip = zip, zip

    local function first_or(param, state, ...)
        if state == nil then
            return param[1](param[2], param[3])
        end
        return state, ...
    end

    local function cycled(param, state)
        return first_or(param, param[1](param[2], state))
    end

    define('cycle', 0, function(gen, param, state)
        return wrap(cycled, {gen, param, state}, state)
    end)

    local chained

    local function or_next(param, position, state, ...)
        if state ~= nil then
            return {position, state}, ...
        elseif position < param.count then
            return chained(param, {position + 1, param.states[position + 1]})
        end
        return nil
    end

    function chained(param, state)
        local position = state[1]
        return or_next(param, position, param[2 * position - 1](param[2 * position], state[2]))
    end

    local function chain(...)
        local count, parts, states = open_all(...)
        if count == 0 then
            return wrap(nothing, nil, nil)
        end
        parts.count, parts.states = count, states
        return wrap(chained, parts, {1, states[1]})
    end
    fun.chain, methods.chain = chain, chain

    --- Operators as functions.

    local operator = {
        lt = function(left, right) return left < right end,
        le = function(left, right) return left <= right end,
        eq = function(left, right) return left == right end,
        ne = function(left, right) return left ~= right end,
        ge = function(left, right) return left >= right end,
        gt = function(left, right) return left > right end,
        add = function(left, right) return left + right end,
        div = function(left, right) return left / right end,
        floordiv = function(left, right) return floor(left / right) end,
        intdiv = function(left, right)
            local quotient = left / right
            return quotient >= 0 and floor(quotient) or math.ceil(quotient)
        end,
        mod = function(left, right) return left % right end,
        mul = function(left, right) return left * right end,
        unm = function(value) return -value end,
        pow = function(left, right) return left ^ right end,
        sub = function(left, right) return left - right end,
        concat = function(left, right) return left .. right end,
        len = function(value) return #value end,
        land = function(left, right) return left and right end,
        lor = function(left, right) return left or right end,
        lnot = function(value) return not value end,
        truth = function(value) return not not value end,
    }
    operator.neq, operator.truediv, operator.length = operator.ne, operator.div, operator.len
    fun.operator, fun.op = operator, operator
    methods.operator, methods.op = operator, operator
end
