-- The module `yaml`: encode, decode, and their configuration. Text is written and read by libyaml;
-- what the events mean is decided here and in `yaml_encode`.

local native = ...
local ffi = require('ffi')
local serializer = require('lycosa.serializer')
local values = require('lycosa.values')
local events_of = require('lycosa.yaml_encode').events_of

ffi.cdef([[
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
]])

local ENTRIES_PER_EVENT = 4
local TAG_PREFIX = 'tag:yaml.org,2002:'

-- Up to here integers are Lua numbers, beyond they are 64-bit cdata.
local NUMBER_LIMIT = 1e14
local INT64_MAX = 9223372036854775807LL

local function integer_of(text)
    local signed = ffi.C.strtoll(text, nil, 10)
    local number = tonumber(signed)
    if number > -NUMBER_LIMIT and number < NUMBER_LIMIT then
        return number
    elseif signed ~= INT64_MAX then
        return signed
    end
    return ffi.C.strtoull(text, nil, 10)
end

local function checked(number, config)
    if not config.decode_invalid_numbers and (number ~= number or math.abs(number) == math.huge) then
        error('number must not be NaN or Inf', 0)
    end
    return number
end

local PLAIN = {
    [''] = '', ['~'] = box.NULL, ['null'] = box.NULL,
    ['true'] = true, ['yes'] = true, ['false'] = false, ['no'] = false,
}

local function plain_scalar(text, config)
    local known = PLAIN[text]
    if known ~= nil or text == '~' or text == 'null' then
        return known
    elseif text:find('^[+-]?%d+$') then
        return integer_of(text)
    end
    local number = not text:find('^[+-]?0[bB]') and tonumber(text)
    if number then
        return checked(number, config)
    end
    return text
end

local function from_base64(text)
    local ok, bytes = pcall(native.from_base64, text)
    return ok and bytes or ''
end

local TAGGED = {
    str = function(text) return text end,
    int = function(text) return tonumber(ffi.C.strtoll(text, nil, 10)) end,
    float = function(text, config) return checked(tonumber(text) or 0, config) end,
    bool = function(text) return text == 'true' or text == 'yes' end,
    binary = from_base64,
}

local function scalar(kind, text, tag, config)
    local convert = tag and tag:sub(1, #TAG_PREFIX) == TAG_PREFIX and TAGGED[tag:sub(#TAG_PREFIX + 1)]
    if convert then
        return convert(text, config)
    elseif kind == 'plain' then
        return plain_scalar(text, config)
    end
    return text
end

local Reader = {}
Reader.__index = Reader

function Reader:next()
    local events, position = self.events, self.position
    self.position = position + ENTRIES_PER_EVENT
    if events[position] == nil then
        error(self.fault or 'unexpected END event', 0)
    end
    return events[position], events[position + 1], events[position + 2], events[position + 3]
end

function Reader:container(anchor, metatable)
    local container = {}
    if self.config.decode_save_metatables then
        setmetatable(container, metatable)
    end
    if anchor then
        self.anchors[anchor] = container
    end
    return container
end

-- The next node and true, or false at the end of a container.
function Reader:node()
    local kind, text, tag, anchor = self:next()
    if kind == '[' then
        local array = self:container(anchor, values.sequence_metatable)
        local length = 0
        while true do
            local item, is_there = self:node()
            if not is_there then
                return array, true
            end
            length = length + 1
            array[length] = item
        end
    elseif kind == '{' then
        local map = self:container(anchor, values.map_metatable)
        while true do
            local key, is_there = self:node()
            if not is_there then
                return map, true
            end
            map[key] = self:node()
        end
    elseif kind == 'alias' then
        local value = self.anchors[text]
        if value == nil then
            error('invalid reference: ' .. text, 0)
        end
        return value, true
    elseif kind == 'plain' or kind == 'quoted' then
        local value = scalar(kind, text, tag, self.config)
        if anchor then
            self.anchors[anchor] = value
        end
        return value, true
    end
    return nil, false
end

local function reader_of(text, config)
    local events, fault = native.parse(text)
    return setmetatable({events = events, fault = fault, position = 1, config = config}, Reader)
end

local function decode(text, config)
    local reader = reader_of(text, config)
    local documents, count = {}, 0
    while reader.events[reader.position] ~= nil do
        reader:next()
        reader.anchors = {}
        count = count + 1
        documents[count] = reader:node()
        reader:next()
    end
    if reader.fault ~= nil then
        error(reader.fault, 0)
    end
    return unpack(documents, 1, count)
end

-- The first tag directive of the text: what a console's peer says of an answer.
local function decode_tag(text)
    local events, fault = native.parse(text)
    if events[1] == nil then
        if fault ~= nil then
            error(fault, 0)
        end
        return nil
    end
    if events[2] then
        return events[2], events[3]
    end
    return nil
end

local function is_pretty()
    local compat = package.loaded.compat
    return compat == nil or compat.yaml_pretty_multiline.current ~= 'old'
end

local ENCODE_USAGE = 'Usage: encode(object, {tag_prefix = <string>, tag_handle = <string>})'

local function new()
    local holder = serializer.configuration()
    local yaml = serializer.module(holder)
    yaml.new = new

    function yaml.encode(...)
        local value, options = ...
        local count = select('#', ...)
        if count < 1 or count > 2 or options ~= nil and type(options) ~= 'table' then
            error(ENCODE_USAGE, 0)
        end
        options = options or {}
        local handle, prefix = options.tag_handle, options.tag_prefix
        if (handle ~= nil) ~= (prefix ~= nil) then
            error(ENCODE_USAGE, 0)
        end
        local document = native.emit(events_of(value, holder.current), is_pretty())
        return handle == nil and document or ('%%TAG %s %s\n%s'):format(handle, prefix, document)
    end

    function yaml.decode(...)
        local text, options = ...
        if type(text) == 'number' then
            text = tostring(text)
        elseif type(text) ~= 'string' then
            error('Usage: yaml.decode(document, [{tag_only = boolean}])', 0)
        end
        if type(options) == 'table' and options.tag_only then
            return decode_tag(text)
        end
        return decode(text, holder.current)
    end

    return yaml
end

return new()
