-- The life of the process: what it runs, how long it lives, how it ends. Costs nothing until then.
--
-- `on_exit` is where others learn that the process ends: each handler is called once, with the exit
-- code, in the order they were added, by the fiber that ends the process; it may yield.

local native = ...
local fiber = require('fiber')
local events = require('lycosa.events')
local text_of = require('lycosa.thrown').text_of

local FOREVER_S = math.huge
local FAILED = 1

local process = {terminal = native.terminal, wait = native.wait}
local exit_now = os.exit
local exit_handlers = {}
local ending_fiber

function process.on_exit(handler)
    exit_handlers[#exit_handlers + 1] = handler
end

local function describe(err)
    if type(err) == 'cdata' and box.error.is(err) then
        local name = err.type == 'ClientError' and err.name ~= nil and 'ER_' .. err.name or err.type
        return ('%s: %s'):format(name, err.message)
    end
    return 'LuajitError: ' .. text_of(err)
end

local function warn(text)
    io.stdout:flush()
    io.stderr:write(text, '\n')
end

local function run_exit_handlers(code)
    ending_fiber = fiber.id()
    for _, handler in ipairs(exit_handlers) do
        local ok, err = pcall(handler, code)
        if not ok then
            warn(describe(err))
        end
    end
end

local function code_of(value)
    return type(value) == 'number' and value or 0
end

-- Ends the process after its handlers. Called once more, by a handler, it ends it at once; by another
-- fiber, it waits for the end.
function process.exit(value)
    local code = code_of(value)
    if ending_fiber == nil then
        run_exit_handlers(code)
    elseif ending_fiber ~= fiber.id() then
        while true do
            fiber.sleep(FOREVER_S)
        end
    end
    io.stdout:flush()
    exit_now(code)
end
os.exit = process.exit
process.on_exit(function()
    if events.has('box.ctl.on_shutdown') then
        require('lycosa.box_ctl').run_shutdown_triggers()
    end
end)

-- What Ctrl-C does; the console sets it while a chunk runs.
process.on_interrupt = nil

local INTERRUPT = 2

local function attend_signals()
    while true do
        local signal = native.take_signal()
        if signal == nil then
            native.wait()
        elseif signal == INTERRUPT and process.on_interrupt ~= nil then
            process.on_interrupt()
        else
            process.exit(0)
        end
    end
end

local function watch_signals()
    local watcher = fiber.new(attend_signals)
    watcher:name('on_shutdown')
    native.watch_signals(watcher:id())
end

local function set_arguments(options)
    local arguments = {[-1] = options.binary, [0] = options.script or options.binary}
    for position, value in ipairs(options.arguments) do
        arguments[position] = value
    end
    _G.arg = arguments
end

local function run_chunk(source, name, ...)
    local chunk, message = load(source, name, 't')
    if chunk == nil then
        error(message, 0)
    end
    chunk(...)
end

local function run_step(kind, text)
    if kind == 'module' then
        local ok, module = pcall(require, text)
        if not ok then
            error(module, 0)
        end
        _G[text] = module
    else
        run_chunk(text, '=(command line)')
    end
end

local function run_all(options)
    for _, step in ipairs(options.steps) do
        run_step(step[1], step[2])
    end
    if options.source ~= nil then
        local name = options.script == '-' and '=stdin' or '@' .. options.script
        run_chunk(options.source, name, unpack(options.arguments))
    end
    if options.interactive then
        require('console').start()
    end
end

-- Whether the process lives on when nothing is left to run: a configured box waits for requests.
local function is_configured()
    return type(box.cfg) ~= 'function'
end

-- The frames of the script; those of this file below them say nothing.
local function frames_of_script(traceback)
    local frames = traceback:gsub('\n%s*lycosa/process%.lua:.*$', '')
    return (frames:gsub("in function 'chunk'", 'in main chunk'))
end

-- Runs everything and tells what was thrown; answers with whether nothing was.
local function has_run(options)
    local traceback = ''
    -- The handler does nothing else: it may run where the stack is all but full, or not at all.
    local ok, err = xpcall(run_all, function(err)
        traceback = debug.traceback('', 2)
        return err
    end, options)
    if not ok then
        warn(describe(err) .. frames_of_script(traceback))
        warn('fatal error, exiting the event loop')
    end
    return ok
end

-- Runs everything, and answers with the exit code when the process has nothing left to live for.
function process.main(options)
    set_arguments(options)
    if options.script ~= nil then
        fiber.name(options.script:match('[^/]*$'), {truncate = true})
    elseif options.interactive then
        fiber.name('interactive')
        require('lycosa.box_session').set_type('repl')
    end
    watch_signals()
    if not has_run(options) then
        return FAILED
    end
    if not options.interactive then
        native.wait_for_others()
        while is_configured() do
            native.wait()
        end
    end
    if ending_fiber ~= nil then
        process.exit(0)
    end
    run_exit_handlers(0)
    io.stdout:flush()
    return 0
end

return process
