-- The module `popen`: child processes. Other fibers run while one waits for a child or its output.

local native = ...
local ffi = require('ffi')
local fiber = require('fiber')
local errno = require('errno')
local failure = require('lycosa.fio_failure')
local wait_for_descriptor = require('lycosa.fiber').wait_for_descriptor

local transfer_t = 'int64_t (*)(int32_t, uint8_t *, size_t, int64_t)'
local ffi_read, ffi_write = ffi.cast(transfer_t, native.read), ffi.cast(transfer_t, native.write)

local READ_SIZE_BYTES = 16384
local READ, WRITE = 1, 2
local STREAMS = {stdin = 0, stdout = 1, stderr = 2}

local popen = {
    opts = {INHERIT = 'inherit', DEVNULL = 'devnull', CLOSE = 'close', PIPE = 'pipe'},
    signal = native.signals,
    state = {ALIVE = 'alive', EXITED = 'exited', SIGNALED = 'signaled'},
    stream = {OPEN = 'open', CLOSED = 'closed'},
}

local signal_names = {}
for name, number in pairs(native.signals) do
    signal_names[number] = name
end

local make_error = package.loaded['internal.box_error']

-- Throws what a call with wrong arguments throws.
local function illegal(message)
    error(make_error('IllegalParams', message), 0)
end

local handle_metatable = {}
local methods = {}
handle_metatable.__index = methods

local function check_handle(handle)
    if getmetatable(handle) ~= handle_metatable then
        illegal('Bad params, use: ph:method(...)')
    elseif handle.process == nil then
        illegal('popen: attempt to operate on a closed handle')
    end
end

--- Options.

local BOOLEANS = {
    shell = false, setsid = false, close_fds = true, restore_signals = true, group_signal = false, keep_child = false,
}

local function wrong_type(what, expected, got, called)
    illegal(('%s: wrong parameter "%s": expected %s, got %s'):format(called or 'popen.new', what, expected, got))
end

local function checked_environment(env)
    if env == nil then
        return nil
    elseif type(env) ~= 'table' then
        wrong_type('opts.env', 'table or nil', type(env))
    end
    local checked = {}
    for name, value in pairs(env) do
        if type(name) ~= 'string' then
            wrong_type('opts.env[<...>]', 'string key', type(name))
        elseif type(value) ~= 'string' then
            wrong_type(('opts.env["%s"]'):format(name), 'string', type(value))
        end
        if not name:find('[=%z]') and name ~= '' and not value:find('%z') then
            checked[name] = value
        end
    end
    return checked
end

local function checked_options(options)
    if options == nil then
        options = {}
    elseif type(options) ~= 'table' then
        wrong_type('opts', 'table or nil', type(options))
    end
    local checked = {}
    for name in pairs(STREAMS) do
        local mode = options[name]
        if mode == nil then
            mode = 'inherit'
        elseif type(mode) ~= 'string' then
            wrong_type('opts.' .. name, 'string or nil', type(mode))
        elseif popen.opts[mode:upper()] ~= mode then
            illegal(('popen.new: unknown option value for "opts.%s": %s'):format(name, mode))
        end
        checked[name] = mode
    end
    for name, default in pairs(BOOLEANS) do
        local value = options[name]
        if value == nil then
            value = default
        elseif type(value) ~= 'boolean' then
            wrong_type('opts.' .. name, 'boolean or nil', type(value))
        end
        checked[name] = value
    end
    if checked.group_signal and not checked.setsid then
        illegal('popen.new: group signal is set, but setsid is not set')
    end
    return checked, checked_environment(options.env)
end

local function checked_arguments(arguments)
    if type(arguments) ~= 'table' then
        wrong_type('argv', 'table', type(arguments))
    end
    local checked = {}
    for position, argument in ipairs(arguments) do
        if type(argument) ~= 'string' or argument:find('%z') then
            wrong_type(('argv[%d]'):format(position), 'string', type(argument))
        end
        checked[position] = argument
    end
    if #checked == 0 then
        illegal('popen.new: argv must be an array-like table without gaps and at least one argument')
    end
    return checked
end

-- The text that `info` shows for a command.
local function command_text(arguments)
    local parts = {}
    for position, argument in ipairs(arguments) do
        parts[position] = argument:find('[^%w%-_./=:]') and ("'%s'"):format(argument) or argument
    end
    return table.concat(parts, ' ')
