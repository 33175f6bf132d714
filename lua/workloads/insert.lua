-- The seed workload: every transaction inserts `n` tuples {id, payload} with consecutive ids, so
-- that at the end the space holds the ids from 1 to `records`, each once.

local bit = require('bit')

local workload = {
    help = 'insert {id, payload}, every id from 1 to the number of records once',
    unit = 'inserts',
    options = {
        {name = 'payload', default = 'payload', help = 'second field of every tuple'},
    },
}

function workload.prepare(ctx)
    local space = box.schema.space.create('insert', {
        format = {{'id', 'unsigned'}, {'payload', 'string'}},
    })
    space:create_index('primary', {type = ctx.index, parts = {{1, 'unsigned'}}})
    ctx.space = space
end

function workload.transaction(ctx, fiber_id, n, first)
    local space, payload = ctx.space, ctx.options.payload
    box.begin()
    for id = first, first + n - 1 do
        space:insert({id, payload})
    end
    box.commit()
end

-- 32 bits of a string. Bit operations only, so that every architecture agrees.
local function hash_of(text)
    local hash = 0x811c
    for position = 1, #text do
        hash = bit.bxor(bit.rol(hash, 7), text:byte(position), bit.rshift(hash, 3))
    end
    return hash
end

local function mix(word)
    word = bit.bxor(word, bit.lshift(word, 13))
    word = bit.bxor(word, bit.rshift(word, 17))
    return bit.bxor(word, bit.lshift(word, 5))
end

-- Sums over tuples, so that the order in which an index gives them does not matter.
local WORD = 4294967296

local function add(sum, id, payload_hash, salt)
    return (sum + mix(bit.bxor(bit.tobit(id), payload_hash, salt))) % WORD
end

local SALT_LOW, SALT_HIGH = 0x1234567, 0x2f6e2b1

function workload.verify(ctx)
    local space, records = ctx.space, ctx.done_ops
    if space:len() ~= records then
        return nil, ('the space holds %d tuples, not %d'):format(space:len(), records)
    end
    local hashes = {}
    local low, high = 0, 0
    for _, tuple in space:pairs() do
        local id, payload = tuple[1], tuple[2]
        -- The key is unique: that many different whole numbers within 1..records are all of them.
        if id < 1 or id > records or id % 1 ~= 0 then
            return nil, ('the space holds id %s, outside 1..%d'):format(id, records)
        end
        local hash = hashes[payload]
        if hash == nil then
            hash = hash_of(payload)
            hashes[payload] = hash
        end
        low, high = add(low, id, hash, SALT_LOW), add(high, id, hash, SALT_HIGH)
    end
    local expected_low, expected_high = 0, 0
    local hash = hash_of(ctx.options.payload)
    for id = 1, records do
        expected_low = add(expected_low, id, hash, SALT_LOW)
        expected_high = add(expected_high, id, hash, SALT_HIGH)
    end
    local checksum = ('%08x%08x'):format(high, low)
    local expected = ('%08x%08x'):format(expected_high, expected_low)
    if checksum ~= expected then
        return nil, ('checksum %s, expected %s'):format(checksum, expected)
    end
    return checksum
end

function workload.cleanup(ctx)
    ctx.space:drop()
end

return workload
