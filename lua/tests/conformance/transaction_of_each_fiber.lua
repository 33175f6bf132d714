local fiber = require('fiber')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A transaction belongs to its fiber; one that is left open is undone at the fiber's end.
local space = box.schema.space.create('fibers')
space:create_index('pk')
local function in_fiber(run)
    local made = fiber.new(run)
    made:set_joinable(true)
    print(made:join())
end
in_fiber(function() box.begin() space:insert{1} return box.is_in_txn() end)
print(space:len(), box.is_in_txn())
in_fiber(function() box.begin() space:insert{2} box.commit() return box.is_in_txn() end)
print(space:len())
in_fiber(function() box.begin() space:insert{3} error('stop', 0) end)
print(space:len(), box.is_in_txn())
box.begin()
in_fiber(function() return box.is_in_txn(), pcall(box.begin) end)
print(box.is_in_txn())
space:insert{4}
print(pcall(box.commit))
print(space:len())
local savepoint
in_fiber(function() box.begin() savepoint = box.savepoint() space:insert{5} return box.commit() end)
box.begin()
print((pcall(box.rollback_to_savepoint, savepoint)))
box.rollback()
for number = 10, 14 do
    fiber.new(function()
        box.begin()
        for step = 0, 2 do space:insert{number * 10 + step} end
        if number % 2 == 0 then box.commit() else box.rollback() end
    end)
end
fiber.sleep(0.01)
for _, tuple in space:pairs() do io.write(tuple[1], ' ') end
print()

os.exit(0)
