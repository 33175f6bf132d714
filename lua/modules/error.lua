-- Error objects and `box.error`. An object is a small cdata; what it says stands in a weak table
-- beside it, because errors are cold and their details are Lua values.

local native = ...
local ffi = require('ffi')
local lazy = require('lycosa.lazy')
local text_of = require('lycosa.thrown').text_of

ffi.cdef([[struct error { const uint32_t __unused; };]])

local error_t = ffi.typeof('struct error')

-- names[code], texts[code] and fields[code] of each code; codes[name] is its number.
local names, texts = lazy.table('lycosa.error_codes'), lazy.table('lycosa.error_codes')
local fields, codes = lazy.table('lycosa.error_codes'), lazy.table('lycosa.error_codes')

-- Details that are tuples: from Rust they come as their bytes.
local is_tuple_field = {old_tuple = true, new_tuple = true}

local details = setmetatable({}, {__mode = 'k'})
local last_error

local function is_error(value)
    return type(value) == 'cdata' and ffi.istype(error_t, value)
end

local function check(value, usage)
    if not is_error(value) then
        error('Usage: ' .. usage, 3)
    end
end

-- Where the error was made: the first frame outside of the embedded modules, or `level` frames
-- above it.
local function location(level)
    local skipped = 0
    for depth = 3, 200 do
        local frame = debug.getinfo(depth, 'Sl')
        if frame == nil then
            break
        end
        local embedded = frame.source:find('^[@=]lycosa/') ~= nil
        if not embedded and frame.currentline > 0 then
            skipped = skipped + 1
            if skipped >= level then
                local is_file = frame.source:find('^[@=]') ~= nil
                return {{file = is_file and frame.source:sub(2) or frame.short_src, line = frame.currentline}}
            end
        end
    end
    return {}
end

-- Errors of statements and of scripts that were made so far, for box.stat.
local made = 0

local function make(code, kind, message, payload, level)
    local object = ffi.new(error_t)
    payload = payload or {}
    if kind == 'ClientError' then
        made = made + 1
        payload.name = names[code]
    end
    local file_and_line = level == 0 and {} or location(level or 1)
    details[object] = {
        code = code,
        type = kind,
        base_type = kind,
        message = message,
        trace = file_and_line,
        payload = payload,
    }
    return object
end

