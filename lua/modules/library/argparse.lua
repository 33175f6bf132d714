-- The module `internal.argparse`: a command line as a table. `parse(arguments, parameters)` takes the
-- parameters as names or `{name, type}` pairs; the types are string, number and boolean, with a `+`
-- behind them for parameters that may be repeated and always become a list.

local function is_option(text)
    return text ~= nil and text:sub(1, 1) == '-'
end

local function takes_value(kind)
    return kind ~= 'boolean' and kind ~= 'boolean+'
end

local function bad_value(name, kind, given)
    local reason
    if given == true then
        reason = ('Expected %s, got nothing'):format(kind)
    elseif takes_value(kind) then
        reason = ('Expected %s, got "%s"'):format(kind, given)
    else
        reason = ('No value expected, got "%s"'):format(given)
    end
    error(('Bad value for parameter "%s". %s'):format(name, reason), 0)
end

local function bad_name(position)
    error(('bad argument #%d: ID not valid'):format(position), 0)
end

local CONVERSIONS = {
    string = function(given) return type(given) == 'string' and given or nil end,
    number = function(given) return tonumber(given ~= true and given or nil) end,
    boolean = function(given) return given == true or nil end,
}

local function convert(name, kind, given)
    local conversion = CONVERSIONS[kind]
    if conversion == nil then
        error(('Bad conversion format "%s" provided for %s'):format(kind, name), 0)
    end
    local value = conversion(given)
    if value == nil then
        bad_value(name, kind, given)
    end
    return value
end

-- All values of one parameter in the type that was asked for; the last one counts where one is wanted.
local function convert_all(name, kind, values)
    local single = kind:match('^(.-)%+$')
    if single == nil then
        return convert(name, kind, values[#values])
    end
    local converted = {}
    for position, value in ipairs(values) do
        converted[position] = convert(name, single, value)
    end
    return converted
end

local function kinds_of(parameters)
    local kinds = {}
    for _, parameter in ipairs(parameters) do
        if type(parameter) == 'table' then
            kinds[parameter[1]] = parameter[2] or true
        else
            kinds[parameter] = true
        end
    end
    return kinds
end

-- Name and value of the option at `position`, and whether the value was the next argument.
local function long_option(arguments, position, kinds)
    local name, value = arguments[position]:match('^%-%-([^=]*)=(.*)$')
    local has_value = name ~= nil
    name = name or arguments[position]:sub(3)
    if not name:match('^[%a_][%w_-]+$') then
        bad_name(position)
    end
    if has_value then
        if not takes_value(kinds[name]) then
            bad_value(name, kinds[name], value)
        end
        return name, value, false
    end
    local following = arguments[position + 1]
    if not takes_value(kinds[name]) or following == nil then
        return name, true, false
    elseif following == '-' then
        return name, true, true
    elseif is_option(following) then
        return name, true, false
    end
    return name, following, true
end

-- The values given for each name, in order, and the arguments that belong to none.
local function collect(arguments, kinds)
    local values, order, rest = {}, {}, {}
    local function add(name, value)
        if values[name] == nil then
            values[name] = {}
            order[#order + 1] = name
        end
        table.insert(values[name], value)
    end
    local position = 1
    while arguments[position] ~= nil do
        local argument = arguments[position]
        if argument:sub(1, 2) == '--' then
            local name, value, takes_next = long_option(arguments, position, kinds)
            add(name, value)
            position = position + (takes_next and 1 or 0)
        elseif argument ~= '-' and is_option(argument) then
            if not argument:match('^%-%a+$') then
                bad_name(position)
            end
            for letter in argument:sub(2):gmatch('.') do
                add(letter, true)
            end
        else
            rest[#rest + 1] = argument
        end
        position = position + 1
    end
    return values, order, rest
end

local function parse(arguments, parameters)
    local kinds = kinds_of(parameters or {})
    local values, order, result = collect(arguments or {}, kinds)
    local unknown = {}
    for _, name in ipairs(order) do
        local kind = kinds[name]
        if parameters ~= nil and kind == nil then
            unknown[#unknown + 1] = name
        elseif type(kind) == 'string' then
            result[name] = convert_all(name, kind, values[name])
        else
            result[name] = #values[name] > 1 and values[name] or values[name][1]
        end
    end
    if #unknown > 0 then
        error(('unknown options: %s'):format(table.concat(unknown, ', ')), 0)
    end
    return result
end

return {parse = parse}
