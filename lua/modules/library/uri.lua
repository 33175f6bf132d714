-- The module `uri`: identifiers of resources taken apart, put together and escaped.

local escaping = require('lycosa.uri_escape')

local uri = {}

local INCORRECT = 'Incorrect URI: expected host:service or /unix.socket'

local COMPONENTS = {'scheme', 'login', 'password', 'host', 'service', 'path', 'query', 'fragment'}

--- Escaping.

-- The set of the characters that a Lua pattern's set has.
function uri.unreserved(characters)
    if type(characters) ~= 'string' then
        error('Usage: uri.unreserved(str)', 2)
    end
    local ok, set = pcall(function()
        local pattern, found = '^[' .. characters .. ']$', {}
        for code = 0, 255 do
            local character = string.char(code)
            if character:match(pattern) then
                found[character] = true
            end
        end
        return found
    end)
    if not ok then
        error('Usage: uri.unreserved(str)', 2)
    end
    return set
end

local UNRESERVED = 'a-zA-Z0-9%-._~'
local DELIMITERS = "!$&'()*+,;="

local function encoding(plus, characters)
    return {plus = plus, unreserved = uri.unreserved(characters)}
end

uri.RFC3986 = encoding(false, UNRESERVED)
uri.PATH = encoding(false, UNRESERVED .. DELIMITERS .. ':@/')
uri.PATH_PART = encoding(false, UNRESERVED .. DELIMITERS .. ':@')
uri.QUERY = encoding(false, UNRESERVED .. DELIMITERS .. ':@/?')
uri.QUERY_PART = encoding(false, UNRESERVED .. "!$'()*+,;:@/?")
uri.FRAGMENT = encoding(false, UNRESERVED .. DELIMITERS .. ':@/?')
uri.FORM_URLENCODED = encoding(true, 'a-zA-Z0-9%-._*')

local function check_escape(text, options, name)
    if type(text) ~= 'string' or (options ~= nil and type(options) ~= 'table') then
        error(('Usage: uri.%s(string[, opts])'):format(name), 3)
    end
    local unreserved = options and options.unreserved
    if unreserved ~= nil and type(unreserved) ~= 'table' then
        error('use uri.unreserved for making an unreserved set', 3)
    end
    return options or uri.RFC3986
end

function uri.escape(text, options)
    options = check_escape(text, options, 'escape')
    return escaping.escape(text, options.unreserved or uri.RFC3986.unreserved, options.plus)
end

function uri.unescape(text, options)
    options = check_escape(text, options, 'unescape')
    return escaping.unescape(text, options.plus)
end

--- Taking apart.

local HOST = "^([%w%-%._~%%!$&'()*+,;=]+)(.*)$"

-- Takes the path of a socket off the front; behind a colon may follow a path.
local function parse_socket(text, result)
    local socket, path = text:match('^([^:]+):?(.*)$')
    if socket == nil or socket:find('%s') then
        return false
    end
    result.host, result.service, result.unix = 'unix/', socket, socket
    result.path = path ~= '' and path or nil
    return true
end

local function parse_host(text, result)
    local host, rest = text:match('^%[([%x:%.]+)%](.*)$')
    if host ~= nil then
        result.ipv6 = host
    else
        host, rest = text:match(HOST)
        if host == nil then
            return false
        elseif host:match('^%d+%.%d+%.%d+%.%d+$') then
            result.ipv4 = host
        end
    end
    result.host = host
    local service, path = rest:match('^:([%w%-_]*)(.*)$')
    if service == nil then
        path = rest
    elseif service ~= '' then
        result.service = service
    end
    if path ~= '' then
        if path:sub(1, 1) ~= '/' or path:find('%s') then
            return false
        end
        result.path = path
    end
    return true
end

-- Takes apart what stands before the query.
local function parse_front(text, result)
    local scheme, rest = text:match('^(%a[%w+.%-]*)://(.+)$')
    if scheme ~= nil then
        result.scheme, text = scheme, rest
    end
    local login, password = nil, nil
    login, password, rest = text:match('^([^@/:%s]*):([^@/%s]*)@(.*)$')
    if login == nil then
        login, rest = text:match('^([^@/:%s]+)@(.*)$')
    end
    if login ~= nil then
        result.login, result.password, text = login, password, rest
    end
    local socket = text:match('^unix/:(/.*)$')
    if socket == nil and scheme == nil and text:sub(1, 1) == '/' then
        socket = text
    end
    if socket ~= nil then
        return parse_socket(socket, result)
    elseif text:match('^%d+$') and scheme == nil and login == nil then
        result.service = text
        return true
    end
    return parse_host(text, result)
