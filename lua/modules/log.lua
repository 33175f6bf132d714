-- The module `log`. A line is `time [process] main/id/fiber script:line LEVEL> message`, the script
-- and the line only from warnings up, or one JSON object. It goes to standard error, a file or a
-- command, in one write that blocks the thread. A message below the level costs a comparison.

local native = ...
local clock = require('clock')
local json = require('json').new()

json.cfg{encode_invalid_numbers = true, encode_load_metatables = true, encode_use_tostring = true,
    encode_invalid_as_nil = true}

local LEVELS = {
    fatal = 0, syserror = 1, error = 2, crit = 3, warn = 4, info = 5, verbose = 6, debug = 7,
}
local LETTERS = {[0] = 'F', [1] = '!', [2] = 'E', [3] = 'C', [4] = 'W', [5] = 'I', [6] = 'V', [7] = 'D'}
local NAMES = {[0] = 'FATAL', [1] = 'SYSERROR', [2] = 'ERROR', [3] = 'CRIT', [4] = 'WARN',
    [5] = 'INFO', [6] = 'VERBOSE', [7] = 'DEBUG'}

local TYPES = {
    log = 'string', nonblock = 'boolean', level = 'number, string', modules = 'table', format = 'string',
}
local DEFAULTS = {level = LEVELS.info, format = 'plain'}

local config = {level = DEFAULTS.level, format = DEFAULTS.format}
local threshold, is_opened = config.level, false

local function to_standard_error(line)
    io.stderr:write(line)
end

-- What others give: who runs, where a line goes, and who wants to know of a changed option.
local hooks = {
    fiber = function() return 101, 'main' end,
    write = to_standard_error,
    changed = function() end,
}

--- Options.

local function refuse(name, reason)
    box.error(box.error.CFG, name, reason)
end

local function check_type(name, expected, value)
    if (', ' .. expected .. ','):find(', ' .. type(value) .. ',', 1, true) == nil then
        refuse(name, (expected:find(',') and 'should be one of types ' or 'should be of type ') .. expected)
    end
end

local function level_number(name, level)
    check_type(name, TYPES.level, level)
    if type(level) == 'string' then
        local number = LEVELS[level]
        if number == nil then
            refuse(name, 'expected crit,warn,info,debug,syserror,verbose,fatal,error')
        end
        return number
    end
    return level
end

local function check_modules(modules)
    for name, level in pairs(modules) do
        if type(name) ~= 'string' then
            refuse('module name', 'should be of type string')
        end
        level_number('log_modules.' .. name, level)
    end
end

-- Checks options that are complete: as they would be.
local function check(wanted)
    level_number('log_level', wanted.level)
    if wanted.modules ~= nil then
        check_modules(wanted.modules)
    end
    if wanted.format ~= 'plain' and wanted.format ~= 'json' then
        refuse('log_format', "expected 'plain' or 'json'")
    end
    if is_opened then
        if wanted.log ~= config.log then
            box.error(box.error.RELOAD_CFG, 'log')
        elseif wanted.nonblock ~= config.nonblock then
            box.error(box.error.RELOAD_CFG, 'log_nonblock')
        end
    end
    if wanted.log ~= nil and wanted.log:find('^syslog:') then
        box.error(box.error.UNSUPPORTED, 'Lycosa', "log = 'syslog:...'")
    end
end

--- Where lines go.

local stream

local function open(target)
    local command = target:match('^|%s*(.*)$')
    local path = target:match('^file:(.*)$') or target
    local opened, reason
    if command ~= nil then
        opened, reason = io.popen(command, 'w')
    else
        opened, reason = io.open(path, 'a')
    end
    if opened == nil then
        refuse('log', ('cannot be opened: %s'):format(tostring(reason)))
    end
    return opened
end

local function write_to_stream(line)
    stream:write(line)
    stream:flush()
end

-- Takes over options that were checked.
local function apply(wanted)
    if wanted.log ~= nil and stream == nil then
        stream = open(wanted.log)
        hooks.write = write_to_stream
    end
    is_opened = true
    for name in next, TYPES do
        if config[name] ~= wanted[name] then
            config[name] = wanted[name]
            hooks.changed(name, wanted[name])
        end
    end
    local level = config.modules ~= nil and config.modules.tarantool or config.level
    threshold = level_number('log_level', level)
end

local function copy(options)
    local result = {}
    for name in next, TYPES do
        result[name] = options[name]
    end
    return result
end

-- The present options with those of `options` over them; null and '' stand for the default.
local function merge(options)
    if type(options) ~= 'table' then
        error('Error: cfg should be a table', 3)
    end
    local wanted = copy(config)
    for name, value in pairs(options) do
        if TYPES[name] == nil then
            refuse(tostring(name), 'unexpected option')
        elseif value == nil or value == '' then
            wanted[name] = DEFAULTS[name]
        else
            check_type(name, TYPES[name], value)
            wanted[name] = value
        end
    end
    return wanted
end

--- Lines.

local function text_of(message, ...)
    if select('#', ...) > 0 then
        local ok, text = pcall(string.format, message, ...)
        if not ok then
            error(text, 4)
        end
        return text
    elseif type(message) == 'table' then
        return json.encode(message)
    end
    return tostring(message)
end

-- The script and the line that called the logger.
local function caller()
    for depth = 3, 20 do
        local frame = debug.getinfo(depth, 'Sl')
        if frame == nil then
            return nil
        elseif frame.currentline > 0 and not frame.source:find('^[@=]lycosa/') then
            return frame.short_src:match('[^/]*$'), frame.currentline
        end
    end
