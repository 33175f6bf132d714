-- `box.schema.func` and `box.func`. The rows of `_func` are what there is: a statement on them makes
-- or drops the objects in `box.func`, and a rollback makes them anew from the rows that are left.

local native = ...
local checks = require('lycosa.schema_checks')
local database = require('lycosa.database')
local errors = require('lycosa.error')
local hooks = require('lycosa.hooks')
local mirror = require('lycosa.schema')
local tuples = require('lycosa.tuple')

local api = database.api

-- Number of the space `_func`.
local FUNC_ID = 296
local ADMIN_ID = 1

-- What the functions of a sandbox see.
local SANDBOX = {
    'assert', 'error', 'ipairs', 'math', 'next', 'pairs', 'pcall', 'print', 'select', 'string',
    'table', 'tonumber', 'tostring', 'type', 'unpack', 'xpcall', 'utf8',
}

local function new_sandbox()
    local sandbox = {}
    for _, name in ipairs(SANDBOX) do
        local value = rawget(_G, name)
        if type(value) == 'table' then
            local copy = {}
            for key, member in next, value do
                copy[key] = member
            end
            value = copy
        end
        sandbox[name] = value
    end
    return sandbox
end

-- The function that a body defines. The body itself is run where there is nothing to call.
local function compile(definition)
    local name = definition.name
    local chunk, message = loadstring('return ' .. definition.body)
    local ok, callable = chunk ~= nil, message
    if ok then
        ok, callable = pcall(setfenv(chunk, {}))
    end
    if not ok then
        box.error(box.error.LOAD_FUNCTION, name, tostring(callable))
    elseif type(callable) ~= 'function' then
        box.error(box.error.LOAD_FUNCTION, name, "given body doesn't define a function")
    end
    return setfenv(callable, definition.is_sandboxed and new_sandbox() or _G)
end

-- The function that a name such as `a.b` or `a:method` stands for at this moment, and the object
-- that is its first argument, if there is one.
local function find_global(name)
    local path, method = name:match('^(.-):(.*)$')
    local value = _G
    for part in (path or name):gmatch('[^.]+') do
        local kind = type(value)
        value = (kind == 'table' or kind == 'userdata') and value[part] or nil
    end
    local object
    if method ~= nil then
        object = value
        value = object ~= nil and object[method] or nil
    end
    local metatable = debug.getmetatable(value)
    if type(value) ~= 'function' and (metatable == nil or metatable.__call == nil) then
        box.error(box.error.NO_SUCH_PROC, name)
    end
    return value, object
end

local LANGUAGES = {LUA = true, C = true, SQL_EXPR = true, SQL_BUILTIN = true}
local TYPES = {
    any = true, unsigned = true, string = true, number = true, double = true, integer = true,
    boolean = true, varbinary = true, scalar = true, decimal = true, uuid = true, array = true,
    map = true, datetime = true, interval = true,
}
local EXPORTS = {LUA = true, SQL = true}
local OPTIONS = {is_multikey = true, takes_raw_args = true}

local function refuse(name, reason)
    box.error(box.error.CREATE_FUNCTION, name, reason)
end

-- Fails when a definition makes no sense.
local function check(definition)
    local name, language = definition.name, definition.language
    if not LANGUAGES[language] then
        box.error(box.error.FUNCTION_LANGUAGE, language, name)
    elseif name == '' or name:find('%c') then
        box.error(box.error.IDENTIFIER, name)
    elseif not TYPES[definition.returns:lower()] then
        refuse(name, 'invalid returns value')
    end
    for _, kind in ipairs(definition.param_list) do
        if type(kind) ~= 'string' or not TYPES[kind:lower()] then
            refuse(name, 'invalid argument type')
        end
    end
    for _, export in ipairs(definition.exports) do
        if type(export) ~= 'string' or not EXPORTS[export:upper()] then
            refuse(name, 'invalid exports value')
        end
    end
    for option in pairs(definition.opts) do
        if not OPTIONS[option] then
            box.error(box.error.WRONG_FUNCTION_OPTIONS, ("unexpected option '%s'"):format(tostring(option)))
        end
    end
    if language == 'C' and (definition.body ~= nil or definition.is_sandboxed) then
        refuse(name, 'body and is_sandboxed options are not compatible with C language')
    elseif language == 'C' and definition.opts.takes_raw_args then
        refuse(name, 'takes_raw_args option is not compatible with C language')
    elseif language == 'LUA' and definition.is_sandboxed and definition.body == nil then
        refuse(name, 'is_sandboxed option may be set only for a persistent Lua function '
            .. '(one with a non-empty body)')
    elseif language:find('^SQL') then
        box.error(box.error.UNSUPPORTED, 'Lycosa', ('functions in %s'):format(language))
    end
