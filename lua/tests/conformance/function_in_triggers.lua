local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Functions that are changed within transactions and triggers.
local s = box.schema.space.create('s')
s:create_index('pk')
box.schema.func.create('stamp', {body = 'function(new) return new:update{{"!", -1, "stamped"}} end'})
local stamp = function(_, new)
    return new and box.func.stamp:call({new})
end
s:before_replace(stamp)
show('insert', s:insert{1})
box.begin()
box.schema.func.drop('stamp')
show.fails('without it', s.insert, s, {2})
box.rollback()
show('insert', s:insert{2})
s:before_replace(nil, stamp)
-- A function that is made by a trigger which fails is not there.
local makes = function()
    box.schema.func.create('made', {body = 'function() return 1 end'})
    error('no')
end
s:on_replace(makes)
show.fails('insert', s.insert, s, {3})
show('made', box.schema.func.exists('made'), box.func.made)
s:on_replace(nil, makes)
box.schema.func.create('made', {body = 'function() return 2 end'})
show('made', box.func.made:call())
-- A function as a trigger.
box.schema.func.create('hears', {body = 'function(old, new) box.space.heard:auto_increment{new} end'})
box.schema.space.create('heard'):create_index('pk')
s:on_replace(function(...) box.func.hears:call({...}) end)
s:replace{4}
show('heard', box.space.heard:select())

os.exit(0)
