-- differs from 2.6: it does not validate keys on their own
local show = require('show')
local key_def = require('key_def')

local definition = key_def.new({{fieldno = 1, type = 'unsigned'}, {fieldno = 3, type = 'string', is_nullable = true}})
for _, key in ipairs({{}, {1}, {1, 'a'}, {1, box.NULL}, {1, 'a', 2}, {'a'}, {1, 2}}) do
    show.try('validate_key ' .. show.text(key), definition.validate_key, definition, key)
    show.try('validate_full_key', definition.validate_full_key, definition, key)
end
show.try('validate_tuple', definition.validate_tuple, definition, {1, 2, 'a'})
show.try('validate_tuple', definition.validate_tuple, definition, {1})
show.try('validate_tuple', definition.validate_tuple, definition, {'a', 2, 'a'})
show.try('validate_tuple', definition.validate_tuple, definition, {})
show('compare_keys', definition:compare_keys({1}, {1, 'a'}), definition:compare_keys({1, 'b'}, {1, 'a'}),
    definition:compare_keys({1, box.NULL}, {1, 'a'}), definition:compare_keys({}, {2}))
show.try('compare_keys', definition.compare_keys, definition, {1, 'a', 2}, {1})
show.try('compare_keys', definition.compare_keys, definition, {1})
local descending = key_def.new({{fieldno = 1, type = 'unsigned', sort_order = 'desc'}})
show('descending', descending:compare({1}, {2}), descending:compare_keys({3}, {2}), descending:totable())

os.exit(0)
