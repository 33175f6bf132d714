local sweep = require('sweep')
local fiber = require('fiber')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A yield undoes a transaction that has done something, and leaves one that has not.
local space = box.schema.space.create('yields')
space:create_index('pk')
space:insert{1, 'old'}
local steps = {
    'nil', 'box.savepoint() ~= nil', 'space:insert{2}', 'space:insert{1}', "space:insert{'x'}", 'space:replace{1, 2}',
    'space:delete{1}', 'space:delete{9}', "space:update(1, {{'=', 2, 3}})", "space:update(9, {{'=', 2, 3}})",
    "space:upsert({1}, {{'=', 2, 3}})", 'space:get{1}', 'space:get{9}', "space:get{'x'}", 'space:select{}', 'space:count()',
    'space:len()', 'space.index.pk:max()', 'space.index.pk:random(1) ~= nil', 'space:truncate()',
    "box.schema.space.create('made').name", "space:create_index('second').name", "space:rename('renamed')",
}
for _, text in ipairs(steps) do
    local run = loadstring('local space = ... return ' .. text)
    for _, pause in ipairs{fiber.yield, function() fiber.sleep(0) end, function() fiber.create(function() end) end} do
        box.begin()
        local result = sweep.result(run, space)
        pause()
        local ended = box.is_in_txn()
        print(text, result, ended, sweep.result(box.commit), box.is_in_txn(), space:len(), sweep.result(space.get, space, 1))
        if box.space.made ~= nil then box.space.made:drop() end
        if space.index.second ~= nil then space.index.second:drop() end
        if space.name ~= 'yields' then space:rename('yields') end
        space:truncate()
        space:insert{1, 'old'}
    end
end

os.exit(0)
