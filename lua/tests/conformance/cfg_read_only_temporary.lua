local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local temporary = box.schema.space.create('temporary', {temporary = true})
temporary:create_index('pk')
local normal = box.schema.space.create('normal')
normal:create_index('pk')
box.cfg{read_only = true}
show('insert', temporary:insert{1, 'one'})
show('replace', temporary:replace{1, 'two'})
show('update', temporary:update(1, {{'=', 2, 'three'}}))
temporary:upsert({2}, {})
show('delete', temporary:delete(2))
show('read', temporary:select())
show.try('the other', normal.insert, normal, {1})
box.begin()
temporary:insert{3}
box.commit()
show('committed', temporary:get(3))
show.try('too large', temporary.insert, temporary, {4, ('x'):rep(2 * 1024 * 1024)})
show.try('drop', temporary.drop, temporary)
box.cfg{read_only = false}
local id = temporary.id
temporary:drop()
local again = box.schema.space.create('again', {id = id})
again:create_index('pk')
box.cfg{read_only = true}
show.try('a number used anew', again.insert, again, {1})

os.exit(0)
