-- Parts of `box` are the same whichever way they are first touched: by a name, a walk, an assignment, a
-- call, or where they are encoded.
local json = require('json')
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local function has(map, name)
    for key in pairs(map) do
        if key == name then
            return true
        end
    end
    return false
end

show('walks', has(box.session, 'su'), has(box.slab, 'info'),
    has(box.ctl, 'wait_rw'), has(box.error, 'TUPLE_FOUND'), has(box.schema.user, 'grant'),
    has(box.schema.role, 'grant'), has(box.schema.sequence, 'create'), has(box.schema.func, 'drop'),
    has(box.runtime, 'info'))
show('a code', box.error.NO_SUCH_SPACE, box.error.NO_SUCH_THING)
show('nothing there', box.session.nothing, box.ctl.nothing, box.schema.user.nothing, box.sequence.nothing,
    box.func.nothing)

-- System spaces by name, by number, and by a walk.
show('absent', box.space.absent, box.space[100000])
show('by name', box.space._user.id, box.space._user == box.space[304], box.space[288] == box.space._index)
local names, numbers = {}, 0
for key, space in pairs(box.space) do
    if type(key) == 'string' then
        names[key] = space.id
    else
        numbers = numbers + 1
    end
end
show('by a walk', names._space, names._vspace, names._schema, names._func, numbers > 20)
show('the same objects', box.space._user == box.space[304], box.space._user.id)
local s = box.schema.space.create('s')
show('a new one among them', has(box.space, 's'), box.space.s == s, box.space[s.id] == s)
s:drop()
show('no more', has(box.space, 's'), box.space.s)

-- Members of one's own.
box.session.mine = 1
box.ctl.mine = 2
show('assigned', box.session.mine, box.ctl.mine, type(box.session.id), type(box.ctl.wait_ro))

show('encoded', json.decode(json.encode(box.info())).status,
    type(json.decode(json.encode(box.slab.info())).quota_size))
local ok, reason = pcall(box.error, box.error.NO_SUCH_SPACE, 'something')
show('an error', ok, reason)
os.exit(0)
