local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local q = box.schema.sequence.create('q', {max = 2})
show('next', q:next(), q:next())
q:alter({max = 5})
show('more room', q.max, q:next())
q:alter({step = 2, cycle = true})
show('step', q.step, q.cycle, q:next(), q:next())
q:alter({name = 'renamed'})
show('renamed', box.sequence.renamed == q, box.sequence.q, q.name)
q:alter({start = 3})
show('the value stays', q.start, q:current())
box.schema.sequence.alter('renamed', {min = -5, max = 100})
show('by name', q.min, q.max)
show('row', box.space._sequence:get(q.id))
local id = q.id
q:drop()
show('dropped', box.sequence.renamed, box.sequence[id], box.space._sequence:count(), box.space._sequence_data:select())
show('number again', box.schema.sequence.create('other').id == id)

os.exit(0)
