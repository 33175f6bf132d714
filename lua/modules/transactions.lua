-- Transactions: begin, commit, rollback, savepoints, and the triggers that run at their end.
--
-- A transaction that nothing listens to costs one FFI call each way. One with triggers gathers its
-- changes first, as tuples that stay when it has ended.

local native = ...
local ffi = require('ffi')
local database = require('lycosa.database')
local errors = require('lycosa.error')
local events = require('lycosa.events')
local hooks = require('lycosa.hooks')
local log = require('log')
local tuples = require('lycosa.tuple')

local api, context, raise = database.api, database.context, database.raise
local transaction_number = database.transaction_number
local begin, commit, rollback = database.begin, database.commit, database.rollback
local sync = function() end

-- Called when a transaction that may have changed the schema is undone.
local function on_rollback(callback)
    sync = callback
end

-- Triggers by the number of their transaction: a list for its commit, one for its rollback.
local listeners = {}

-- How many transactions have any, and one more if triggers on all transactions are there.
local listening, hears_all = 0, false

hooks.on_transactions_heard(function(is_heard)
    if is_heard ~= hears_all then
        hears_all = is_heard
        listening = listening + (is_heard and 1 or -1)
    end
end)

-- Functions by fiber that run when its own function has ended.
local fiber_exits = package.loaded['lycosa.fiber_exits']

local function forget(number)
    if listeners[number] ~= nil then
        fiber_exits[listeners[number].fiber_id] = nil
        listeners[number] = nil
        listening = listening - 1
    end
end

local function tuple_of(bytes, space_id, stored)
    if bytes then
        return tuples.from_string(bytes, hooks.format_ids[space_id], stored)
    end
end

-- What a trigger gets: a function that begins a walk over the changes, in the order of `changes`.
local function iterable(changes, space_id)
    return function()
        local position, number = 0, 0
        return function()
            if changes.is_over then
                box.error(box.error.CURSOR_NO_TRANSACTION)
            end
            local change
            repeat
                position = position + 1
                change = changes[position]
            until change == nil or space_id == nil or change[3] == space_id
            if change ~= nil then
                number = number + 1
                local changed_id = change[3]
                return number, tuple_of(change[1], changed_id, change[4]),
                    tuple_of(change[2], changed_id, change[5]), changed_id
            end
        end
    end
end

local function log_failure(callable, ...)
    local ok, failure = pcall(callable, ...)
    if not ok then
        local reason = errors.wrap(failure)
        log.error('%s: %s', reason.type, reason.message)
    end
end

-- Runs the triggers of an event on all transactions, and on those that changed one space.
local function run_events(event, changes, call)
    local seen = {}
    for _, change in ipairs(changes) do
        local space_id = change[3]
        if not seen[space_id] then
            seen[space_id] = true
            local space = hooks.spaces[space_id]
            local walk = iterable(changes, space_id)
            for _, callable in events.list_of(('%s.space[%d]'):format(event, space_id)):each() do
                call(callable, walk)
            end
            local by_name = space ~= nil and ('%s.space.%s'):format(event, space.name) or ''
            for _, callable in events.list_of(by_name):each() do
                call(callable, walk)
            end
        end
    end
    local walk = iterable(changes)
    for _, callable in events.list_of(event):each() do
        call(callable, walk)
    end
end

