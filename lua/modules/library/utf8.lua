-- The module `utf8`: strings by code points, with the rules of Unicode. Rust does the work; it takes
-- one pass over the string.

local native = ...

local type, tonumber, tostring, error = type, tonumber, tostring, error

local utf8 = setmetatable(require('lycosa.extensions').utf8, nil)

-- Strings, and the numbers that Lua would take for one; nil for anything else.
local function text_of(value)
    if type(value) == 'number' then
        return tostring(value)
    end
    return type(value) == 'string' and value or nil
end

local function check_text(value, usage)
    local text = text_of(value)
    if text == nil then
        error('Usage: ' .. usage, 3)
    end
    return text
end

-- An integer argument, cut as C does it; `level` counts as for `error` from the caller's caller.
local function integer(value, position, default)
    if value == nil and default ~= nil then
        return default
    end
    local number = tonumber(value)
    if number == nil then
        local kind = value == nil and type(value) == 'nil' and 'no value' or type(value)
        error(("bad argument #%d to '?' (number expected, got %s)"):format(position, kind), 3)
    end
    number = number < 0 and math.ceil(number) or math.floor(number)
    -- Beyond any string, and NaN, is all the same: out of it.
    return number == number and math.max(-2^53, math.min(2^53, number)) or 2^53
end

function utf8.upper(text)
    text = check_text(text, 'utf8.upper(<string>)')
    return native.upper(text)
end

function utf8.lower(text)
    text = check_text(text, 'utf8.lower(<string>)')
    return native.lower(text)
end

function utf8.len(text, first, last)
    text = check_text(text, 'utf8.len(<string>, [i, [j]])')
    first, last = integer(first, 2, 1), integer(last, 3, -1)
    local size = #text
    if first < 0 then
        first = first + size + 1
    end
    if last < 0 then
        last = last + size + 1
    end
    if first < 1 or first > size + 1 or last > size then
        return nil, 'position is out of string'
    end
    local count, wrong_at = native.count(text, first - 1, math.max(last, 0))
    if count == nil then
        return nil, wrong_at
    end
    return count
end

function utf8.sub(text, first, last)
    local characters = text_of(text)
    if characters == nil or first == nil then
        error('Usage: utf8.sub(<string>, [i, [j]])', 2)
    end
    first, last = integer(first, 2), integer(last, 3, -1)
    return native.sub(characters, first, last)
end

function utf8.char(...)
    local count = select('#', ...)
    if count == 0 then
        error('Usage: utf8.char(<char code>', 2)
    end
    local parts = {}
    for position = 1, count do
        local code = integer((select(position, ...)), position)
        local character = code >= 0 and code <= 0x10FFFF and native.char(code)
        if not character then
            error(("bad argument #%d to 'char' (value out of range)"):format(position), 2)
        end
        parts[position] = character
    end
    return table.concat(parts)
end

-- The position behind the character at a byte's position, and its code; nothing at the end.
function utf8.next(text, position)
    text = check_text(text, 'utf8.next(<string>, [<byte offset>])')
    position = integer(position, 2, 1)
    if position < 0 then
        position = position + #text + 1
        if position < 1 then
            return
        end
    end
    local behind, code = native.next(text, math.max(position, 1) - 1)
    if behind ~= nil then
        return behind, code
    end
end

local function check_pair(left, right, name)
    local first, second = text_of(left), text_of(right)
    if first == nil or second == nil then
        error(('Usage: utf8.%s(<string1>, <string2>)'):format(name), 3)
    end
    return first, second
end

function utf8.cmp(left, right)
    left, right = check_pair(left, right, 'cmp')
    return native.compare(left, right)
end

function utf8.casecmp(left, right)
    left, right = check_pair(left, right, 'casecmp')
    return native.compare_caseless(left, right)
end

-- Tells of one character, given as such or by its code.
local function add_test(name)
    local test = native[name]
    utf8[name] = function(...)
        if select('#', ...) ~= 1 then
            error(('Usage: utf8.%s(<string> or <one symbol code>)'):format(name), 2)
        end
        local character = ...
        local code
        if type(character) == 'string' then
            local behind
            behind, code = native.next(character, 0)
            if behind ~= #character + 1 then
                return false
            end
        else
            code = integer(character, 1)
        end
        return code >= 0 and code <= 0x10FFFF and test(code)
    end
end

add_test('isalpha')
add_test('isdigit')
add_test('islower')
add_test('isupper')

return utf8