end

-- A row of `_func` by names.
local function definition_of(row)
    local body = row[6] ~= '' and row[6] or nil
    return {
        id = row[1], name = row[3], setuid = row[4] == 1, language = row[5], body = body,
        param_list = row[8] or {}, returns = row[9] or 'any', aggregate = row[10],
        is_deterministic = row[12], is_sandboxed = row[13], exports = row[15] or {},
        opts = row[16] or {}, comment = row[17] ~= '' and row[17] or nil,
    }
end

-- What a function does with its arguments, by its object.
local bodies = setmetatable({}, {__mode = 'k'})

local methods = {}
local metatable = {__index = methods}

local functions = api.func

local function resolve(object, method)
    if type(object) ~= 'table' then
        error(('Use func:%s(...) instead of func.%s(...)'):format(method, method), 3)
    elseif functions[object.id] ~= object then
        box.error(box.error.NO_SUCH_FUNCTION, tostring(object.name))
    end
    return bodies[object]
end

local function finish_call(ok, ...)
    if ok then
        return ...
    end
    local failure = errors.wrap((...))
    box.error.set(failure)
    error(failure, 0)
end

-- Calls the function of a definition with a list of arguments.
local function call(body, arguments)
    local definition, callable, object = body.definition, body.callable, nil
    if definition.language ~= 'LUA' then
        box.error(box.error.UNSUPPORTED, 'Lycosa', 'functions in C')
    elseif callable == nil then
        callable, object = find_global(definition.name)
    end
    if definition.opts.takes_raw_args then
        arguments = {require('msgpack').object(arguments)}
    end
    local count = table.maxn(arguments)
    if object ~= nil then
        return finish_call(pcall(callable, object, unpack(arguments, 1, count)))
    end
    return finish_call(pcall(callable, unpack(arguments, 1, count)))
end

function methods.call(object, arguments)
    local body = resolve(object, 'call')
    if arguments ~= nil and type(arguments) ~= 'table' then
        error('Use func:call(table)', 2)
    end
    return call(body, arguments or {})
end

function methods.drop(object, options)
    resolve(object, 'drop')
    return api.schema.func.drop(object.name, options)
end

local function add(definition)
    local exports = {lua = false, sql = false}
    for _, export in ipairs(definition.exports) do
        exports[export:lower()] = true
    end
    local object = setmetatable({
        id = definition.id, name = definition.name, setuid = definition.setuid,
        language = definition.language, body = definition.body, returns = definition.returns,
        aggregate = definition.aggregate, is_deterministic = definition.is_deterministic,
        is_multikey = definition.opts.is_multikey == true,
        takes_raw_args = definition.opts.takes_raw_args == true,
        exports = exports, comment = definition.comment,
    }, metatable)
    local callable
    if definition.language == 'LUA' and definition.body ~= nil then
        object.is_sandboxed = definition.is_sandboxed
        callable = compile(definition)
    end
    bodies[object] = {definition = definition, callable = callable}
    functions[object.id], functions[object.name] = object, object
end

local function remove(id)
    local object = functions[id]
    if object ~= nil then
        functions[object.id], functions[object.name] = nil, nil
    end
end

