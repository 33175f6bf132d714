-- The objects of indexes: what `space.index` holds, made from what the engine says of a space.

local index_mt = require('lycosa.space').index_mt

-- The parts of an index do what a key definition of them does.
local parts_mt = {__index = {}}
local PARTS_METHODS = {
    extract_key = 'tuple', compare = 'tuple_a, tuple_b', compare_with_key = 'tuple, key',
    merge = 'second_index_parts',
}
for method, parameters in pairs(PARTS_METHODS) do
    local _, commas = parameters:gsub(',', '')
    parts_mt.__index[method] = function(parts, ...)
        if type(parts) ~= 'table' or select('#', ...) ~= commas + 1 then
            error(('Usage: index.parts:%s(%s)'):format(method, parameters), 2)
        end
        local key_def = require('key_def')
        local definition = key_def.new(parts)
        if method ~= 'merge' then
            return definition[method](definition, ...)
        end
        local is_made, other = pcall(key_def.new, (...))
        if not is_made then
            error("Can't create key_def from the second index.parts", 2)
        end
        return definition:merge(other)
    end
end

-- Whether an index has hints: every TREE but one whose declaration says no.
local function has_hints(described)
    if described.type ~= 'TREE' then
        return nil
    end
    local options = described.options
    return not options:find('hint', 1, true) or require('msgpack').decode(options).hint ~= false
end

local function update_index(space, known, described)
    local index = known or setmetatable({}, index_mt)
    index.id, index.name, index.space_id = described.id, described.name, space.id
    index.type, index.unique, index.hint = described.type, described.unique, has_hints(described)
    index.parts = setmetatable(described.parts, parts_mt)
    return index
end

-- Brings the objects of a space's indexes up to what the engine says of them, keeping their identity.
local function update(space, described)
    local old = space.index or {}
    local indexes, by_name = old, {}
    for _, index in ipairs(described.indexes) do
        by_name[index.id] = update_index(space, old[index.id], index)
        by_name[index.name] = by_name[index.id]
    end
    for key in pairs(indexes) do
        indexes[key] = nil
    end
    for key, index in pairs(by_name) do
        indexes[key] = index
    end
    space.index = indexes
end

return {update = update}
