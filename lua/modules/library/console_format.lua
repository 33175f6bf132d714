-- How the console shows what a chunk returned or threw: YAML as Tarantool prints it, or Lua.

local yaml = require('yaml').new()

yaml.cfg({encode_use_tostring = true, encode_invalid_numbers = true})

local MAX_DEPTH = 16

local formats = {}

-- The result of pcall as a list to show: values with null for nil, or the error alone.
local function shown(result)
    local list = {}
    if not result[1] then
        local err = result[2]
        return {{error = err == nil and box.NULL or err}}
    end
    for position = 2, result.n do
        local value = result[position]
        list[position - 1] = value == nil and box.NULL or value
    end
    return list
end

function formats.yaml(result)
    if result[1] and result.n == 1 then
        return '---\n...\n'
    end
    local ok, text = pcall(yaml.encode, shown(result))
    if not ok then
        text = yaml.encode({{error = 'console: an exception occurred when formatting the output: ' .. tostring(text)}})
    end
    return text
end

local lua_text

local function lua_table(value, depth)
    if depth > MAX_DEPTH then
        return '{...}'
    end
    local parts, length = {}, #value
    for position = 1, length do
        parts[position] = lua_text(value[position], depth + 1)
    end
    for key, item in next, value do
        if not (type(key) == 'number' and key >= 1 and key <= length and key % 1 == 0) then
            local name = type(key) == 'string' and key:match('^[%a_][%w_]*$')
            local text = name or ('[%s]'):format(lua_text(key, depth + 1))
            parts[#parts + 1] = ('%s = %s'):format(text, lua_text(item, depth + 1))
        end
    end
    return '{' .. table.concat(parts, ', ') .. '}'
end

function lua_text(value, depth)
    local kind = type(value)
    if kind == 'string' then
        return ('%q'):format(value):gsub('\\\n', '\\n')
    elseif kind == 'table' then
        local metatable = getmetatable(value)
        local rule = type(metatable) == 'table' and rawget(metatable, '__serialize')
        if type(rule) == 'function' and depth <= MAX_DEPTH then
            return lua_text(rule(value), depth + 1)
        end
        return lua_table(value, depth)
    elseif kind == 'cdata' and value == nil then
        return 'box.NULL'
    elseif kind == 'cdata' and box.tuple.is(value) then
        return lua_table(value:totable(), depth)
    elseif kind == 'number' or kind == 'boolean' or kind == 'nil' or kind == 'cdata' then
        return tostring(value)
    end
    return ('"<%s>"'):format(tostring(value))
end

function formats.lua(result)
    local parts = {}
    for position, value in ipairs(shown(result)) do
        local ok, text = pcall(lua_text, value, 0)
        parts[position] = ok and text or ('"<%s>"'):format(tostring(text))
    end
    return table.concat(parts, ', ') .. ';\n'
end

return formats