end

function popen.new(...)
    local arguments, options = ...
    if select('#', ...) == 0 then
        wrong_type('argv', 'table', 'no value')
    end
    arguments = checked_arguments(arguments)
    local checked, env = checked_options(options)
    if checked.shell then
        table.insert(arguments, 1, '-c')
        table.insert(arguments, 1, 'sh')
    end
    local request = {arguments = arguments, env = env}
    for name, value in pairs(checked) do
        request[name] = value
    end
    local process, number = native.spawn(request)
    if process == nil then
        return nil, failure.make('popen', number)
    end
    return setmetatable({
        process = process, options = checked, command = command_text(arguments),
    }, handle_metatable)
end

function popen.shell(...)
    local command, mode = ...
    if type(command) ~= 'string' then
        wrong_type('command', 'string', select('#', ...) == 0 and 'no value' or type(command), 'popen.shell')
    elseif mode ~= nil and type(mode) ~= 'string' then
        wrong_type('mode', 'string or nil', type(mode), 'popen.shell')
    end
    mode = mode or ''
    if mode:find('[^rRw]') then
        wrong_type('mode', "'r', 'w', 'R' or its combination", mode, 'popen.shell')
    end
    local function stream(letter)
        return mode:find(letter, 1, true) and 'pipe' or 'inherit'
    end
    return popen.new({command}, {
        stdin = stream('w'), stdout = stream('r'), stderr = stream('R'),
        shell = true, setsid = true, group_signal = true,
    })
end

--- Streams.

local function descriptor_of(handle, stream)
    if handle.options[stream] ~= 'pipe' then
        illegal(('popen: handle does not support %s of %s'):format(stream == 'stdin' and 'writing' or 'reading', stream))
    end
    local descriptor = handle.process:descriptor(STREAMS[stream])
    if descriptor == nil then
        illegal('popen: attempt to operate on a closed file descriptor')
    end
    return descriptor
end

local function timeout_of(options, usage)
    local timeout = type(options) == 'table' and options.timeout or nil
    if timeout ~= nil and (type(timeout) ~= 'number' or not (timeout >= 0)) then
        illegal('Bad params, use: ' .. usage)
    end
    return timeout
end

-- Waits until the descriptor is ready. Answers with nothing then, else with the error.
local function wait(descriptor, events, deadline)
    local left = deadline and math.max(0, deadline - fiber.clock())
    local came = wait_for_descriptor(descriptor, events, left)
    if came == false then
        fiber.testcancel()
    elseif type(came) == 'string' then
        return make_error('SystemError', 'popen: ' .. came)
    elseif came == 0 and deadline and fiber.clock() >= deadline then
        return make_error('TimedOut', 'timed out')
    end
end

-- Calls `transfer` until it does not have to wait. Answers with its count, or nil and the error. Others may
-- close the handle during a wait, so its descriptor is asked for anew after each.
local function transferred(handle, stream, events, timeout, transfer)
    local deadline = timeout and fiber.clock() + timeout
    while true do
        check_handle(handle)
        local descriptor = descriptor_of(handle, stream)
        local count = tonumber(transfer(descriptor))
        if count >= 0 then
            return count
        elseif count ~= -errno.EAGAIN and count ~= -errno.EINTR then
            return nil, failure.make('popen', -count)
        end
        local err = wait(descriptor, events, deadline)
        if err ~= nil then
            return nil, err
        end
    end
end

local READ_USAGE = 'ph:read([{stdout = <boolean>, stderr = <boolean>, timeout = <number>}])'

-- What the child has written, at most 16 KiB; the empty string at its end.
function methods.read(handle, options)
    check_handle(handle)
    if options ~= nil and type(options) ~= 'table' then
        illegal('Bad params, use: ' .. READ_USAGE)
    end
    options = options or {}
    for _, name in ipairs({'stdout', 'stderr'}) do
        if options[name] ~= nil and type(options[name]) ~= 'boolean' then
            illegal('Bad params, use: ' .. READ_USAGE)
        end
    end
    if options.stdout and options.stderr then
        illegal('Bad params, use: ' .. READ_USAGE)
    end
    local timeout = timeout_of(options, READ_USAGE)
    local buffer = ffi.new('uint8_t[?]', READ_SIZE_BYTES)
    local stream = options.stderr and 'stderr' or 'stdout'
    local count, err = transferred(handle, stream, READ, timeout, function(descriptor)
        return ffi_read(descriptor, buffer, READ_SIZE_BYTES, -1)
    end)
    if count == nil then
        return nil, err
    end
    return ffi.string(buffer, count)
