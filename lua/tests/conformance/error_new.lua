-- differs from 2.6: errors of 3.x have a name, details, and texts without "Illegal parameters"
local show = require('show')

local function describe(label, err)
    print(label, err.type, err.base_type, err.code, err.name, err.message, err.custom_type)
end

describe('code', box.error.new(box.error.NO_SUCH_SPACE, 'test'))
describe('code and no text', box.error.new(box.error.READONLY))
describe('unknown code', box.error.new(99999, 'x'))
describe('table', box.error.new{code = 5000, reason = 'why'})
describe('message', box.error.new{code = 1, message = 'why'})
describe('custom', box.error.new{type = 'Mine', code = 7, reason = 'why'})
describe('custom by arguments', box.error.new('Mine', '%s and %d', 'text', 5))
describe('empty table', box.error.new{})
local detailed = box.error.new{code = 1, reason = 'r', colour = 'green', depth = 3, list = {1, 2}}
show('details', detailed.colour, detailed.depth, detailed.list, detailed.nothing)
show('details of a code', box.error.new(box.error.ALTER_SPACE, 's', 'why').space,
    box.error.new(box.error.ALTER_SPACE, 's', 'why').details)
local unpacked = detailed:unpack()
show('unpacked', unpacked.colour, unpacked.depth, unpacked.message, unpacked.code, #unpacked.trace)
show.try('without a format\'s argument', box.error.new, box.error.NO_SUCH_SPACE)
show.try('nothing', box.error.new)
show.try('text alone', box.error.new, 'x')
show.try('boolean', box.error.new, true)
show('is', box.error.is(detailed), box.error.is('x'), box.error.is(nil), box.error.is(box.NULL))

os.exit(0)
