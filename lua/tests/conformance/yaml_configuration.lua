-- Each yaml.new() has a configuration of its own.
local yaml = require('yaml')
local show = require('show')

local mine = yaml.new()
show('not the same', mine ~= yaml, mine.encode ~= yaml.encode)
show('null', mine.NULL, yaml.NULL == nil)

mine.cfg({encode_invalid_numbers = false, decode_invalid_numbers = false})
show.fails('infinity', mine.encode, 1 / 0)
show.try('read infinity', mine.decode, 'inf')
show.try('the other one', yaml.encode, 1 / 0)

mine.cfg({encode_use_tostring = true})
show('as text', mine.encode(print):match('^%-%-%- function'))
mine.cfg({encode_use_tostring = false, encode_invalid_as_nil = true})
show('as null', mine.encode({print}))

mine.cfg({encode_load_metatables = false})
show('metatables left alone', mine.encode(setmetatable({a = 1}, {__serialize = 'seq'})))
mine.cfg({encode_number_precision = 3})
show('precision', mine.encode(1 / 3))
mine.cfg({encode_sparse_convert = false})
show.fails('sparse', mine.encode, {[100] = 1})
mine.cfg({decode_save_metatables = false})
show('no metatable', getmetatable(mine.decode('[]')))

show.try('unknown options are ignored', mine.cfg, {bad = 1})
show('defaults', yaml.cfg.encode_max_depth, yaml.cfg.encode_number_precision, yaml.cfg.encode_sparse_ratio,
    yaml.cfg.encode_sparse_safe, yaml.cfg.encode_sparse_convert, yaml.cfg.encode_use_tostring)

-- As with json and msgpack, a value of another type is converted, and shown as it was given.
local other = yaml.new()
show.try('no number', other.cfg, {encode_max_depth = 'a'})
show.try('a number as text', other.cfg, {decode_max_depth = '2'})
show.try('no boolean', other.cfg, {encode_use_tostring = 5})
show('shown', other.cfg.encode_max_depth, other.cfg.decode_max_depth, other.cfg.encode_use_tostring)
show.fails('no table', other.cfg, 5)
show.fails('nothing', other.cfg)
