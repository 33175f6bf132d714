-- differs from 2.6: log.cfg has the options of 3.x
local show = require('show')
local log = require('log')

local function lines()
    local result = {}
    for line in io.lines('my.log') do
        result[#result + 1] = line:gsub('^%d+%-%d+%-%d+ %d+:%d+:%d+%.%d+ %[%d+%] main/%d+/[^/ ]+', 'FIBER')
    end
    return result
end

log.cfg{log = 'my.log', level = 'verbose'}
log.info('%d and %s', 5, 'text')
log.info('100%')
log.warn('a warning')
log.error({1, {a = 2}})
log.verbose(true)
log.debug('not this')
log.info(nil)
log.info(box.NULL)
log.crit('critical')
log.new('module').info('of a module')
log.new('module').error('with a place')
for _, line in ipairs(lines()) do print(line) end
show('same logger', log.new('module') == log.new('module'), log.new('module').name)
show.try('arguments', log.info, '%d', 'x')
show('cfg', log.cfg.log, log.cfg.level, log.cfg.format, log.level())
show.try('another file', log.cfg, {log = 'other.log'})
show.try('unknown', log.cfg, {colour = 'red'})
show.try('level', log.level, 'loud')
show.try('format', log.log_format, 'xml')
show.try('type', log.cfg, {format = 5})
show.try('modules', log.cfg, {modules = {a = 'loud'}})
show.try('new', log.new, 5)
box.cfg{}
show('box.cfg knows', box.cfg.log, box.cfg.log_level)
log.level('error')
show('both ways', box.cfg.log_level, log.cfg.level)
box.cfg{log_level = 3}
show('both ways', log.level(), log.cfg.level)
box.cfg{log_modules = {module = 'debug'}}
local count = #lines()
log.info('silent')
log.new('module').debug('loud')
show('of a module', #lines() - count, lines()[count + 1])

os.exit(0)
