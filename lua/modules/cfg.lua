-- `box.cfg`: checks the options, applies those that have an effect, and opens `box`. Before its first
-- call the rest of `box` only says that it must be called.
--
-- An option is checked before any is applied, so that a call that fails changes nothing. What the
-- options are stands in `box/options.lua`.

local native = ...
local database = require('lycosa.database')
local json = require('json')
local log_module = require('lycosa.log')
local clock = require('clock')
local compilation = require('lycosa.compilation')
local events = require('lycosa.events')
local schema = require('lycosa.schema')
local log = log_module.public

local api, started = database.api, clock.monotonic()
local OPTIONS = require('lycosa.box_options')

local values, is_configured = {}, false

-- Called with the new value after an option has changed, and after the first box.cfg.
local listeners = {}

local function on_change(name, callback)
    local list = listeners[name] or {}
    list[#list + 1] = callback
    listeners[name] = list
end

-- Called once, when `box` has opened.
local configured_listeners = {}

local function on_configured(callback)
    configured_listeners[#configured_listeners + 1] = callback
end

--- What the instance says of itself.

local uuids = {}

-- What the configuration says, or else a UUID that stays the same from now on.
local function uuid_of(option)
    if values[option] ~= nil then
        return values[option]
    end
    uuids[option] = uuids[option] or native.random_uuid()
    return uuids[option]
end

local function is_read_only()
    return values.read_only == true
end

local function wrong(name, reason)
    box.error(box.error.CFG, name, reason)
end

--- What a call asks for.

local function check_type(name, expected, value)
    if not (', ' .. expected .. ','):find(', ' .. type(value) .. ',', 1, true) then
        wrong(name, (expected:find(',') and 'should be one of types ' or 'should be of type ') .. expected)
    end
end

local function is_same(left, right)
    if type(left) ~= 'table' or type(right) ~= 'table' then
        return left == right
    end
    for key, value in pairs(left) do
        if not is_same(value, right[key]) then
            return false
        end
    end
    for key in pairs(right) do
        if left[key] == nil then
            return false
        end
    end
    return true
end

-- The options under their present names.
local function with_present_names(options)
    local result = {}
    for name, value in pairs(options) do
        local present = require('lycosa.box_option_checks').old_names[name]
        if present == nil then
            result[name] = value
        else
            local new_name, translate, expected = present[1], present[2], present[3]
            log.warn('Deprecated option %s, please use %s instead', name, new_name)
            if translate ~= nil then
                check_type(name, expected, value)
                value = translate(value)
            end
            if options[new_name] ~= nil and options[new_name] ~= value then
                wrong(name, 'can not override a value for a deprecated option')
            end
            result[new_name] = value
        end
    end
    return result
end

local function check_value(name, value)
    local option = OPTIONS[name]
    check_type(name, option[1], value)
    local check = require('lycosa.box_option_checks').checks[name]
    local reason = check ~= nil and check(value)
    if reason then
        wrong(name, reason)
    end
end

-- The checked options; null and '' stand for the default, which may be nothing. The second result
-- has the names, as a value may be nothing.
local function prepare(options)
    local wanted, names = {}, {}
    for name, value in pairs(with_present_names(options)) do
        if OPTIONS[name] == nil then
            wrong(tostring(name), 'unexpected option')
        elseif value == nil or value == '' then
            value = OPTIONS[name][2]
        else
            check_value(name, value)
            if name == 'replication' and type(value) ~= 'table' then
                value = {value}
            end
        end
        wanted[name], names[#names + 1] = value, name
    end
    table.sort(names)
    return wanted, names
end

local function log_options(source)
    return {log = source.log, level = source.log_level, modules = source.log_modules,
        format = source.log_format, nonblock = source.log_nonblock}
end

-- No options are none.
local function check_options(options)
    if options == nil then
        return {}
    elseif type(options) ~= 'table' then
        error('Error: cfg should be a table', 3)
    end
    return options
end

--- The environment: TT_<OPTION> sets what the first call leaves out.

local function value_of_text(name, text)
    local expected = OPTIONS[name][1]
    local function refuse(what)
        error(('Environment variable TT_%s has incorrect value for option "%s": should be %s')
            :format(name:upper(), name, what), 0)
    end
    if expected:find('table') and text:find(',') then
        local list = {}
        for item in text:gmatch('[^,]+') do
            list[#list + 1] = tonumber(item) or item
        end
        return list
    elseif expected == 'boolean' then
        local flag = text:lower()
        if flag ~= 'true' and flag ~= 'false' then
            refuse('"true" or "false"')
        end
        return flag == 'true'
    elseif expected == 'number' then
        return tonumber(text) or refuse('convertible to a number')
    elseif expected:find('number') then
        return tonumber(text) or text
    end
    return text
end

local function with_environment(options, is_set)
    local result = {}
    for name in pairs(OPTIONS) do
        local text = os.getenv('TT_' .. name:upper())
        if text ~= nil and text ~= '' and not is_set[name] then
            result[name] = value_of_text(name, text)
        end
    end
    for name, value in pairs(options) do
        result[name] = value
    end
    return result
end

--- What options do.

local told = {}

local function tell_that_idle(name, value)
    local option = OPTIONS[name]
    if option.idle ~= nil and not told[name] and value ~= nil and not is_same(value, option[2]) then
        told[name] = true
        log.warn("the option '%s' has no effect: %s", name, option.idle)
    end
end

local APPLY = {
    memtx_memory = native.set_memory_limit,
    memtx_max_tuple_size = native.set_max_tuple_bytes,
    read_only = native.set_read_only,
}

function APPLY.wal_mode(mode)
    if mode ~= 'none' then
        log.warn("wal_mode '%s' has no effect: nothing is written to disk", mode)
    end
end

function APPLY.work_dir(path)
    local reason = path ~= nil and native.change_directory(path)
    if reason then
        wrong('work_dir', ("can't change the directory to '%s': %s"):format(path, reason))
    end
end

function APPLY.pid_file(path)
    if path == nil then
        return
    end
    local file, reason = io.open(path, 'w')
    if file == nil then
        wrong('pid_file', ("can't be written: %s"):format(reason))
    end
    file:write(native.pid, '\n')
    file:close()
end

local function apply(name, value)
    if APPLY[name] ~= nil then
        APPLY[name](value)
    end
    tell_that_idle(name, value)
    values[name] = value
end

local function notify(name)
    for _, callback in ipairs(listeners[name] or {}) do
        callback(values[name])
    end
end

local function say_changed(name)
    log.info("set '%s' configuration option to %s", name, json.encode(values[name]))
end

--- The calls.

local function check_change(name, value)
    if not OPTIONS[name].dynamic then
        box.error(box.error.RELOAD_CFG, name)
    elseif name == 'memtx_memory' and value < values.memtx_memory then
        wrong(name, 'cannot decrease memory size at runtime')
    elseif name == 'instance_uuid' and value ~= uuid_of('instance_uuid')
        or name == 'replicaset_uuid' and value ~= uuid_of('replicaset_uuid') then
        box.error(box.error.RELOAD_CFG, name)
    end
end

local is_log_option = {log = true, log_level = true, log_modules = true, log_format = true,
    log_nonblock = true}

local function reconfigure(options)
    local wanted, names = prepare(options)
    local changed, changes_log = {}, false
    for _, name in ipairs(names) do
        if not is_same(values[name], wanted[name]) then
            changed[#changed + 1] = name
            changes_log = changes_log or is_log_option[name]
            if not is_log_option[name] then
                check_change(name, wanted[name])
            end
        end
    end
    if changes_log then
        local after = {}
        for name in pairs(is_log_option) do
            after[name] = values[name]
        end
        for _, name in ipairs(changed) do
            after[name] = wanted[name]
        end
        log_module.check(log_options(after))
        log_module.apply(log_options(after))
    end
    for _, name in ipairs(changed) do
        apply(name, wanted[name])
        say_changed(name)
        notify(name)
    end
    if type(box.on_reload_configuration) == 'function' then
        box.on_reload_configuration()
    end
end

local cfg_table = setmetatable({}, {
    __index = values,
    __newindex = function() error('Attempt to modify a read-only table', 2) end,
    __call = function(_, options) reconfigure(check_options(options)) end,
    __pairs = function() return pairs(values) end,
    __serialize = function() return values end,
})

-- What `log.cfg` has set already counts as set.
local set_by_log = {}

log_module.hooks.changed = function(option, value)
    local name = option == 'log' and 'log' or 'log_' .. option
    if is_configured then
        values[name] = value
    else
        set_by_log[name] = true
    end
end

local function initial_values(options)
    local wanted = prepare(with_environment(options, set_by_log))
    for name, option in pairs(OPTIONS) do
        if wanted[name] == nil then
            wanted[name] = option[2]
        end
    end
    for name in pairs(set_by_log) do
        local option = name == 'log' and 'log' or name:sub(#'log_' + 1)
        if options[name] == nil then
            wanted[name] = log_module.config[option]
        end
    end
    return wanted
end

local function option_names()
    local names = {}
    for name in pairs(OPTIONS) do
        names[#names + 1] = name
    end
    table.sort(names)
    return names
end

local LATE_OR_EARLY = {work_dir = true, pid_file = true, read_only = true}

-- What may fail comes first: where files are, then where lines go. Read-only is the last, as the
-- schema is still to be made.
local function apply_initial(wanted, names)
    apply('work_dir', wanted.work_dir)
    apply('pid_file', wanted.pid_file)
    log_module.apply(log_options(wanted))
    for _, name in ipairs(names) do
        if not LATE_OR_EARLY[name] then
            apply(name, wanted[name])
        end
    end
    schema.bootstrap(uuid_of('instance_uuid'), uuid_of('replicaset_uuid'))
    apply('read_only', wanted.read_only)
end

local function open_box()
    setmetatable(box, nil)
    for name, value in pairs(api) do
        box[name] = value
    end
    box.cfg = cfg_table
end

local function configure_first(options)
    local wanted, names = initial_values(options), option_names()
    log_module.check(log_options(wanted))
    apply_initial(wanted, names)
    is_configured = true
    open_box()
    for _, name in ipairs(names) do
        if not is_same(values[name], OPTIONS[name][2]) then
            say_changed(name)
        end
        notify(name)
    end
end

local function rethrow(is_jit_on, ok, ...)
    if is_jit_on then
        compilation.resume()
    end
    if not ok then
        error((...), 0)
    end
end

local function configure(options)
    options = check_options(options)
    if is_configured then
        return reconfigure(options)
    end
    -- What runs once is not worth compiling.
    local is_jit_on = jit.status()
    compilation.pause()
    rethrow(is_jit_on, pcall(configure_first, options))
    for _, callback in ipairs(configured_listeners) do
        callback()
    end
    for _, callable in ipairs(events.list_of('box.ctl.on_schema_init'):functions()) do
        callable()
    end
end

box.cfg = configure

setmetatable(box, {
    __index = function(_, name)
        if api[name] ~= nil then
            box.error(box.error.UNCONFIGURED)
        end
    end,
})

return {
    is_configured = function() return is_configured end,
    is_read_only = is_read_only,
    status = function() return is_configured and 'running' or 'unconfigured' end,
    started = started,
    uuid_of = uuid_of,
    values = values,
    on_change = on_change,
    on_configured = on_configured,
}
