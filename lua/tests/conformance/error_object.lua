local show = require('show')
local json = require('json')

local err = box.error.new{code = 5000, reason = 'what'}
local other = box.error.new{code = 5000, reason = 'what'}
show('type', type(err), tostring(err))
show('equal', err == err, err == other, err ~= other, err == nil, err == 'what')
show('concatenation', 'x' .. err, err .. 'y', err .. other, 1 .. err)
show.fails('with a table', function() return err .. {} end)
show.fails('length', function() return #err end)
show.fails('call', function() return err() end)
show.fails('order', function() return err < other end)
show.fails('write', function() err.code = 1 end)
show('match', err:match('w(.*)'), err:match('z'))
show.try('match of nothing', err.match)
show.try('unpack of nothing', err.unpack)
show('json', json.encode(err), json.encode{error = err})
show('unknown field', err.no_such_field, err.errno)
local function thrower()
    box.error(box.error.NO_SUCH_SPACE, 'deep')
end
local _, thrown = pcall(thrower)
show('trace', #thrown.trace, thrown.trace[1].line, thrown.trace[1].file:match('[^/]*$'))
local as_key = {[err] = 1}
show('key', as_key[err], as_key[other])

os.exit(0)
