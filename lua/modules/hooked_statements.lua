-- Statements with code of the user's around them: triggers, constraints, defaults. The order is
-- Tarantool's: sequence, defaults, the check of the tuple, `before_replace`, the change, `on_replace`; each
-- statement is undone as a whole when something fails, and outside a transaction is one of its own.
--
-- Tuples pass through here as strings of MsgPack, and as objects only to the user's functions. A
-- statement costs a few microseconds more than one without hooks.

local native = ...
local database = require('lycosa.database')
local encoder = require('lycosa.msgpack_encoder')
local errors = require('lycosa.error')
local events = require('lycosa.events')
local hooks = require('lycosa.hooks')
local transactions = require('lycosa.transactions')
local tuples = require('lycosa.tuple')

local api, context, raise = database.api, database.context, database.raise
local check_slice = database.check_slice
local begin_statement, end_statement = database.begin_statement, database.end_statement
local undo_statement, check_not_aborted = database.undo_statement, database.check_not_aborted
local bytes_of = encoder.bytes_of
local spaces, rules, silent, format_ids = hooks.spaces, hooks.rules, hooks.silent, hooks.format_ids

-- Statements that are given a tuple.
local PUTS = {INSERT = true, REPLACE = true, UPSERT = true}
local TAKES_SEQUENCE = {INSERT = true, REPLACE = true}

-- `stored` is the identity of the stored tuple that the bytes are of, if they are.
local function tuple_of(bytes, space_id, stored)
    if bytes then
        return tuples.from_string(bytes, format_ids[space_id], stored)
    end
end

local function check(result)
    if result == nil then
        raise()
    end
    return result
end

local function finish_call(ok, ...)
    if ok then
        return select('#', ...), ...
    end
    local failure = errors.wrap((...))
    box.error.set(failure)
    error(failure, 0)
end

local function check_running()
    if check_not_aborted(context) < 0 then
        raise()
    end
end

-- Calls a trigger and answers with how many values it returns, and with them. What it throws is
-- thrown on as an error object. Nothing runs after a yield.
local function call(callable, ...)
    check_running()
    return finish_call(pcall(callable, ...))
end

-- Lists of triggers by the number of a space, until any of them changes.
local known_lists = {}

hooks.on_refresh(function() known_lists = {} end)

-- The lists of a space: bound to its number, then to its name.
local function lists_of(space)
    local lists = known_lists[space.id]
    if lists == nil then
        lists = {}
        for _, event in next, {'before_replace', 'on_replace'} do
            local by_id = events.list_of(('box.space[%d].%s'):format(space.id, event))
            local by_name = events.list_of(('box.space.%s.%s'):format(space.name, event))
            if not (by_id:is_empty() and by_name:is_empty()) then
                lists[event] = {by_id, by_name}
            end
        end
        known_lists[space.id] = lists
    end
    return lists
end

local function run_on_replace(lists, ...)
    for _, list in ipairs(lists) do
        for _, callable in list:each() do
            call(callable, ...)
        end
    end
end

-- What runs around one statement.
local function hooks_of(space_id)
    local space = spaces[space_id]
    if space == nil then
        return {}
    end
    local found = {space = space, rules = rules[space_id]}
    if not silent[space_id] then
        found.before = lists_of(space).before_replace
    end
    return found
end

-- A tuple must fit the space before it is seen by a trigger, and after one has changed it.
local function check_tuple(found, space_id, bytes)
    check(native.check_tuple(space_id, bytes))
    if found.rules ~= nil and found.rules.check ~= nil then
        found.rules.check(bytes)
    end
end

