local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
s:insert{1}
local ok, err = pcall(s.insert, s, {1})
show('error', ok, type(err), err.code, err.type, err.code == box.error.TUPLE_FOUND, tostring(err) == err.message)
show('last', box.error.last() == err)
show('trace', #err.trace > 0, type(err.trace[1].file), type(err.trace[1].line))
show('unpack', err:unpack().code, err:unpack().type, err:unpack().message == err.message)
box.error.clear()
show('cleared', box.error.last())
local made = box.error.new{code = 1000, reason = 'mine'}
show('made', made.code, made.message, made.type)
show.try('raise', made.raise, made)
show.try('by code', box.error, box.error.ILLEGAL_PARAMS, 'why')
show('message', box.error.last().message:find('why') ~= nil)
show.try('by table', box.error, {code = 5000, reason = 'text'})
show('codes', box.error.UNKNOWN, box.error.ILLEGAL_PARAMS, box.error.MEMORY_ISSUE, box.error.TUPLE_FOUND,
    box.error.UNSUPPORTED, box.error.NO_SUCH_SPACE, box.error.TRANSACTION_CONFLICT, box.error.PROC_LUA)
show('through atomic', select(2, pcall(box.atomic, function() made:raise() end)) == made)

os.exit(0)
