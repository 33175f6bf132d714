-- The module internal.argparse: command lines as tables.
local show = require('show')
local parse = require('internal.argparse').parse

local function try(arguments, parameters)
    show.try(table.concat(arguments, ' '), parse, arguments, parameters)
end

try({})
try({'a', 'b'})
try({'-ab', '-c'})
try({'--flag'})
try({'--name', 'value', 'rest'})
try({'--name=value', 'rest'})
try({'--name=', 'rest'})
try({'--name', '--other'})
try({'--name', '-', 'rest'})
try({'-', 'rest'})
try({'--name', '1', '--name', '2'})
try({'--name=1', '--name=2', '--name=3'})
try({'--x'})
try({'--1x'})
try({'--long-name', 'v', '--under_score=1'})
try({'-a1'})
try({'--=5'})
try({'--name=a=b'})
show.try('nothing', parse)

local parameters = {
    'plain', {'text', 'string'}, {'count', 'number'}, {'flag', 'boolean'},
    {'texts', 'string+'}, {'counts', 'number+'}, {'flags', 'boolean+'},
}
try({'--plain', '5'}, parameters)
try({'--text', '5', '--count', '6'}, parameters)
try({'--count', '0x10'}, parameters)
try({'--count', '1', '--count', '2'}, parameters)
try({'--flag', 'rest'}, parameters)
try({'--texts', 'a'}, parameters)
try({'--texts', 'a', '--texts', 'b'}, parameters)
try({'--counts', '1', '--counts=2'}, parameters)
try({'--flags', '--flags'}, parameters)
try({'--text'}, parameters)
try({'--count', 'many'}, parameters)
try({'--count'}, parameters)
try({'--flag=true'}, parameters)
try({'--flags=true'}, parameters)
try({'--counts', '1', '--counts', 'x'}, parameters)
try({'--unknown', '5'}, parameters)
try({'-z'}, parameters)
try({'--bad', '1'}, {{'bad', 'table'}})