-- Makes `box.func` show what the rows say; objects of rows that are still there stay.
local function reload()
    local rows = api.space._func
    if rows == nil then
        return
    end
    local known = {}
    for _, row in rows:pairs() do
        known[row[1]] = row
    end
    for key, object in pairs(functions) do
        if type(key) == 'number' and (known[key] == nil or known[key][3] ~= object.name) then
            remove(key)
        end
    end
    for id, row in pairs(known) do
        if functions[id] == nil then
            add(definition_of(row))
        end
    end
end

-- What uses a function, so that it must stay; nil for nothing.
local function user_of(id)
    for _, rules in pairs(hooks.rules) do
        if rules.functions ~= nil and rules.functions[id] ~= nil then
            return rules.functions[id]
        end
    end
end

-- Statements on the rows.
local row_rules = hooks.rules[FUNC_ID]

row_rules.has_constraints = true

function row_rules.check(bytes)
    local definition = definition_of(tuples.from_string(bytes, 0))
    check(definition)
    if definition.body ~= nil then
        compile(definition)
    end
end

function row_rules.changed(old, new)
    if old and new then
        box.error(box.error.UNSUPPORTED, 'function', 'alter')
    elseif new then
        add(definition_of(tuples.from_string(new, 0)))
    else
        local id = tuples.from_string(old, 0)[1]
        local user = user_of(id)
        if user ~= nil then
            box.error(box.error.DROP_FUNCTION, id, ('function is referenced by %s'):format(user))
        end
        native.remove_grants('function', id)
        remove(id)
    end
end

local CREATE_OPTIONS = {
    setuid = 'boolean', if_not_exists = 'boolean', language = 'string', body = 'string',
    is_deterministic = 'boolean', is_sandboxed = 'boolean', is_multikey = 'boolean',
    aggregate = 'string', takes_raw_args = 'boolean', comment = 'string', param_list = 'table',
    returns = 'string', exports = 'table', opts = 'table', trigger = 'string, table',
}

local function_schema = mirror.schema.func

local function options_map(options)
    local opts = {}
    for name, value in pairs(options.opts or {}) do
        opts[name] = value
    end
    opts.is_multikey = options.is_multikey or opts.is_multikey
    opts.takes_raw_args = options.takes_raw_args or opts.takes_raw_args
    return setmetatable(opts, {__serialize = 'map'})
end

function function_schema.create(name, options)
    checks.parameter(name, 'name', 'string')
    options = checks.options(options, CREATE_OPTIONS)
    if functions[name] ~= nil then
        if options.if_not_exists then
            return
        end
        box.error(box.error.FUNCTION_EXISTS, name)
    elseif options.trigger ~= nil then
        box.error(box.error.UNSUPPORTED, 'Lycosa', "function option 'trigger'")
    end
    local list = {__serialize = 'seq'}
    local parameters = setmetatable(options.param_list or {}, list)
    local exports = setmetatable(options.exports or {'LUA'}, list)
    local now = os.date('%Y-%m-%d %H:%M:%S')
    api.space._func:auto_increment({ADMIN_ID, name, options.setuid and 1 or 0,
        (options.language or 'LUA'):upper(), options.body or '', 'function', parameters,
        options.returns or 'any', options.aggregate or 'none', 'none',
        options.is_deterministic == true, options.is_sandboxed == true, true, exports,
        options_map(options), options.comment or '', now, now, setmetatable({}, list)})
end

function function_schema.drop(name, options)
    options = checks.options(options, {if_exists = 'boolean'})
    local object = functions[name]
    if object == nil then
        if options.if_exists then
            return
        end
        box.error(box.error.NO_SUCH_FUNCTION, tostring(name))
    end
    api.space._func:delete(object.id)
end

function function_schema.exists(name)
    return (type(name) == 'string' or type(name) == 'number') and functions[name] ~= nil
end

function function_schema.call()
    box.error(box.error.UNSUPPORTED, 'Lycosa', 'box.schema.func.call()')
end

function function_schema.reload()
    box.error(box.error.UNSUPPORTED, 'Lycosa', 'functions in C')
end

mirror.on_functions_changed(reload)
reload()

return {
    -- The object of a name or number.
    find = function(name) return functions[name] end,
    call = function(id, ...) return call(bodies[functions[id]], {...}) end,
}
