local show = require('show')
local elements = require('elements')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
local by_name = s:create_index('name', {parts = {2, 'string'}, unique = false})
for i = 1, 6 do s:insert{i, i % 2 == 0 and 'even' or 'odd'} end
local function first(tuple) return tuple[1] end

show('object', tostring(s:pairs()), type(s:pairs().gen), select('#', s:pairs()))
show('map', s:pairs():map(first):totable(), pk:pairs(4, {iterator = 'GE'}):map(first):totable())
show('filter', s:pairs():filter(function(t) return t[2] == 'even' end):map(first):totable())
show('secondary', by_name:pairs('odd'):map(first):totable(), by_name:pairs():length())
show('take and drop', s:pairs():drop(1):take(2):map(first):totable(), s:pairs():nth(3), s:pairs():head())
show('fold', s:pairs():map(first):sum(), s:pairs():foldl(function(sum, t) return sum + t[1] end, 0))
show('empty', s:pairs(100):is_null(), s:pairs(100):totable())
show('module', require('fun').map(first, s:pairs()):totable(), elements(require('fun').iter(s:pairs(2))))
local count = 0
for _, t in s:pairs() do count = count + t[1] end
for _, t in pk:pairs() do count = count + t[1] end
show('generic for', count)
show('methods', s:pairs():any(function(t) return t[1] == 6 end), s:pairs():length(),
    s:pairs():map(first):max(), s:pairs():enumerate():map(function(i, t) return i - t[1] end):sum())

local tuple = box.tuple.new({10, 'b', {3}})
show('tuple', elements(tuple:pairs()), tostring(tuple:pairs()), tuple:pairs():totable())
show('by hand', tuple:pairs():map(tostring):totable()[1])
local fields = {}
for position, value in tuple:pairs() do fields[position] = value end
show('fields', fields)

os.exit(0)
