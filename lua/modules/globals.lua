-- What Tarantool adds to Lua's globals: where a function's source is, 64-bit numbers from text, and
-- chunks that run at once.

local ffi = require('ffi')

-- The file that the function at `level` was read from; nothing for text given otherwise.
local function file_at(level)
    local info = debug.getinfo(level + 1, 'S')
    if info ~= nil and info.source:sub(1, 1) == '@' then
        return info.source:sub(2)
    end
end

local function folder_of(file)
    local folder = file and file:match('^(.*)/[^/]*$')
    return folder == '' and '/' or folder or '.'
end

-- No tail calls here: levels count frames.
function debug.sourcefile(level)
    local file = file_at(level or 2)
    return file
end

function debug.sourcedir(level)
    local file = file_at(level or 2)
    return folder_of(file)
end

setmetatable(debug, {
    __index = function(_, name)
        local file = file_at(2)
        if name == '__file__' then
            return file
        elseif name == '__dir__' then
            return folder_of(file)
        end
    end,
})

function dostring(code, ...)
    local chunk, message = loadstring(code)
    if chunk == nil then
        error(message, 0)
    end
    return chunk(...)
end

-- Numbers below are exact as Lua's own; Tarantool gives them back as such.
local EXACT_LIMIT = 1e14
local PREFIXES = {['0x'] = 16, ['0b'] = 2}

local function digits_to_number(digits, base, is_negative)
    local value = ffi.new('uint64_t', 0)
    local limit = ffi.cast('uint64_t', -1)
    for digit in digits:gmatch('.') do
        digit = tonumber(digit, 36)
        if digit == nil or digit >= base or value > (limit - digit) / base then
            return nil
        end
        value = value * base + digit
    end
    if value < EXACT_LIMIT then
        return is_negative and -tonumber(value) or tonumber(value)
    elseif not is_negative then
        return value
    elseif value <= 2 ^ 63 then
        return -ffi.cast('int64_t', value)
    end
end

local function text_to_number(text, base)
    local sign, digits = text:lower():match('^%s*([+-]?)(%w+)%s*$')
    if digits == nil then
        return nil
    end
    local prefixed = PREFIXES[digits:sub(1, 2)]
    if prefixed ~= nil and #digits > 2 and (base == nil or base == prefixed) then
        digits, base = digits:sub(3), prefixed
    end
    return digits_to_number(digits, base or 10, sign == '-')
end

function tonumber64(...)
    local value, base = ...
    if select('#', ...) == 0 then
        error("bad argument #1 to 'tonumber64' (value expected)", 2)
    elseif base ~= nil and not (type(base) == 'number' and base >= 2 and base <= 36) then
        error("bad argument #2 to 'tonumber64' (base out of range)", 2)
    elseif type(value) == 'string' then
        return text_to_number(value, base)
    elseif base ~= nil and base ~= 10 then
        error(("bad argument #1 to 'tonumber64' (string expected, got %s)"):format(type(value)), 2)
    elseif type(value) == 'number' or type(value) == 'cdata' and tonumber(value) ~= nil then
        return value
    end
    return nil
end

return {}