end

function methods.write(handle, text, options)
    check_handle(handle)
    local usage = 'ph:write(str[, {timeout = <number>}])'
    if type(text) ~= 'string' or (options ~= nil and type(options) ~= 'table') then
        illegal('Bad params, use: ' .. usage)
    end
    local timeout = timeout_of(options, usage)
    local at, start = 0, ffi.cast('uint8_t *', ffi.cast('const char *', text))
    while at < #text do
        local count, err = transferred(handle, 'stdin', WRITE, timeout, function(descriptor)
            return ffi_write(descriptor, start + at, #text - at, -1)
        end)
        if count == nil then
            return nil, err
        end
        at = at + count
    end
    return true
end

function methods.shutdown(handle, options)
    check_handle(handle)
    local usage = 'ph:shutdown({stdin = <boolean>, stdout = <boolean>, stderr = <boolean>})'
    if type(options) ~= 'table' then
        illegal('Bad params, use: ' .. usage)
    end
    local wanted = {}
    for name in pairs(STREAMS) do
        if options[name] ~= nil and type(options[name]) ~= 'boolean' then
            illegal('Bad params, use: ' .. usage)
        elseif options[name] then
            if handle.options[name] ~= 'pipe' then
                illegal(('popen: handle has no pipe for %s'):format(name))
            end
            wanted[#wanted + 1] = name
        end
    end
    if #wanted == 0 then
        illegal('Bad params, use: ' .. usage)
    end
    for _, name in ipairs(wanted) do
        handle.process:shut(STREAMS[name])
    end
    return true
end

--- Life.

local function status_of(handle)
    local code, signal = handle.process:ending()
    if code ~= nil then
        return {state = popen.state.EXITED, exit_code = code}
    elseif signal ~= nil then
        return {state = popen.state.SIGNALED, signo = signal, signame = signal_names[signal] or tostring(signal)}
    end
    return {state = popen.state.ALIVE}
end

-- How the child has ended; waits for that.
function methods.wait(handle)
    check_handle(handle)
    local process = handle.process
    while process:ending() == nil and select(2, process:ending()) == nil do
        local err = wait(process:ended(), READ)
        if err ~= nil then
            return nil, err
        end
    end
    return status_of(handle)
end

function methods.signal(handle, number)
    check_handle(handle)
    if type(number) ~= 'number' or number % 1 ~= 0 or math.abs(number) > 2^31 - 1 then
        illegal('Bad params, use: ph:signal(signo)')
    end
    local problem = handle.process:signal(number)
    if problem ~= 0 then
        return nil, failure.make('popen', problem)
    end
    return true
end

function methods.terminate(handle)
    return methods.signal(handle, popen.signal.SIGTERM)
end

function methods.kill(handle)
    return methods.signal(handle, popen.signal.SIGKILL)
end

function methods.info(handle)
    check_handle(handle)
    local status = status_of(handle)
    local info = {
        pid = status.state == popen.state.ALIVE and handle.process:id() or nil,
        command = handle.command,
        opts = table.copy(handle.options),
        status = status,
    }
    for name, stream in pairs(STREAMS) do
        if handle.options[name] == 'pipe' then
            local is_open = handle.process:descriptor(stream) ~= nil
            info[name] = is_open and popen.stream.OPEN or popen.stream.CLOSED
        end
    end
    return info
end

-- Lets the child go; one that lives still is killed, unless it was to be kept.
function methods.close(handle)
    if getmetatable(handle) ~= handle_metatable then
        illegal('Bad params, use: ph:close()')
    elseif handle.process == nil then
        return true
    end
    local process, options = handle.process, handle.options
    if not options.keep_child then
        process:signal(popen.signal.SIGKILL)
    end
    for _, stream in pairs(STREAMS) do
        process:shut(stream)
    end
    handle.process = nil
    return true
end

function handle_metatable.__serialize(handle)
    return handle.process ~= nil and methods.info(handle) or '<closed popen handle>'
end

return popen
