local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Triggers that change data: part of the statement, at most four deep.
local s = box.schema.space.create('s')
s:create_index('pk')
local other = box.schema.space.create('other')
other:create_index('pk')
local depth = 0
local chain = function(old, new)
    depth = depth + 1
    s:replace{new[1] + 1}
end
s:on_replace(chain)
local ok, err = pcall(s.replace, s, {1})
show('too deep', ok, err.type, err.code, err.message, depth)
show('nothing is left', s:select(), box.is_in_txn())
depth = 0
box.begin()
other:insert{1}
show.try('in a transaction', s.replace, s, {1})
show('depth', depth)
box.commit()
show('the rest is left', s:select(), other:select())
s:on_replace(nil, chain)
-- As deep as may be.
local bounded = function(old, new)
    if new[1] < 4 then
        s:replace{new[1] + 1}
    end
end
s:on_replace(bounded)
show('four', s:replace{1})
show('rows', s:select())
s:on_replace(nil, bounded)
s:truncate()
-- A failure inside that is caught undoes the inner statement only.
local catches = function(old, new)
    other:insert{new[1] * 10}
    show.try('inner', other.insert, other, {1})
end
s:on_replace(catches)
show('outer', s:insert{5})
show('rows', s:select(), other:select())

os.exit(0)
