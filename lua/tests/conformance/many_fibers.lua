local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local fiber = require('fiber')
local s = box.schema.space.create('s')
s:create_index('pk')
local count, finished = 10000, 0
for i = 1, count do
    fiber.create(function()
        box.begin()
        s:insert{i, 'x'}
        box.commit()
        fiber.yield()
        box.begin()
        s:replace{i, 'y'}
        box.commit()
        finished = finished + 1
    end)
end
while finished < count do fiber.sleep(0) end
local wrong = 0
for _, t in s:pairs() do if t[2] ~= 'y' then wrong = wrong + 1 end end
show('rows', s:len(), wrong)

os.exit(0)
