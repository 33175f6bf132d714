local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local q = box.schema.sequence.create('q')
local s = box.schema.space.create('s')
s:create_index('pk', {sequence = 'q'})
box.begin()
show('inside', q:next(), s:insert{box.NULL, 'a'})
box.rollback()
show('values stay', q:current(), s:insert{box.NULL, 'b'})

box.begin()
local made = box.schema.sequence.create('made')
show('inside', made:next(), box.sequence.made == made)
box.rollback()
show('made', box.sequence.made)

box.begin()
q:alter({step = 10})
show('inside', q:next())
box.rollback()
show('altered', q.step, q:next())

box.begin()
s.index.pk:alter({sequence = false})
q:drop()
show('inside', box.sequence.q)
box.rollback()
show('dropped', box.sequence.q.name, s.index.pk.sequence_id == box.sequence.q.id, box.sequence.q:next(), s:insert{box.NULL, 'c'})

box.begin()
s:drop()
box.rollback()
show('space', box.space.s:insert{box.NULL, 'd'})

box.begin()
local t = box.schema.space.create('t')
t:create_index('pk', {sequence = true})
show('inside', t:insert{nil, 1})
box.rollback()
show('generated', box.sequence.t_seq, box.space._space_sequence:count(), box.space._sequence:count())

os.exit(0)
