local key_type = require('key_type')
box.cfg{log_level = 0, wal_mode = 'none'}

local decimal = require('decimal')

key_type('decimal', {
    decimal.new('-99999999999999999999999999999999999999'), decimal.new('-1.5'), decimal.new('-1'),
    decimal.new('-0.00000000000000000000000000000000000001'), decimal.new(0),
    decimal.new('0.00000000000000000000000000000000000001'), decimal.new('0.1'), decimal.new(1),
    decimal.new('1.0000000000000000000000000000000000001'), decimal.new('12345678901234567890.5'),
    decimal.new('99999999999999999999999999999999999999'),
}, {'1', true, {}, {a = 1}}, {decimal.new('-2'), decimal.new('0.2'), decimal.new('1.5000001')})

os.exit(0)
