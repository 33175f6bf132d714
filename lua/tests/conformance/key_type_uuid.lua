local key_type = require('key_type')
box.cfg{log_level = 0, wal_mode = 'none'}

local uuid = require('uuid')

key_type('uuid', {
    uuid.fromstr('00000000-0000-0000-0000-000000000000'), uuid.fromstr('00000000-0000-0000-0000-000000000001'),
    uuid.fromstr('00000001-0000-0000-0000-000000000000'), uuid.fromstr('01000000-0000-0000-0000-000000000000'),
    uuid.fromstr('7fffffff-ffff-4fff-8fff-ffffffffffff'), uuid.fromstr('a2d6a0c4-5d0f-4d2e-9b1a-3f6b5c7d8e9f'),
    uuid.fromstr('ffffffff-ffff-4fff-bfff-ffffffffffff'),
}, {'a2d6a0c4-5d0f-4d2e-9b1a-3f6b5c7d8e9f', 1, true, {}, {a = 1}}, {uuid.fromstr('a2d6a0c4-5d0f-4d2e-9b1a-3f6b5c7d8e90')})

os.exit(0)
