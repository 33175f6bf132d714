-- Statements do the same while the compiler is off, and after it was switched off and on.
box.cfg({memtx_memory = 134217728, wal_mode = 'none', log_level = 2})
local space = box.schema.space.create('switched')
space:format({{name = 'id'}, {name = 'count'}, {name = 'note', is_nullable = true}})
space:create_index('primary', {parts = {{1, 'unsigned'}}})
space:create_index('by_count', {parts = {{2, 'unsigned'}}, unique = false})

local function fails(call, ...)
    local ok, err = pcall(call, ...)
    return ok, type(err) == 'string' and err or err.code
end

local function round(name)
    print(name)
    space:truncate()
    for number = 1, 300 do
        space:insert({number, number % 7})
        space:replace({number, number % 5, ('x'):rep(number % 90)})
        if number % 3 == 0 then space:update(number, {{'+', 'count', 1}, {'=', 3, 'third'}}) end
        if number % 10 == 0 then space:delete(number) end
        space:upsert({number, 100, 'new'}, {{'+', 2, 10}})
    end
    local sum, bytes = 0, 0
    for number = 1, 300 do
        local tuple = space:get({number})
        sum, bytes = sum + tuple.count * number, bytes + tuple:bsize()
    end
    print(sum, bytes, space:len(), space.index.by_count:count(11))
    print(space:insert({1000, 1}), space:get(1000), space:get(1001), space:delete(1001), space:delete({1000}))
    print(space.index.primary:get(3), space.index.primary:update(4, {{'-', 2, 1}}), space.index.primary:delete(5))
    print(fails(space.insert, space, {1, 1}))
    print(fails(space.insert, space, {'one', 1}))
    print(fails(space.insert, space, {a = 1}))
    print(fails(space.insert, space, 1))
    print(fails(space.get, space, 'one'))
    print(fails(space.get, space, {1, 2}))
    print(fails(space.update, space, 1, {{'+', 1, 1}}))
    print(fails(space.update, space, 1, {{'?', 2, 1}}))
    print(fails(space.upsert, space, 1, {}))
    print(fails(space.index.by_count.get, space.index.by_count, 1))
    box.begin()
    space:delete(7)
    space:insert({7, 7, 'rolled back'})
    box.rollback()
    print(space:get(7))
    local trigger = space:before_replace(function(_, new) return new and new:update({{'=', 3, 'triggered'}}) end)
    print(space:replace({8, 8}), space:insert({2000, 1}))
    space:before_replace(nil, trigger)
end

round('as it is')
jit.off()
round('off')
jit.on()
round('on again')
jit.off()
local function alone()
    jit.on(true, true)
    return space:get(9)
end
print(alone())
round('off again')
os.exit(0)
