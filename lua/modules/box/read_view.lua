-- `box.read_view`: all spaces as they are now, to be read while they change.
--
-- Opening a view costs time and memory with every tuple there is: the engine copies the indexes. Its
-- spaces are read as others are, under numbers that the engine gives out with the view.

local native = ...
local ffi = require('ffi')
local fiber = require('fiber')
local checks = require('lycosa.schema_checks')
local database = require('lycosa.database')
local hooks = require('lycosa.hooks')
local reads = require('lycosa.space_reads')
local wrap = require('lycosa.iterator').wrap

local context, format_ids = database.context, database.format_ids

local get
require('lycosa.statements').follow(function(use) get = use.get end)

-- Numbers of the copies by number of the view, as long as it is open.
local open_views = {}

local function close(id)
    for _, copy_id in pairs(open_views[id] or {}) do
        format_ids[copy_id] = nil
    end
    open_views[id] = nil
    database.read_view_close(context, id)
end

ffi.cdef('struct lycosa_read_view { double id; };')
-- Closes a view that nobody can reach any more; its spaces and indexes keep it.
local handle_t = ffi.metatype('struct lycosa_read_view', {
    __gc = function(handle) close(handle.id) end,
})

--- Indexes and spaces of a view.

-- The number to read an index by.
local function readable(index, method)
    if type(index) ~= 'table' or index._handle == nil then
        error(('Use index:%s(...) instead of index.%s(...)'):format(method, method), 3)
    elseif open_views[index._handle.id] == nil then
        box.error(box.error.READ_VIEW_CLOSED)
    end
    return index._copy_id
end

local index_methods = {}

function index_methods.get(index, key)
    return get(readable(index, 'get'), index.id, key)
end

function index_methods.select(index, key, options)
    return reads.select(readable(index, 'select'), index.id, key, options)
end

function index_methods.count(index, key, options)
    return reads.count(readable(index, 'count'), index.id, key, options)
end

function index_methods.tuple_pos(index, tuple)
    return reads.position_of(readable(index, 'tuple_pos'), index.id, tuple)
end

function index_methods.pairs(index, key, options)
    local iterator = reads.pairs_of(readable(index, 'pairs'), index.id, key, options)
    local function next_of_view(param, state)
        readable(index, 'pairs')
        return iterator.gen(param, state)
    end
    return wrap(next_of_view, iterator.param, iterator.state)
end

function index_methods.offset_of(index, key, options)
    return reads.offset_of(readable(index, 'offset_of'), index.id, key, options)
end

function index_methods.quantile()
    box.error(box.error.UNSUPPORTED, 'Lycosa', 'index:quantile() of a read view')
end

local space_methods = {}

for name, method in pairs(index_methods) do
    space_methods[name] = function(space, ...)
        if type(space) ~= 'table' or space.index == nil then
            error(('Use space:%s(...) instead of space.%s(...)'):format(name, name), 2)
        end
        local primary = space.index[0]
        if primary == nil then
            box.error(box.error.NO_SUCH_INDEX_ID, 0, space.name)
        end
        return method(primary, ...)
    end
end

-- What yaml and json show: an object without what is ours.
local function shown(object)
    local fields = {}
    for name, value in pairs(object) do
        if name:sub(1, 1) ~= '_' then
            fields[name] = value
        end
    end
    return fields
end

local space_mt = {__index = space_methods}
local index_mt = {__index = index_methods, __serialize = shown}
local spaces_mt = {
    __serialize = function(spaces)
        local fields = {}
        for name, space in pairs(spaces) do
            if type(name) == 'string' and name:sub(1, 1) ~= '_' then
                fields[name] = {id = space.id}
            end
        end
        return fields
    end,
}

local function space_of_view(space, copy_id, handle)
    local indexes = {}
    for _, index in pairs(space.index) do
        local of_view = indexes[index.id] or setmetatable({
            id = index.id, name = index.name, _copy_id = copy_id, _handle = handle,
        }, index_mt)
        indexes[index.id], indexes[index.name] = of_view, of_view
    end
    return setmetatable({id = space.id, name = space.name, index = indexes}, space_mt)
end

--- Views.

local registry = setmetatable({}, {__mode = 'v'})
local view_methods = {}

local function check_view(view, method)
    if type(view) ~= 'table' or view._handle == nil then
        checks.illegal('Use read_view:%s(...) instead of read_view.%s(...)', method, method)
    end
end

function view_methods.info(view)
    check_view(view, 'info')
    return {
        id = view.id, name = view.name, is_system = view.is_system, timestamp = view.timestamp,
        vclock = view.vclock, signature = view.signature, status = view.status,
    }
end

function view_methods.close(view)
    check_view(view, 'close')
    if open_views[view.id] == nil then
        box.error(box.error.READ_VIEW_CLOSED)
    end
    close(view.id)
end

local view_mt = {
    __serialize = view_methods.info,
    __index = function(view, name)
        if name == 'status' then
            return open_views[view.id] ~= nil and 'open' or 'closed'
        end
        return view_methods[name]
    end,
}

local read_view = database.api.read_view

function read_view.open(options)
    local name = checks.options(options, {name = 'string'}).name or 'unknown'
    local id, copies = native.read_view_open()
    checks.native(id)
    open_views[id] = copies
    local handle = handle_t(id)
    local spaces = setmetatable({}, spaces_mt)
    for space_id, copy_id in pairs(copies) do
        local space = hooks.spaces[space_id]
        if space ~= nil then
            format_ids[copy_id] = format_ids[space_id]
            local of_view = space_of_view(space, copy_id, handle)
            spaces[space.id], spaces[space.name] = of_view, of_view
        end
    end
    local view = setmetatable({
        id = id, name = name, is_system = false, timestamp = fiber.clock(), space = spaces,
        vclock = box.info.vclock, signature = box.info.signature, _handle = handle,
    }, view_mt)
    registry[id] = view
    return view
end

-- The open views, the oldest first.
function read_view.list()
    local list = {}
    for id, view in pairs(registry) do
        if open_views[id] ~= nil then
            list[#list + 1] = view
        end
    end
    table.sort(list, function(left, right) return left.id < right.id end)
    return list
end

return {}
