-- The module `strict`: globals must be declared.
local strict = require('strict')

local function attempt(what)
    local ok, result = pcall(what)
    print(ok, (tostring(result):gsub('^.-:%d+: ', '')))
end

strict.on()
attempt(function() return undeclared end)
attempt(function() undeclared = 1 end)
declared = 3
print(declared)
attempt(function() declared = 4 return declared end)
rawset(_G, 'set_raw', 5)
attempt(function() return set_raw end)
strict.off()
attempt(function() return undeclared end)
attempt(function() undeclared = 1 return undeclared end)