end

local function seconds_and_milliseconds()
    local now = clock.realtime()
    local seconds = math.floor(now)
    return seconds, math.floor((now - seconds) * 1000)
end

local function plain_line(level, name, text, file, line)
    local seconds, milliseconds = seconds_and_milliseconds()
    local id, fiber_name = hooks.fiber()
    return ('%s.%03d [%d] main/%d/%s%s%s %s> %s\n'):format(os.date('%Y-%m-%d %H:%M:%S', seconds),
        milliseconds, native.process_id, id, fiber_name, name and '/' .. name or '',
        level <= LEVELS.warn and file ~= nil and (' %s:%d'):format(file, line) or '',
        LETTERS[level], text)
end

-- What the logger itself says of a line: a message that is a table cannot say otherwise.
local OWN_KEYS = {file = true, level = true, pid = true, line = true, cord_name = true,
    fiber_name = true, fiber_id = true, error_msg = true, time = true, module = true}

-- The rest of the object, for a message that is a table.
local function fields_of(message)
    local metatable = getmetatable(message)
    local fields = message
    if type(metatable) == 'table' and type(metatable.__serialize) == 'function' then
        fields = metatable.__serialize(message)
        if type(fields) ~= 'table' then
            return {message = tostring(fields)}
        end
    end
    local result = {}
    for key, value in pairs(fields) do
        if not OWN_KEYS[key] then
            result[key] = value
        end
    end
    if next(result) == nil then
        result.message = ''
    elseif result.message == nil then
        result.message, result[1] = result[1], nil
    end
    return setmetatable(result, json.map_mt)
end

-- `fields` are the message and what a table says beside it, as the inside of a JSON object.
local function json_line(level, name, fields, file, line)
    local seconds, milliseconds = seconds_and_milliseconds()
    local id, fiber_name = hooks.fiber()
    local parts = {
        ('"time": "%s.%03d%s"'):format(os.date('%Y-%m-%dT%H:%M:%S', seconds), milliseconds,
            os.date('%z', seconds)),
        ('"level": "%s"'):format(NAMES[level]),
        fields,
        ('"pid": %d'):format(native.process_id),
        '"cord_name": "main"',
        ('"fiber_id": %d'):format(id),
        '"fiber_name": ' .. json.encode(fiber_name),
    }
    if file ~= nil then
        parts[#parts + 1] = ('"file": %s, "line": %d'):format(json.encode(file), line)
    end
    if name ~= nil then
        parts[#parts + 1] = '"module": ' .. json.encode(name)
    end
    return '{' .. table.concat(parts, ', ') .. '}\n'
end

-- The least urgent level that a logger says; `log_modules` may set one of its own.
local function limit_of(name)
    local modules = config.modules
    if name ~= nil and modules ~= nil and modules[name] ~= nil then
        return level_number('log_modules.' .. name, modules[name])
    end
    return threshold
end

local function add_methods(log, name)
    local function say(level, message, ...)
        local limit = name ~= nil and limit_of(name) or threshold
        if level > limit then
            return
        end
        local file, line = caller()
        if config.format ~= 'json' then
            hooks.write(plain_line(level, name, text_of(message, ...), file, line))
        elseif type(message) == 'table' and select('#', ...) == 0 then
            local fields = json.encode(fields_of(message)):sub(2, -2)
            hooks.write(json_line(level, name, fields, file, line))
        else
            local fields = '"message": ' .. json.encode(text_of(message, ...))
            hooks.write(json_line(level, name, fields, file, line))
        end
    end
    for _, method in next, {'error', 'crit', 'warn', 'info', 'verbose', 'debug'} do
        local level = LEVELS[method]
        log[method] = function(...) say(level, ...) end
    end
    return log
end

local public = add_methods({})

-- Sets the level when there is one, and else returns it.
function public.level(level)
    if level == nil then
        return config.level
    end
    local wanted = copy(config)
    wanted.level = level
    level_number('level', level)
    apply(wanted)
end

function public.log_format(format)
    check_type('format', TYPES.format, format)
    local wanted = copy(config)
    wanted.format = format
    check(wanted)
    apply(wanted)
end

public.cfg = setmetatable({}, {
    __index = config,
    __newindex = function() error('Attempt to modify a read-only table', 2) end,
    __pairs = function() return pairs(config) end,
    __serialize = function() return config end,
    __call = function(_, options)
        local wanted = merge(options == nil and {} or options)
        check(wanted)
        apply(wanted)
    end,
})

local loggers = {}

-- Answers with the same logger for the same name.
function public.new(name)
    if type(name) ~= 'string' then
        box.error(box.error.ILLEGAL_PARAMS, 'name should be a string')
    end
    if loggers[name] == nil then
        local logger = {name = name}
        for key, value in next, public do
            logger[key] = value
        end
        loggers[name] = add_methods(logger, name)
    end
    return loggers[name]
end

-- Opens the file anew, after it was renamed.
function public.rotate()
    if stream ~= nil and not config.log:find('^|') then
        local opened = open(config.log)
        stream:close()
        stream = opened
    end
end

-- The process that lines are piped into; the C library does not tell it.
function public.pid()
    return 0
end

-- What box.cfg does with the options that begin with `log`.
local function check_box_options(options)
    check(copy(options))
end

local function apply_box_options(options)
    apply(copy(options))
end

return {
    public = public,
    hooks = hooks,
    config = config,
    check = check_box_options,
    apply = apply_box_options,
}