local function reverse(list)
    local reversed = {}
    for position = #list, 1, -1 do
        reversed[#reversed + 1] = list[position]
    end
    return reversed
end

-- The changes are undone, and the transaction is still there.
local function run_rollback_triggers(number, changes)
    changes = reverse(changes)
    local entry = listeners[number]
    if entry ~= nil then
        local walk = iterable(changes)
        for _, callable in entry.rollback:each() do
            log_failure(callable, walk)
        end
    end
    run_events('box.on_rollback', changes, log_failure)
    changes.is_over = true
end

-- What a rollback to a savepoint undoes is in no later event: the triggers hear of it now.
local function rollback_to_savepoint_heard(savepoint)
    local changes = native.changes()
    if database.rollback_to_savepoint(context, savepoint.number) < 0 then
        raise()
    end
    sync()
    local undone = {}
    for position = #native.changes() + 1, #changes do
        undone[#undone + 1] = changes[position]
    end
    if undone[1] ~= nil then
        run_rollback_triggers(transaction_number(context), undone)
    end
end

local function rollback_heard()
    local number = transaction_number(context)
    if number == 0 or database.statement_depth(context) > 0 then
        if rollback(context) < 0 then
            raise()
        end
        return
    end
    local changes = native.changes()
    native.undo_changes()
    sync()
    run_rollback_triggers(number, changes)
    rollback(context)
    forget(number)
end

-- Triggers that may still refuse the commit.
local function run_before_commit(call)
    run_events('box.before_commit', native.changes(), call)
end

local function call_or_raise(callable, walk)
    local ok, failure = pcall(callable, walk)
    if not ok then
        error(errors.wrap(failure), 0)
    end
    if database.check_not_aborted(context) < 0 then
        raise()
    end
end

local function commit_heard()
    local number = transaction_number(context)
    if number == 0 or database.statement_depth(context) > 0 then
        if commit(context) < 0 then
            raise()
        end
        return
    end
    local ok, failure = pcall(run_before_commit, call_or_raise)
    if not ok then
        rollback_heard()
        error(failure, 0)
    end
    local changes = native.changes()
    if database.check_not_aborted(context) < 0 then
        rollback_heard()
        raise()
    end
    local entry = listeners[number]
    forget(number)
    if commit(context) < 0 then
        raise()
    end
    if entry ~= nil then
        local walk = iterable(changes)
        -- The first added runs first.
        for _, callable in ipairs(reverse(entry.commit:functions())) do
            log_failure(callable, walk)
        end
    end
    run_events('box.on_commit', changes, log_failure)
    changes.is_over = true
end

-- The lists of the running transaction; made when there are none.
local function listeners_of(method)
    local number = transaction_number(context)
    if number == 0 then
        error(('Usage inside a transaction: box.%s([function | nil, [function | nil]])'):format(method), 0)
    end
    local entry = listeners[number]
    if entry == nil then
        entry = {
            commit = events.new_list(),
            rollback = events.new_list(),
            fiber_id = require('fiber').id(),
        }
        listeners[number] = entry
        listening = listening + 1
        fiber_exits[entry.fiber_id] = rollback_heard
    end
    return entry
end

-- Calls the function when the running transaction is committed, or now if there is none.
local function on_commit_or_now(callable)
    if transaction_number(context) == 0 then
        callable()
    else
        listeners_of('on_commit').commit:set(('%p'):format(callable), callable)
    end
end

function api.on_commit(new, old, name)
    return events.reset(listeners_of('on_commit').commit, new, old, name)
end

function api.on_rollback(new, old, name)
    return events.reset(listeners_of('on_rollback').rollback, new, old, name)
end

local BEGIN_OPTIONS = {txn_isolation = 'string, number', timeout = 'number', is_sync = 'boolean'}

-- By name and by number; all mean the same while there is one transaction at a time.
local ISOLATION_LEVELS = {}
for name, number in pairs({['default'] = 0, ['read-committed'] = 1, ['read-confirmed'] = 2,
    ['best-effort'] = 3, ['linearizable'] = 4}) do
    ISOLATION_LEVELS[name] = number
    ISOLATION_LEVELS[(name:upper():gsub('-', '_'))] = number
    ISOLATION_LEVELS[number] = number
end
box.txn_isolation_level = ISOLATION_LEVELS

local function check_begin_options(options)
    if type(options) ~= 'table' then
        box.error(box.error.ILLEGAL_PARAMS, 'options should be a table')
    end
    for name, value in pairs(options) do
        local expected = BEGIN_OPTIONS[name]
        if expected == nil then
            box.error(box.error.ILLEGAL_PARAMS, ("unexpected option '%s'"):format(tostring(name)))
        elseif not expected:find(type(value), 1, true) then
            box.error(box.error.ILLEGAL_PARAMS,
                ("options parameter '%s' should be of type %s"):format(name, expected))
        end
    end
    if options.timeout ~= nil and not (options.timeout > 0) then
        box.error(box.error.ILLEGAL_PARAMS, 'timeout must be a number greater than 0')
    elseif options.txn_isolation ~= nil and not ISOLATION_LEVELS[options.txn_isolation] then
        box.error(box.error.ILLEGAL_PARAMS,
            'txn_isolation must be one of box.txn_isolation_level (keys or values)')
    end
end

function api.begin(options)
    if options ~= nil then
        check_begin_options(options)
    end
    if begin(context) < 0 then
        raise()
    end
end

-- What a commit may wait for; without a log all of them are the same.
local COMMIT_WAITS = {complete = true, submit = true, none = true}

local function check_commit_options(options)
    if type(options) ~= 'table' then
        box.error(box.error.ILLEGAL_PARAMS, 'options should be a table')
    end
    for name, value in pairs(options) do
        if name ~= 'wait' then
            box.error(box.error.ILLEGAL_PARAMS, ("unexpected option '%s'"):format(tostring(name)))
        elseif type(value) ~= 'string' then
            box.error(box.error.ILLEGAL_PARAMS, "options parameter 'wait' should be of type string")
        elseif not COMMIT_WAITS[value] then
            box.error(box.error.ILLEGAL_PARAMS,
                "unknown 'wait' mode, must be one of: 'complete', 'submit', 'none'")
        end
    end
end

function api.commit(options)
    if options ~= nil then
        check_commit_options(options)
    end
    if listening > 0 then
        commit_heard()
    elseif commit(context) < 0 then
        sync()
        raise()
    end
end

function api.rollback()
    if listening > 0 then
        rollback_heard()
        return
    end
    if rollback(context) < 0 then
        raise()
    end
    sync()
end

function api.is_in_txn()
    return database.is_in_transaction(context) == 1
end

function api.txn_id()
    local number = transaction_number(context)
    if number ~= 0 then
        return number
    end
end

local savepoint_t = ffi.typeof('struct lycosa_savepoint')

function api.savepoint()
    local number = database.savepoint(context)
    if number < 0 then
        raise()
    end
    return savepoint_t(transaction_number(context), number)
end

function api.rollback_to_savepoint(savepoint)
    if not ffi.istype(savepoint_t, savepoint) then
        error('Usage: box.rollback_to_savepoint(savepoint)', 2)
    end
    if savepoint.transaction ~= transaction_number(context) then
        box.error(box.error.NO_SUCH_SAVEPOINT)
    end
    if listening > 0 then
        rollback_to_savepoint_heard(savepoint)
        return
    elseif database.rollback_to_savepoint(context, savepoint.number) < 0 then
        raise()
    end
    sync()
end

local function finish_atomic(ok, ...)
    if ok then
        api.commit()
        return ...
    end
    api.rollback()
    error((...), 0)
end

function api.atomic(first, ...)
    local callable = type(first) == 'function'
        or (getmetatable(first) or {}).__call ~= nil
    if callable then
        api.begin()
        return finish_atomic(pcall(first, ...))
    end
    if type(first) ~= 'table' then
        error('Usage: box.atomic([opts,] tx_function, ...)', 2)
    end
    api.begin(first)
    return finish_atomic(pcall(...))
end

return {
    on_rollback = on_rollback,
    sync = function() sync() end,
    on_commit_or_now = on_commit_or_now,
}
