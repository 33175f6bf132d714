-- What a half-typed word in the console may become: globals, and members of what stands before the
-- last dot or colon, where that can be looked at without calling anything.

local CANDIDATES_LIMIT = 500

-- Members of a value: its own keys, and those that its metatables offer.
local function add_members(members, value, depth)
    if depth > 8 then
        return
    end
    if type(value) == 'table' then
        for key, item in next, value do
            if type(key) == 'string' then
                members[key] = item
            end
        end
    end
    local metatable = debug.getmetatable(value)
    if type(metatable) ~= 'table' then
        return
    end
    local listed = rawget(metatable, '__autocomplete')
    if type(listed) == 'function' then
        local ok, more = pcall(listed, value)
        if ok and type(more) == 'table' then
            add_members(members, more, depth + 1)
        end
    end
    local index = rawget(metatable, '__index')
    if type(index) == 'table' then
        add_members(members, index, depth + 1)
    end
end

local function value_at(path)
    local value = _G
    for name in path:gmatch('[^.:]+') do
        local ok, member = pcall(function() return value[name] end)
        if not ok or member == nil then
            return nil
        end
        value = member
    end
    return value
end

-- The words that the one at the end of `line` may become.
local function complete(line)
    local word = line:match('[%w_.:]*$')
    local path, separator, start = word:match('^(.-)([.:]?)([%w_]*)$')
    local container = value_at(path)
    if container == nil or path == '' and separator ~= '' then
        return {}
    end
    local members, candidates = {}, {}
    add_members(members, container, 0)
    for name, member in pairs(members) do
        local fits = name:sub(1, #start) == start and name:match('^[%a_][%w_]*$')
        if fits and (separator ~= ':' or type(member) == 'function') then
            candidates[#candidates + 1] = path .. separator .. name .. (type(member) == 'function' and '(' or '')
        end
    end
    table.sort(candidates)
    for position = #candidates, CANDIDATES_LIMIT + 1, -1 do
        candidates[position] = nil
    end
    return candidates
end

return {complete = complete}
