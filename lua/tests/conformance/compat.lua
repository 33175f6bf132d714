-- differs from 2.6: it has no module compat
local compat = require('compat')
local show = require('show')

show('default', compat.yaml_pretty_multiline.current, compat.yaml_pretty_multiline.default)
compat.yaml_pretty_multiline = 'old'
show('chosen', compat.yaml_pretty_multiline.current)
compat({yaml_pretty_multiline = 'new', box_session_push_deprecation = 'new'})
show('several', compat.yaml_pretty_multiline.current, compat.box_session_push_deprecation.current)
show('dump', compat.dump():match("yaml_pretty_multiline%s+= '(%a+)'"), compat.dump('old'):match("sql_priv%s+= '(%a+)'"))
compat({yaml_pretty_multiline = 'default'})
show('reset', compat.yaml_pretty_multiline.current)
show('dump is code', load(compat.dump()) ~= nil)

show.try('unknown', function() return compat.no_such_option end)
show.try('unknown set', function() compat.no_such_option = 'new' end)
show.try('wrong value', function() compat.sql_priv = 'newest' end)
show.try('wrong call', function() compat('new') end)
show.try('wrong dump', compat.dump, 'all')
show('help', type(compat.help()))

local calls = {}
compat.add_option({
    name = 'mine', default = 'old', brief = 'of this script',
    action = function(is_new) calls[#calls + 1] = is_new end, run_action_now = true,
})
compat.mine = 'new'
compat.mine = 'new'
compat.mine = 'default'
show('actions', calls)
show.try('no name', compat.add_option, {})
show.try('no action', compat.add_option, {name = 'other', default = 'new', brief = ''})
show.try('bad default', compat.add_option, {name = 'other', default = 'x', brief = '', action = print})
