-- Settings of the session: read by name, set to values of their type, and listed.

local fiber = require('fiber')

box.cfg({log_level = 1, wal_mode = 'none'})

local settings = box.session.settings

print(settings.sql_default_engine, settings.error_marshaling_enabled, settings.sql_full_column_names)
settings.sql_full_column_names = true
settings.error_marshaling_enabled = true
settings.sql_default_engine = 'memtx'
print(settings.sql_default_engine, settings.error_marshaling_enabled, settings.sql_full_column_names)
settings.error_marshaling_enabled = false
print(settings.error_marshaling_enabled)

local function try(call)
    local ok, err = pcall(call)
    print(ok, ok and err or err.code, ok and '' or err.message)
end
try(function() return settings.nothing end)
try(function() return settings[1] end)
try(function() settings.nothing = 1 end)
try(function() settings.sql_default_engine = 1 end)
try(function() settings.sql_default_engine = 'nowhere' end)
try(function() settings.error_marshaling_enabled = 1 end)
try(function() settings.error_marshaling_enabled = nil end)
try(function() settings.error_marshaling_enabled = box.NULL end)

local listed = require('json').decode(require('json').encode(settings))
print(listed.sql_full_column_names, listed.sql_default_engine)

-- They are also rows, and other sessions have their own.
local rows = box.space._session_settings
print(rows:get('sql_default_engine'), rows:get('nothing'))
local names = rows:pairs():map(function(row) return row.name end):totable()
for position = 2, #names do
    assert(names[position - 1] < names[position])
end
fiber.create(function() print(settings.sql_full_column_names) end)

os.exit()
