-- Prints values so that two implementations print the same for the same values: tables with their
-- keys in order, 64-bit integers with their suffix, errors as their code and type.

local ffi = require('ffi')

local text_of

local function table_text(value, depth)
    if depth > 8 then
        return '{...}'
    end
    local keys, positions = {}, #value
    for key in next, value do
        if type(key) ~= 'number' or key < 1 or key > positions or key % 1 ~= 0 then
            keys[#keys + 1] = key
        end
    end
    table.sort(keys, function(left, right) return tostring(left) < tostring(right) end)
    local parts = {}
    for position = 1, positions do
        parts[#parts + 1] = text_of(value[position], depth + 1)
    end
    for _, key in ipairs(keys) do
        parts[#parts + 1] = tostring(key) .. ' = ' .. text_of(value[key], depth + 1)
    end
    return '{' .. table.concat(parts, ', ') .. '}'
end

function text_of(value, depth)
    local kind = type(value)
    if kind == 'table' then
        return table_text(value, depth or 1)
    elseif kind == 'string' then
        if #value > 60 then
            return ('%q... (%d bytes)'):format(value:sub(1, 20), #value)
        end
        return ('%q'):format(value)
    elseif kind == 'number' then
        return ('%.17g'):format(value):gsub('^%-nan', 'nan')
    elseif kind == 'cdata' and value == nil then
        return 'null'
    elseif kind == 'function' or kind == 'thread' or kind == 'userdata' then
        return kind
    end
    return tostring(value)
end

-- What was thrown: code and type of an error object, the text of anything else without its place.
local function error_text(err)
    if type(err) == 'cdata' and not ffi.istype('int64_t', err) and not ffi.istype('uint64_t', err)
        and not box.tuple.is(err) and err ~= nil then
        local is_error, code = pcall(function() return err.code end)
        if is_error and code ~= nil then
            return ('%s %s'):format(err.type, tostring(code))
        end
    end
    if type(err) == 'string' then
        return 'Lua error: ' .. err:gsub('^[^\n]-:%d+: ', '')
    end
    return 'thrown ' .. text_of(err)
end

local function line(label, count, ...)
    local parts = {}
    for position = 1, count do
        parts[position] = text_of((select(position, ...)))
    end
    print(label .. ': ' .. (count == 0 and '(nothing)' or table.concat(parts, ', ')))
end

local function outcome(label, ok, ...)
    if ok then
        line(label, select('#', ...), ...)
    else
        print(label .. ': ' .. error_text((...)))
    end
end

local show = {text = text_of, error_text = error_text}

-- Calls the function and prints what it returns or throws.
function show.try(label, callable, ...)
    outcome(label, pcall(callable, ...))
end

-- Calls the function and prints no more than whether it threw: for messages that differ.
function show.fails(label, callable, ...)
    print(label .. ': ' .. (pcall(callable, ...) and 'no error' or 'an error'))
end

return setmetatable(show, {
    __call = function(_, label, ...) line(label, select('#', ...), ...) end,
})