-- Gives the object of an error that Rust raises, with what its text names in the order of the text;
-- it becomes the last error at once.
local function make_native(code, kind, message, values)
    local payload, position = {}, 0
    for _, name in ipairs(fields[code] or {}) do
        if name ~= '' then
            position = position + 1
            local value = values[position]
            if is_tuple_field[name] and value ~= nil then
                value = require('lycosa.tuple').from_bytes(value, #value, 0)
            end
            payload[name] = value
        end
    end
    last_error = make(code, kind, message, payload)
    return last_error
end

local function format_code(code, ...)
    local text = texts[code]
    if text == nil then
        return 'Unknown error', {}
    end
    local ok, message = pcall(string.format, text, ...)
    if not ok then
        return nil
    end
    local payload = {}
    for position, name in ipairs(fields[code]) do
        if name ~= '' then
            payload[name] = (select(position, ...))
        end
    end
    return message, payload
end

local RESERVED = {code = true, reason = true, message = true, type = true, prev = true, level = true,
    errno = true}

local function make_from_table(options, level)
    local message = options.message or options.reason or ''
    local payload = {}
    for name, value in pairs(options) do
        if type(name) == 'string' and not RESERVED[name] then
            payload[name] = value
        end
    end
    local code = tonumber(options.code) or 0
    local object = make(code, 'ClientError', tostring(message), payload, level)
    local custom = options.type
    if custom ~= nil and custom ~= 'ClientError' then
        local detail = details[object]
        detail.type, detail.base_type, detail.custom_type = custom, 'CustomError', custom
        detail.payload.name = options.name
    end
    details[object].errno = options.errno
    if is_error(options.prev) then
        details[object].prev = options.prev
    end
    return object
end

-- Makes an object of what box.error and box.error.new take; nil when the arguments fit nothing.
local function from_arguments(...)
    local first, second = ...
    local count = select('#', ...)
    if is_error(first) then
        return first
    elseif type(first) == 'table' then
        if second ~= nil and type(second) ~= 'number' then
            return nil
        end
        return make_from_table(first, second)
    elseif type(first) == 'number' then
        local message, payload = format_code(first, select(2, ...))
        return message and make(first, 'ClientError', message, payload)
    elseif type(first) == 'string' and count >= 2 and type(second) == 'string' then
        local ok, message = pcall(string.format, select(2, ...))
        return ok and make_from_table({type = first, message = message}) or nil
    end
    return nil
end

local methods = {}

function methods.unpack(object)
    check(object, 'error:unpack()')
    local detail = details[object]
    local result = {}
    for name, value in pairs(detail.payload) do
        result[name] = value
    end
    result.code, result.type, result.base_type = detail.code, detail.type, detail.base_type
    result.custom_type, result.message = detail.custom_type, detail.message
    result.trace, result.prev, result.errno = detail.trace, detail.prev, detail.errno
    return result
end

function methods.raise(object)
    check(object, 'error:raise()')
    error(object)
end

function methods.match(object, ...)
    check(object, 'error:match()')
    return string.match(details[object].message, ...)
end

function methods.set_prev(object, previous)
    if not is_error(object) or (previous ~= nil and not is_error(previous)) then
        error('Usage: error1:set_prev(error2)', 2)
    end
    local ancestor = previous
    while ancestor ~= nil do
        if ancestor == object then
            error('Cycles are not allowed', 2)
        end
        ancestor = details[ancestor].prev
    end
    -- A null becomes none.
    details[object].prev = previous ~= nil and previous or nil
end

local function message_of(object)
    return details[object].message
end

methods.__serialize = message_of

-- What an error says of itself.
local OWN = {code = true, type = true, base_type = true, custom_type = true, message = true,
    trace = true, prev = true, errno = true}

local function index(object, name)
    local method = methods[name]
    if method ~= nil then
        return method
    end
    local detail = details[object]
    if OWN[name] then
        return detail[name]
    end
    -- Other details may be those of a cause.
    while detail ~= nil do
        local value = detail.payload[name]
        if value ~= nil then
            return value
        end
        detail = details[detail.prev]
    end
end

ffi.metatype(error_t, {
    __tostring = message_of,
    __concat = function(left, right)
        if is_error(left) then
            return message_of(left) .. right
        end
        return left .. message_of(right)
    end,
    __index = index,
})

-- Throws the error of `code` with the arguments of its text.
local function raise(code, ...)
    local message, payload = format_code(code, ...)
    last_error = make(code, 'ClientError', message or texts[code], payload)
    error(last_error)
end

-- Throws an error of a type other than ClientError.
local function throw_kind(kind, message)
    last_error = make(0, kind, message)
    error(last_error)
end

-- An error of the system, by its number.
local function make_system(message, number)
    local object = make(0, 'SystemError', message)
    details[object].errno = number
    return object
end

-- The error object of whatever `pcall` caught: what is none yet becomes a LuajitError.
local function wrap(value)
    if is_error(value) then
        return value
    end
    return make(0, 'LuajitError', text_of(value))
end

-- For modules that can do without `box`: an object of a type with the text of any value; what is an
-- error object already stays one.
package.loaded['internal.box_error'] = function(kind, value)
    if is_error(value) then
        return value
    end
    return make(0, kind, text_of(value))
end

-- Throws the error that an FFI function has left.
local function raise_pending()
    local object = native.take_error()
    if object == nil then
        error('an FFI function failed without leaving an error', 2)
    end
    last_error = object
    error(object)
end

local functions = {}

function functions.new(...)
    local object = from_arguments(...)
    if not object then
        error('Usage: box.error.new(code, args) or box.error.new(type, args)', 2)
    end
    return object
end

function functions.last(...)
    if select('#', ...) > 0 then
        error('box.error.last(): bad arguments', 2)
    end
    return last_error
end

function functions.clear(...)
    if select('#', ...) > 0 then
        error('box.error.clear(): bad arguments', 2)
    end
    last_error = nil
end

function functions.set(...)
    local object = ...
    if select('#', ...) == 0 then
        error('Usage: box.error.set(error)', 2)
    elseif not is_error(object) then
        error(('Invalid argument #1 (error expected, got %s)'):format(type(object)), 2)
    end
    last_error = object
end

-- Errors on purpose are a matter of debug builds: none is known.
local function no_injection(name)
    return ("error: can't find error injection '%s'"):format(tostring(name))
end

functions.injection = {
    set = no_injection,
    get = no_injection,
    info = function() return {} end,
}

functions.is = is_error

local function throw(_, ...)
    if select('#', ...) == 0 then
        if last_error == nil then
            return
        end
        error(last_error)
    end
    local object = from_arguments(...)
    if not object then
        error('box.error(): bad arguments', 2)
    end
    last_error = object
    error(object)
end

box.error = setmetatable({}, {
    __call = throw,
    __index = function(_, name)
        return functions[name] or codes[name]
    end,
    __pairs = function()
        local all = {}
        for name, code in pairs(codes) do
            all[name] = code
        end
        for name, member in pairs(functions) do
            all[name] = member
        end
        return next, all, nil
    end,
})

-- The details of an error, and an error of details.
local function restore(detail)
    local object = ffi.new(error_t)
    details[object] = detail
    return object
end

return {
    detail_of = function(object) return details[object] end,
    restore = restore,
    -- The MsgPack extension that an error is encoded as.
    pack = function(object) return require('lycosa.error_msgpack').pack(object) end,
    type_id = tonumber(error_t),
    made = function() return made end,
    codes = codes,
    names = names,
    texts = texts,
    fields = fields,
    is = is_error,
    make = make_native,
    make_system = make_system,
    new = functions.new,
    throw_kind = throw_kind,
    raise = raise,
    raise_pending = raise_pending,
    wrap = wrap,
}
