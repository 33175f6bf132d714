local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local payload = ('x'):rep(10000)
local inserted, failure = 0, nil
box.begin()
while failure == nil do
    local ok, err = pcall(s.insert, s, {inserted + 1, payload})
    if ok then inserted = inserted + 1 else failure = err end
end
show('failed', failure.type, inserted > 100, s:len() == inserted)
show('delete works', s:delete(1) ~= nil)
box.rollback()
show('rolled back', s:len())
local again = 0
for i = 1, 100 do s:insert{i, payload} again = again + 1 end
show('works again', again, s:len())

os.exit(0)
