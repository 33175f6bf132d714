local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

local space = box.schema.space.create('control')
space:create_index('pk')
print(sweep.result(box.commit), sweep.result(box.rollback), box.is_in_txn())
print(sweep.result(box.begin), box.is_in_txn(), sweep.result(box.begin), box.is_in_txn())
space:insert{1}
print(sweep.result(box.begin), space:count())
print(sweep.result(box.commit), box.is_in_txn(), space:count())
print(sweep.result(box.atomic, function() return space:insert{2}, space:count() end), box.is_in_txn())
print(sweep.result(box.atomic, function() space:insert{3} error('stop', 0) end), space:count(), box.is_in_txn())
print(sweep.result(box.atomic, function() space:insert{3} return space:insert{3} end), space:count())
print(sweep.result(box.atomic, function() return box.atomic(function() return 'inner' end) end), box.is_in_txn())
print(sweep.result(box.atomic, function(...) return select('#', ...), ... end, 1, nil, 3))
print(sweep.result(box.atomic, function() space:insert{4} box.rollback() end), space:count(), box.is_in_txn())
print(sweep.result(box.atomic, function() space:insert{5} box.commit() end), space:count(), box.is_in_txn())
box.begin()
print(pcall(box.atomic, function() return 1 end), box.is_in_txn())
box.rollback()
print(space:count(), box.is_in_txn())

os.exit(0)
