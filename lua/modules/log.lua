-- The module `log`. A line is `time [process] fiber script:line LEVEL> message`, the script and the
-- line only from warnings up; it goes to standard error in one write.

local native = ...
local clock = require('clock')
local json = require('json')

local LEVELS = {
    fatal = 0, syserror = 1, error = 2, crit = 3, warn = 4, info = 5, verbose = 6, debug = 7,
}
local LETTERS = {[0] = 'F', [1] = '!', [2] = 'E', [3] = 'C', [4] = 'W', [5] = 'I', [6] = 'V', [7] = 'D'}

local config = {level = LEVELS.info, format = 'plain'}

-- Hooks: the name in the line, and where a line goes.
local hooks = {
    fiber_name = function() return 'main' end,
    write = function(line) io.stderr:write(line) end,
}

local function level_number(level)
    if type(level) == 'number' and LETTERS[level] then
        return level
    elseif type(level) == 'string' and LEVELS[level] then
        return LEVELS[level]
    end
    error(("Incorrect value for option 'log_level': %s is neither a number from 0 to 7 nor one of " ..
        "'fatal', 'syserror', 'error', 'crit', 'warn', 'info', 'verbose', 'debug'")
        :format(tostring(level)), 3)
end

local function timestamp()
    local now = clock.realtime()
    local seconds = math.floor(now)
    return ('%s.%03d'):format(os.date('%Y-%m-%d %H:%M:%S', seconds), (now - seconds) * 1000)
end

local function text_of(message, ...)
    if type(message) == 'table' then
        return json.encode(message)
    elseif type(message) == 'string' and select('#', ...) > 0 then
        local ok, text = pcall(string.format, message, ...)
        if not ok then
            error(("log: the arguments do not fit the format '%s'"):format(message), 4)
        end
        return text
    end
    return tostring(message)
end

local function caller()
    for depth = 3, 20 do
        local frame = debug.getinfo(depth, 'Sl')
        if frame == nil then
            return ''
        elseif frame.currentline > 0 and not frame.source:find('^[@=]lycosa/') then
            return (' %s:%d'):format(frame.short_src:match('[^/]*$'), frame.currentline)
        end
    end
    return ''
end

local function new_logger(name)
    local log = {}
    local suffix = name and '/' .. name or ''
    local function say(level, ...)
        if level > config.level then
            return
        end
        local place = level <= LEVELS.warn and caller() or ''
        hooks.write(('%s [%d] %s%s%s %s> %s\n'):format(timestamp(), native.process_id,
            hooks.fiber_name(), suffix, place, LETTERS[level], text_of(...)))
    end
    for _, method in next, {'error', 'crit', 'warn', 'info', 'verbose', 'debug'} do
        local level = LEVELS[method]
        log[method] = function(...) say(level, ...) end
    end
    return log
end

local public = new_logger()

-- Sets the level when there is one, and else returns it.
function public.level(level)
    if level == nil then
        return config.level
    end
    config.level = level_number(level)
end

public.cfg = setmetatable({}, {
    __index = config,
    __call = function(_, options)
        for name, value in next, options or {} do
            config[name] = name == 'level' and level_number(value) or value
        end
    end,
})

function public.new(name)
    if type(name) ~= 'string' then
        error(('log.new: a name is expected, got %s'):format(type(name)), 2)
    end
    return new_logger(name)
end

function public.pid()
    return native.process_id
end

return {public = public, hooks = hooks}
