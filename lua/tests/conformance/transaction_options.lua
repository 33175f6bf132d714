-- differs from 2.6: box.begin takes options since 2.10
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

show.try('no options', box.begin, {})
box.rollback()
show.try('timeout', box.begin, {timeout = 5})
box.rollback()
show.try('isolation', box.begin, {txn_isolation = 'read-confirmed'})
box.rollback()
show.try('isolation number', box.begin, {txn_isolation = 2})
box.rollback()
show('none open', box.is_in_txn())
show.try('wrong isolation', box.begin, {txn_isolation = 'strange'})
show.try('wrong timeout', box.begin, {timeout = -1})
show.try('text timeout', box.begin, {timeout = 'x'})
show.try('unknown', box.begin, {wrong = 1})
show.try('not a table', box.begin, 5)
show('none open', box.is_in_txn())

os.exit(0)
