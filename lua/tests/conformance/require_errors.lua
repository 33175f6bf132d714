-- Modules that are not there, or that fail while they load.
local show = require('show')

local function first_line(ok, message)
    return ok, (tostring(message):match('^[^\n]*'):gsub('^.-:%d+: ', ''))
end

show('missing', first_line(pcall(require, 'no.such.module')))
show('preload is asked first', select(2, pcall(require, 'no.such')):find("package.preload['no.such']", 1, true) ~= nil)
show('rocks are searched', select(2, pcall(require, 'x')):find('.rocks/share/tarantool/x.lua', 1, true) ~= nil)
show.fails('no name', require)
show.fails('nil', require, nil)
show.fails('a table', require, {})

local function write(name, text)
    local file = assert(io.open(name, 'w'))
    file:write(text)
    file:close()
end
write('throws.lua', "error('from inside', 0)")
show('throws', first_line(pcall(require, 'throws')))
write('broken.lua', 'x = = 1')
show.fails('syntax', require, 'broken')
write('silent.lua', 'loads = (loads or 0) + 1')
show('no value', require('silent'), require('silent'), loads)
write('named.lua', 'return {name = ...}')
show('its name', require('named').name)
package.loaded.named = nil
show('again', require('named').name)
package.preload.made = function(name) return {made = name} end
show('preload', require('made').made)

show('found', package.search('named'):match('[^/]*$'), package.search('no.such'))
show('search path', package.searchpath('named', './?.lua'), (package.searchpath('none', './?.lua')))
local before = package.searchroot()
package.setsearchroot('/tmp')
show('root', package.searchroot())
show.fails('not from there', require, 'elsewhere')
package.setsearchroot(box.NULL)
show('root again', package.searchroot() == before)
show.fails('a number', package.setsearchroot, 5)
