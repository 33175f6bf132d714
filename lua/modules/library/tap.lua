-- The module `tap`: tests that print in the Test Anything Protocol.

local tap = {}
local methods = {}
local metatable = {__index = methods}

local function write(test, text)
    io.stdout:write((' '):rep(test.indent), text, '\n')
end

-- The frames below those of this module, as a failed check shows them.
local function trace_of()
    local frames = {}
    for level = 3, 100 do
        local frame = debug.getinfo(level, 'nSl')
        if frame == nil then
            break
        elseif not frame.source:find('^@lycosa/') and frame.what ~= 'C' then
            frames[#frames + 1] = {
                source = frame.source,
                src = frame.short_src,
                line = frame.linedefined,
                what = frame.what,
                name = frame.name,
                namewhat = frame.namewhat,
                filename = frame.source:sub(1, 1) == '@' and frame.source:sub(2) or 'eval',
            }
        end
    end
    return frames
end

local function write_details(test, details)
    local ok, text = pcall(function() return require('yaml').encode(details) end)
    if not ok then
        text = require('json').encode(details) .. '\n'
    end
    for line in text:gmatch('[^\n]+') do
        write(test, '  ' .. line)
    end
end

function methods.ok(test, condition, name, extra)
    test.total = test.total + 1
    name = tostring(name)
    if condition then
        write(test, ('ok - %s'):format(name))
        return true
    end
    test.failed = test.failed + 1
    write(test, ('not ok - %s'):format(name))
    local details = {}
    for key, value in pairs(type(extra) == 'table' and extra or {}) do
        details[key] = value
    end
    if test.trace then
        details.trace = trace_of()
        local place = details.trace[1]
        if place ~= nil then
            details.filename, details.line = place.filename, place.line
        end
    end
    if next(details) ~= nil then
        write_details(test, details)
    end
    return false
end

function methods.fail(test, name, extra)
    return methods.ok(test, false, name, extra)
end

function methods.skip(test, name)
    methods.ok(test, true, tostring(name) .. ' # skip')
end

function methods.diag(test, format, ...)
    local text = select('#', ...) > 0 and tostring(format):format(...) or tostring(format)
    for line in (text .. '\n'):gmatch('(.-)\n') do
        write(test, '# ' .. line)
    end
end

function methods.plan(test, count)
    if type(count) ~= 'number' then
        error('Usage: test:plan(count)', 2)
    end
    test.planned = count
    write(test, ('1..%d'):format(count))
end

--- Comparisons.

local function compared(got, expected, extra, name)
    local details = {got = got, [name or 'expected'] = expected}
    for key, value in pairs(type(extra) == 'table' and extra or {}) do
        details[key] = value
    end
    return details
end

-- Whether two values are equal all the way down: numbers by value, and null as nil unless
-- `details.strict`. What differs goes into `details`, with the path to it.
local function is_deeply(got, expected, details)
    local kind, expected_kind = type(got), type(expected)
    if details.strict and kind ~= expected_kind and kind ~= 'number' and expected_kind ~= 'number' then
        details.got, details.expected = kind, expected_kind
        return false
    elseif kind ~= 'table' or expected_kind ~= 'table' then
        details.got, details.expected = got, expected
        return got == expected
    end
    local path = details.path or '/'
    for key, value in pairs(got) do
        details.path = ('%s/%s'):format(path, tostring(key))
        if not is_deeply(value, expected[key], details) then
            return false
        end
    end
    for key, value in pairs(expected) do
        if type(got[key]) == 'nil' and (details.strict or value ~= nil) then
            details.expected, details.got = 'key ' .. tostring(key), 'nil'
            return false
        end
    end
    details.path = path
    return true
end

local function is_equal(test, left, right)
    return left == right and (not test.strict or type(left) == type(right))
end

function methods.is(test, got, expected, name, extra)
    return methods.ok(test, is_equal(test, got, expected), name, compared(got, expected, extra))
end

function methods.isnt(test, got, unexpected, name, extra)
    return methods.ok(test, not is_equal(test, got, unexpected), name, compared(got, unexpected, extra, 'unexpected'))
end

function methods.isnil(test, value, name, extra)
    return methods.is(test, not value and 'nil' or value, 'nil', name, extra)
end

function methods.is_deeply(test, got, expected, name, extra)
    local details = {strict = test.strict}
    for key, value in pairs(type(extra) == 'table' and extra or {}) do
        details[key] = value
    end
    return methods.ok(test, is_deeply(got, expected, details), name, details)
end

local function matches(text, pattern)
    return tostring(text):match(pattern) ~= nil
end

function methods.like(test, got, pattern, name, extra)
    return methods.ok(test, matches(got, pattern), name, compared(got, pattern, extra))
end

function methods.unlike(test, got, pattern, name, extra)
    return methods.ok(test, not matches(got, pattern), name, compared(got, pattern, extra))
end

for name, kind in pairs({
    isstring = 'string', isnumber = 'number', istable = 'table', isboolean = 'boolean', isfunction = 'function',
}) do
    methods[name] = function(test, value, label, extra)
        return methods.is(test, type(value), kind, label, extra)
    end
end

function methods.iscdata(test, value, kind, name, extra)
    local ffi = require('ffi')
    local is_one = type(value) == 'cdata' and ffi.istype(kind, value)
    local got = type(value) == 'cdata' and tostring(ffi.typeof(value)) or type(value)
    return methods.ok(test, is_one, name, compared(got, 'ctype<' .. tostring(kind) .. '>', extra))
end

-- Userdata of Tarantool's show the name of their kind in the place of their metatable.
function methods.isudata(test, value, kind, name, extra)
    local got = type(value)
    if got == 'userdata' then
        got = ('userdata<%s>'):format(tostring(getmetatable(value)))
    end
    local expected = ('userdata<%s>'):format(tostring(kind))
    return methods.ok(test, got == expected, name, compared(got, expected, extra))
end

--- Tests within tests.

local function new_test(parent, name)
    return setmetatable({
        parent = parent,
        name = name,
        indent = parent and parent.indent + 4 or 0,
        total = 0,
        failed = 0,
        planned = 0,
        strict = parent and parent.strict or false,
        trace = parent == nil or parent.trace,
    }, metatable)
end

-- Prints what is wrong with the count of checks; answers with whether all went well.
function methods.check(test)
    if test.is_checked then
        error('check called twice', 2)
    end
    test.is_checked = true
    if test.planned ~= test.total then
        if test.parent ~= nil then
            methods.ok(test.parent, false, 'bad plan', {planned = test.planned, run = test.total})
        else
            methods.diag(test, 'bad plan: planned %d run %d', test.planned, test.total)
        end
        return false
    elseif test.failed > 0 then
        if test.parent ~= nil then
            methods.ok(test.parent, false, 'failed subtests', {planned = test.planned, failed = test.failed})
        else
            methods.diag(test, 'failed subtest: %d', test.failed)
        end
        return false
    elseif test.parent ~= nil then
        methods.ok(test.parent, true, test.name)
    end
    return true
end

-- Runs a test, and answers with whether it passed; only begins it when there is no function.
local function run(test, action, ...)
    if action == nil then
        return test
    end
    write(test, '# ' .. tostring(test.name))
    action(test, ...)
    write(test, ('# %s: end'):format(tostring(test.name)))
    return methods.check(test)
end

function methods.test(parent, name, action, ...)
    return run(new_test(parent, name), action, ...)
end

function tap.test(name, action, ...)
    io.stdout:write('TAP version 13\n')
    return run(new_test(nil, name), action, ...)
end

return tap