end

local function parse_params(query)
    local params
    for pair in query:gmatch('[^&]+') do
        local name, value = pair:match('^([^=]+)=?(.*)$')
        if name ~= nil then
            params = params or {}
            params[name] = params[name] or {}
            if pair:find('=', 1, true) then
                table.insert(params[name], value)
            end
        end
    end
    return params
end

local function parse_text(text)
    local result = {}
    local front, fragment = text:match('^([^#]*)#?(.*)$')
    result.fragment = fragment ~= '' and fragment or nil
    local query
    front, query = front:match('^([^?]*)%??(.*)$')
    if query ~= '' then
        result.query, result.params = query, parse_params(query)
    end
    if front == '' then
        if result.query == nil and result.fragment == nil then
            return nil, INCORRECT
        end
    elseif not parse_front(front, result) then
        return nil, INCORRECT
    end
    return result
end

local function values_of(value)
    local list = {}
    for position, item in ipairs(type(value) == 'table' and value or {value}) do
        list[position] = tostring(item)
    end
    return list
end

-- An identifier in a table: the text by position or as `uri`, else its components; parameters beside.
local function parse_table(object, default_params)
    local text = object[1] or object.uri
    local result, message
    if text ~= nil then
        result, message = parse_text(tostring(text))
        if result == nil then
            return nil, message
        end
    else
        result = {}
    end
    for _, name in ipairs(COMPONENTS) do
        if object[name] ~= nil then
            result[name] = tostring(object[name])
        end
    end
    for name, value in pairs(object.params or {}) do
        result.params = result.params or {}
        result.params[name] = values_of(value)
    end
    for _, defaults in ipairs({object.default_params or {}, default_params or {}}) do
        for name, value in pairs(defaults) do
            result.params = result.params or {}
            result.params[name] = result.params[name] or values_of(value)
        end
    end
    return result
end

local function parse_any(value, default_params)
    if type(value) == 'table' then
        return parse_table(value, default_params)
    end
    return parse_table({tostring(value)}, default_params)
end

function uri.parse(value)
    if value == nil then
        error('Usage: uri.parse(string|table)', 2)
    end
    return parse_any(value)
end

-- Several identifiers: a text with commas, or a list of texts and tables.
function uri.parse_many(value)
    if value == nil then
        error('Usage: uri.parse_many(string|table)', 2)
    end
    local sources, defaults = {}, nil
    if type(value) ~= 'table' then
        sources = tostring(value):split(',')
    elseif value.uri ~= nil then
        sources = {value}
    else
        defaults = value.default_params
        for position, source in ipairs(value) do
            sources[position] = source
        end
        if #sources == 1 and value.params ~= nil and type(sources[1]) ~= 'table' then
            sources = {value}
        end
    end
    local list = {}
    for position, source in ipairs(sources) do
        local result, message = parse_any(source, defaults)
        if result == nil then
            return nil, message
        end
        list[position] = result
    end
    return list
end

--- Putting together.

local function query_of(params)
    local names, parts = {}, {}
    for name in pairs(params) do
        names[#names + 1] = tostring(name)
    end
    table.sort(names)
    for _, name in ipairs(names) do
        local values = values_of(params[name])
        if #values == 0 then
            parts[#parts + 1] = name
        end
        for _, value in ipairs(values) do
            parts[#parts + 1] = name .. '=' .. value
        end
    end
    return table.concat(parts, '&')
end

local function front_of(object, write_password)
    local text = object.scheme and object.scheme .. '://' or ''
    if object.host ~= nil then
        if object.login ~= nil then
            local password = write_password and object.password
            text = text .. object.login .. (password and ':' .. password or '') .. '@'
        end
        text = text .. object.host
        if object.service ~= nil then
            text = text .. ':' .. object.service
        end
    end
    return text
end

function uri.format(object, write_password)
    if type(object) ~= 'table' then
        error('Usage: uri.format(uri[, write_password])', 2)
    end
    local query = object.query
    if type(object.params) == 'table' and next(object.params) ~= nil then
        query = query_of(object.params)
    end
    return table.concat({
        front_of(object, write_password),
        object.path or '',
        query and '?' .. query or '',
        object.fragment and '#' .. object.fragment or '',
    })
end

-- The values of a parameter as `params` has them.
function uri.values(...)
    return {...}
end

return uri