-- The tuple before a statement and the one that it would make of it, nil for none, and the identity of
-- the first. An update or delete that finds nothing answers with nothing.
local function preview(found, request)
    local space_id, kind = request.space_id, request.kind
    if kind == 'UPDATE' or kind == 'DELETE' then
        local old, stored = native.find(space_id, request.index_id, request.bytes)
        if not check(old) then
            return nil
        elseif kind == 'DELETE' then
            return old, nil, stored
        end
        return old, check(native.preview_update(space_id, old, request.operations, false)), stored
    end
    check_tuple(found, space_id, request.bytes)
    if found.space.index[0] == nil then
        return nil, request.bytes
    end
    local old, stored = native.find_same_key(space_id, request.bytes)
    old = check(old) or nil
    if kind ~= 'UPSERT' then
        return old, request.bytes, stored
    elseif old == nil then
        check(native.check_operations(space_id, request.operations))
        return nil, request.bytes
    end
    return old, check(native.preview_update(space_id, old, request.operations, true)), stored
end

-- The new tuple after a trigger that returned `count` values, `returned` the first of them.
local function chosen(found, request, new, count, returned)
    check_running()
    if count == 0 then
        return new
    elseif returned == nil then
        return nil
    elseif not tuples.is(returned) then
        box.error(box.error.BEFORE_REPLACE_RET)
    end
    check_tuple(found, request.space_id, bytes_of(encoder.encode, returned))
    return returned
end

-- Makes the request one that gives the tuple which the triggers have chosen.
local function rewrite(request, old, new, old_bytes)
    local new_bytes = new ~= nil and bytes_of(encoder.encode, new) or nil
    if old ~= nil and new ~= nil then
        check(native.check_same_key(request.space_id, old_bytes, new_bytes))
    end
    -- An insert does not know of a tuple in its place.
    if request.kind == 'INSERT' then
        old = nil
    end
    request.operations, request.index_id = nil, 0
    if rawequal(old, new) then
        request.kind = 'NOP'
    elseif new == nil then
        request.kind, request.bytes = 'DELETE', check(native.primary_key(request.space_id, old_bytes))
    else
        request.kind, request.bytes = 'REPLACE', new_bytes
    end
end

-- Runs the `before_replace` triggers, which may make another request of this one; each sees what
-- the one before has made of the new tuple.
local function before_replace(found, request, old_bytes, new_bytes, stored)
    local space_id = request.space_id
    local old, new = tuple_of(old_bytes, space_id, stored), tuple_of(new_bytes, space_id)
    local latest, name, kind = new, found.space.name, request.kind
    for _, list in ipairs(found.before) do
        for _, callable in list:each() do
            latest = chosen(found, request, latest, call(callable, old, latest, name, kind))
        end
    end
    if not rawequal(latest, new) then
        rewrite(request, old, latest, old_bytes)
    end
end

local function prepare(found, request)
    local of_space, primary = found.rules, found.space ~= nil and found.space.index[0]
    if primary and primary.sequence_id ~= nil and TAKES_SEQUENCE[request.kind] then
        request.bytes = check(native.fill_from_sequence(request.space_id, request.bytes))
            or request.bytes
    end
    if of_space ~= nil and of_space.apply_defaults ~= nil and PUTS[request.kind] then
        request.bytes = of_space.apply_defaults(request.bytes)
    end
    if not found.before and (of_space == nil or not of_space.has_constraints) then
        return
    end
    local old, new, stored = preview(found, request)
    if old == nil and new == nil then
        return
    elseif found.before then
        before_replace(found, request, old, new, stored)
    end
    -- The changed tuple of a put has been checked as such; this is the one of an update.
    if request.operations ~= nil and new ~= nil then
        check_tuple(found, request.space_id, new)
    end
end

-- Does a statement with all that runs around it; answers with the bytes of its result and their
-- identity, or nothing.
local function execute(request)
    local found = hooks_of(request.space_id)
    prepare(found, request)
    if request.kind == 'NOP' then
        return
    end
    local space_id = request.space_id
    local result, old, new, of_result, of_old, of_new = native.run_statement(request.kind, space_id,
        request.index_id, request.bytes, request.operations)
    check(result)
    if old ~= nil and found.rules ~= nil and found.rules.changed ~= nil then
        found.rules.changed(old, new)
    end
    if old ~= nil and found.space ~= nil and not silent[space_id] then
        local lists = lists_of(found.space).on_replace
        if lists ~= nil then
            run_on_replace(lists, tuple_of(old, space_id, of_old), tuple_of(new, space_id, of_new),
                found.space.name, request.kind)
        end
    end
    return result, of_result
