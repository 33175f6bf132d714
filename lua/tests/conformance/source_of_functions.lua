-- Where code comes from, as debug tells it.
local show = require('show')

local function base(path)
    return path and path:match('[^/]*$')
end

show('file', base(debug.sourcefile()), base(debug.__file__))
show('folder', debug.sourcedir() == debug.__dir__, base(debug.sourcedir()))
local function inner()
    return base(debug.sourcefile()), base(debug.sourcefile(3)), base(debug.__file__)
end
local first, second, third = inner()
show('from a function', first, second, third)
local chunk = loadstring('return debug.sourcefile(), debug.sourcedir(), debug.__file__, debug.__dir__')
local results = {chunk()}
show('from text', results[1], results[2], results[3], results[4])
show('arg', base(arg[0]), #arg, type(arg[-1]), ...)
show('line', debug.getinfo(1, 'l').currentline)
