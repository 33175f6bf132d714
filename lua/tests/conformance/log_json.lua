-- differs from 2.6: log.cfg has the options of 3.x
local show = require('show')
local log = require('log')
local json = require('json')

log.cfg{log = 'my.log', format = 'json'}
log.info('text "%s"', 'quoted')
log.warn({message = 'of a table', number = 5, pid = 'not this'})
log.error({1, two = 2})
log.info({})
log.new('module').info('named')
log.info(setmetatable({}, {__serialize = function() return {message = 'serialized'} end}))
log.log_format('plain')
log.info('plain')
local position = 0
for line in io.lines('my.log') do
    position = position + 1
    if line:sub(1, 1) == '{' then
        local entry = json.decode(line)
        show('line ' .. position, entry.level, entry.message, entry.number, entry.two, entry.module, entry.file, entry.line,
            type(entry.pid), type(entry.fiber_id), type(entry.fiber_name), entry.cord_name)
        show('time', entry.time:match('^%d+%-%d+%-%d+T%d+:%d+:%d+%.%d+[+-]%d+$') ~= nil)
    else
        show('plain', line:match('I> (.*)'))
    end
end
show('format', log.cfg.format)

os.exit(0)
