-- The module `console`: lines of Lua, answered in YAML. Chunks run in a fiber of their own, so that
-- Ctrl-C can cancel it; the fiber stays the same from line to line until then.

local fiber = require('fiber')
local log = require('log')
local process = require('lycosa.process')
local complete = require('lycosa.console_completion').complete
local formats = require('lycosa.console_format')

local terminal = process.terminal

local PROMPT = 'lycosa> '
local CONTINUATION = '      > '
local HELP = [[
Lines are Lua: an expression or statements; one that is not complete goes on in the next line.

  \help, \h                  this text
  \set output yaml|lua       how answers look
  \set language lua          Lua is the only language
  \quit, \q                  end, as Ctrl-D does
]]

local console = {}
local default_output = 'yaml'

--- Running a chunk.

-- A function, or nil and whether more text could complete it, and what is wrong.
local function compile(text)
    local chunk = loadstring('return ' .. text)
    if chunk ~= nil then
        return chunk
    end
    local message
    chunk, message = loadstring(text)
    if chunk ~= nil then
        return chunk
    end
    return nil, message:find("near '<eof>'", 1, true) ~= nil, message
end

local function pack(...)
    return {n = select('#', ...), ...}
end

local Evaluator = {}
Evaluator.__index = Evaluator

local function new_evaluator()
    local evaluator = setmetatable({jobs = fiber.channel(), results = fiber.channel(1)}, Evaluator)
    evaluator.worker = fiber.new(function()
        while true do
            local job = evaluator.jobs:get()
            if job == nil then
                return
            end
            evaluator.results:put(pack(pcall(job)))
        end
    end)
    evaluator.worker:name('console')
    return evaluator
end

-- Runs `chunk`; Ctrl-C cancels the fiber that does. Answers with whether that happened, and what
-- pcall returned.
function Evaluator:run(chunk)
    local is_interrupted = false
    process.on_interrupt = function()
        is_interrupted = true
        self.worker:cancel()
    end
    self.jobs:put(chunk)
    local result = self.results:get()
    process.on_interrupt = nil
    return is_interrupted, result
end

--- Commands.

local Session = {}
Session.__index = Session

local function new_session()
    return setmetatable({output = default_output, evaluator = new_evaluator(), text = nil}, Session)
end

function Session:answer(result)
    return formats[self.output](result)
end

function Session:set(what, value)
    if what == 'output' and formats[value] ~= nil then
        self.output = value
        return self:answer({n = 2, true, true})
    elseif what == 'language' and value == 'lua' then
        return self:answer({n = 2, true, true})
    elseif what == 'output' then
        return self:answer({n = 2, false, ('the output is yaml or lua, not %s'):format(tostring(value))})
    elseif what == 'language' then
        return self:answer({n = 2, false, ('the language is lua, not %s'):format(tostring(value))})
    end
    return self:answer({n = 2, false, 'Invalid set syntax, type \\help for help'})
end

function Session:command(line)
    local words = {}
    for word in line:gmatch('%S+') do
        words[#words + 1] = word
    end
    local name = words[1]
    if name == '\\quit' or name == '\\q' then
        return nil
    elseif name == '\\help' or name == '\\h' then
        return self:answer({n = 2, true, HELP})
    elseif name == '\\set' or name == '\\s' then
        return self:set(words[2], words[3])
    end
    return self:answer({n = 2, false, ('Invalid command %s. Type \\help for help.'):format(name)})
end

-- The answer to a line; an empty one when more lines are needed, nil when the session ends.
function Session:line(line)
    if self.text == nil and line:sub(1, 1) == '\\' then
        return self:command(line)
    end
    local text = self.text ~= nil and self.text .. '\n' .. line or line
    if text:find('^%s*$') then
        return ''
    end
    local chunk, is_incomplete, message = compile(text)
    if chunk == nil and is_incomplete then
        self.text = text
        return ''
    end
    self.text = nil
    if chunk == nil then
        return self:answer({n = 2, false, message})
    end
    local is_interrupted, result = self.evaluator:run(chunk)
    if is_interrupted then
        self.evaluator = new_evaluator()
    end
    return self:answer(result)
end

--- The dialogue.

-- Waits for what the reading thread reports, and answers its questions meanwhile.
local function next_event()
    while true do
        local kind, text = terminal.take()
        if kind == 'complete' then
            terminal.reply(complete(text))
        elseif kind ~= nil then
            return kind, text
        else
            process.wait()
        end
    end
end

local function write(text)
    io.stdout:write(text)
    io.stdout:flush()
end

-- What was typed last and is not complete is still an answer: its error.
local function finish(session)
    if session.text ~= nil then
        local _, _, message = compile(session.text)
        write(session:answer({n = 2, false, message}))
    end
end

local is_started = false

function console.start()
    if is_started then
        error('console is already started', 2)
    end
    is_started = true
    local session = new_session()
    local is_terminal = terminal.open(fiber.id())
    process.on_exit(terminal.restore)
    while true do
        terminal.ask(session.text == nil and PROMPT or CONTINUATION)
        local kind, line = next_event()
        if kind == 'end' then
            break
        elseif kind == 'interrupted' then
            session.text = nil
        else
            local answer = session:line(line)
            if answer == nil then
                break
            end
            write(answer)
        end
    end
    if not is_terminal then
        finish(session)
    end
    is_started = false
end

-- Runs one line here, and answers with the text that a console would show.
function console.eval(line)
    if type(line) ~= 'string' then
        error('Usage: console.eval(line)', 2)
    end
    local chunk, _, message = compile(line)
    local result = chunk == nil and {n = 2, false, message} or pack(pcall(chunk))
    return formats[default_output](result)
end

function console.listen(address)
    log.warn('console.listen(%s) has no effect: there is no network', tostring(address))
end

function console.connect()
    box.error(box.error.UNSUPPORTED, 'Lycosa', 'console.connect()')
end

function console.get_default_output()
    return default_output
end

function console.set_default_output(output)
    if formats[output] == nil then
        error(('the output is yaml or lua, not %s'):format(tostring(output)), 2)
    end
    default_output = output
end

return console
