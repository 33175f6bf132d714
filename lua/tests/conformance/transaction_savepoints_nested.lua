local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

local space = box.schema.space.create('nested')
space:create_index('pk')
local function ids()
    local list = {}
    for _, tuple in space:pairs() do list[#list + 1] = tuple[1] end
    return table.concat(list, ' ')
end
-- To each of five savepoints, from the last; those behind it are gone, it stays.
for target = 1, 5 do
    box.begin()
    local savepoints = {}
    for number = 1, 5 do
        space:insert{number * 10}
        savepoints[number] = box.savepoint()
        space:insert{number * 10 + 1}
    end
    box.rollback_to_savepoint(savepoints[target])
    print(target, ids())
    for number = 1, 5 do
        print('  then', number, sweep.result(box.rollback_to_savepoint, savepoints[number]), ids())
    end
    space:insert{99}
    print('  to it again', sweep.result(box.rollback_to_savepoint, savepoints[1]), ids())
    box.rollback()
    print('  left', ids())
end
-- Two savepoints at one place, and one before anything.
box.begin()
local first, second = box.savepoint(), box.savepoint()
space:insert{1}
print(sweep.result(box.rollback_to_savepoint, second), ids())
space:insert{2}
print(sweep.result(box.rollback_to_savepoint, first), ids())
print(sweep.result(box.rollback_to_savepoint, second))
print(sweep.result(box.rollback_to_savepoint, first))
space:insert{3}
box.commit()
print(ids())
-- Of another transaction, of none, and what is no savepoint.
box.begin()
print(sweep.result(box.rollback_to_savepoint, first))
local other = box.savepoint()
box.commit()
print(sweep.result(box.rollback_to_savepoint, other))
print(sweep.result(box.savepoint))
box.begin()
for _, value in ipairs{'nil', '1', "'x'", '{}', '{csavepoint = 1}'} do
    print(value, (pcall(box.rollback_to_savepoint, sweep.value(value))))
end
box.rollback()

os.exit(0)
