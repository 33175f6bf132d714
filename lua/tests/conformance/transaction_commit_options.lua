-- differs from 2.6: options of 3.x
local show = require('show')

local levels = box.txn_isolation_level
show('levels', levels['default'], levels['best-effort'], levels['read-committed'], levels['read-confirmed'], levels['linearizable'])
show('in capitals', levels.DEFAULT, levels.BEST_EFFORT, levels.READ_COMMITTED, levels.READ_CONFIRMED, levels.LINEARIZABLE)
show('by number', levels[0], levels[4], levels[5])
box.cfg{log_level = 0}

local s = box.schema.space.create('s')
s:create_index('pk')
for _, wait in ipairs({'complete', 'submit', 'none'}) do
    box.begin{txn_isolation = levels.READ_COMMITTED, timeout = 10, is_sync = false}
    s:replace{1, wait}
    show.try(wait, box.commit, {wait = wait})
    show('stored', s:get(1)[2])
end
box.begin()
show.try('unknown wait', box.commit, {wait = 'forever'})
show.try('wait of another type', box.commit, {wait = 1})
show.try('unknown option', box.commit, {colour = 'red'})
show.try('no table', box.commit, 5)
show('still in it', box.is_in_txn())
show.try('empty', box.commit, {})
show.try('begin with a wrong level', box.begin, {txn_isolation = 'wrong'})
show.try('begin with a wrong timeout', box.begin, {timeout = 0})
show('atomic with options', box.atomic({txn_isolation = 'best-effort'}, function(...) s:replace{2} return ... end, 1, nil, 3))
show('id outside', box.txn_id())
box.begin()
s:replace{3}
show('id inside', type(box.txn_id()))
box.rollback()

os.exit(0)