end

-- The time slice of the fiber is looked at every so many statements: it takes a tenth of one.
local STATEMENTS_PER_CHECK = 16
local statements_left = STATEMENTS_PER_CHECK

local function count_statement()
    statements_left = statements_left - 1
    if statements_left == 0 then
        statements_left = STATEMENTS_PER_CHECK
        check_slice()
    end
end

-- Runs a request as a statement, and as a transaction when there is none.
local function run(request)
    count_statement()
    if begin_statement(context) < 0 then
        raise()
    end
    local ok, result, stored = pcall(execute, request)
    if ok then
        if end_statement(context) == 1 then
            api.commit()
        end
    else
        if undo_statement(context) == 1 then
            api.rollback()
        else
            transactions.sync()
        end
        error(result, 0)
    end
    return tuple_of(result, request.space_id, stored)
end

-- As `run`, without a value when there is no tuple.
local function run_and_return(request)
    local tuple = run(request)
    if tuple ~= nil then
        return tuple
    end
end

local statements = {}

-- A row may be written several times by one change of the schema: triggers hear of it once.
local function merged(changes)
    local list = {}
    for _, change in ipairs(changes) do
        local last = list[#list]
        if last ~= nil and last[3] == change[3] and last[2] and last[2] == change[1] then
            last[2], last[5] = change[2], change[5]
        else
            list[#list + 1] = change
        end
    end
    return list
end

local function run_schema_triggers(position)
    for _, change in ipairs(merged(native.changes(position))) do
        local old, new, space_id = change[1], change[2], change[3]
        local space = spaces[space_id]
        local lists = space ~= nil and not silent[space_id] and lists_of(space).on_replace
        if lists then
            local kind = not old and 'INSERT' or not new and 'DELETE' or 'UPDATE'
            run_on_replace(lists, tuple_of(old, space_id, change[4]),
                tuple_of(new, space_id, change[5]), space.name, kind)
        end
    end
end

-- Does a change of the schema, which writes rows of system spaces, with the triggers of those as one
-- statement. Answers as the native function does: with nil when its error is pending.
function statements.change_schema(change, ...)
    count_statement()
    if begin_statement(context) < 0 then
        return nil
    end
    local position = native.log_position()
    local result = change(...)
    local ok, failure = true, nil
    if result ~= nil then
        ok, failure = pcall(run_schema_triggers, position)
    end
    if ok and result ~= nil then
        if end_statement(context) == 1 then
            -- Triggers of the commit see the spaces as they are now.
            transactions.sync()
            api.commit()
        end
        return result
    end
    if undo_statement(context) == 1 then
        api.rollback()
    end
    if not ok then
        transactions.sync()
        error(failure, 0)
    end
    return nil
end

function statements.insert(space_id, tuple)
    return run_and_return({kind = 'INSERT', space_id = space_id, index_id = 0,
        bytes = bytes_of(encoder.encode, tuple)})
end

function statements.replace(space_id, tuple)
    return run_and_return({kind = 'REPLACE', space_id = space_id, index_id = 0,
        bytes = bytes_of(encoder.encode, tuple)})
end

function statements.delete(space_id, index_id, key)
    return run_and_return({kind = 'DELETE', space_id = space_id, index_id = index_id,
        bytes = bytes_of(encoder.encode_key, key)})
end

function statements.update(space_id, index_id, key, operations)
    return run_and_return({kind = 'UPDATE', space_id = space_id, index_id = index_id,
        bytes = bytes_of(encoder.encode_key, key),
        operations = bytes_of(encoder.encode, operations)})
end

-- An upsert of which a trigger has made another request answers as that does.
function statements.upsert(space_id, tuple, operations)
    return run_and_return({kind = 'UPSERT', space_id = space_id, index_id = 0,
        bytes = bytes_of(encoder.encode, tuple),
        operations = bytes_of(encoder.encode, operations)})
end

return statements
