-- One operation, timed: the same file runs under Lycosa and under Tarantool.
--
--   lycosa exec operations.lua NAME [KEY=VALUE ...]
--   tarantool operations.lua NAME [KEY=VALUE ...]
--
-- It prints one line of JSON: `ns`, the processor time of the running thread for one operation, and
-- `check`, which is the same under both. Settings: records (1000000), index (TREE), jit (on), fibers (50),
-- memory (bytes of the quota).

local clock = require('clock')
local fiber = require('fiber')
local json = require('json')

local settings = {records = 1000000, index = 'TREE', jit = 'on', fibers = 50, memory = 2147483648}
local name = arg[1]
for position = 2, #arg do
    local key, value = arg[position]:match('^(%w+)=(.*)$')
    assert(settings[key] ~= nil, 'no setting ' .. arg[position])
    settings[key] = type(settings[key]) == 'number' and tonumber(value) or value
end
if settings.jit == 'off' then
    jit.off()
end
if fiber.set_max_slice ~= nil then
    fiber.set_max_slice(math.huge)
end

local OPS_PER_TXN = 100
local records = settings.records
local space

-- A permutation of 0 .. m - 1 for a power of two m, as a function from one number to the next: a linear
-- congruential generator whose period is all of m. Its products stay below 2^53.
local function shuffled()
    local modulus = 1
    while modulus < records do
        modulus = modulus * 2
    end
    local state = 1
    return function()
        repeat
            state = (state * 1597 + 51749) % modulus
        until state < records
        return state + 1
    end
end

local function create()
    box.cfg({memtx_memory = settings.memory, wal_mode = 'none', log_level = 2, checkpoint_interval = 0})
    space = box.schema.space.create('operations')
    space:create_index('primary', {type = settings.index, parts = {{1, 'unsigned'}}})
end

local function fill(value)
    for first = 1, records, OPS_PER_TXN do
        box.begin()
        for key = first, math.min(first + OPS_PER_TXN - 1, records) do
            space:insert({key, value})
        end
        box.commit()
    end
end

-- Runs `operation(i)` for all numbers, in transactions, over all fibers; answers with the time of one.
local function timed(count, operation)
    local next_number = 1
    local function work()
        while next_number <= count do
            local first = next_number
            local last = math.min(first + OPS_PER_TXN - 1, count)
            next_number = last + 1
            box.begin()
            for number = first, last do
                operation(number)
            end
            box.commit()
            fiber.yield()
        end
    end
    collectgarbage()
    collectgarbage()
    local started = clock.thread()
    local fibers = {}
    for number = 1, settings.fibers do
        fibers[number] = fiber.new(work)
        fibers[number]:set_joinable(true)
    end
    for number = 1, settings.fibers do
        assert(fibers[number]:join())
    end
    return (clock.thread() - started) * 1e9 / count
end

-- Runs a read-only function of a number of operations in this fiber.
local function timed_here(count, run)
    collectgarbage()
    collectgarbage()
    local started = clock.thread()
    local check = run(count)
    return (clock.thread() - started) * 1e9 / count, check
end

local operations = {}

function operations.insert()
    create()
    return timed(records, function(number) space:insert({number, 'payload'}) end), space:len()
end

function operations.replace()
    create()
    fill(0)
    local key = shuffled()
    return timed(records, function(number) space:replace({key(), number}) end), space:len()
end

function operations.update()
    create()
    fill(0)
    local key = shuffled()
    return timed(records, function() space:update(key(), {{'+', 2, 1}}) end), space:get(1)[2]
end

function operations.upsert()
    create()
    fill(0)
    local key = shuffled()
    return timed(records, function() space:upsert({key(), 0}, {{'+', 2, 1}}) end), space:get(1)[2]
end

function operations.delete()
    create()
    fill(0)
    local key = shuffled()
    return timed(records, function() space:delete(key()) end), space:len()
end

function operations.get()
    create()
    fill(0)
    local key = shuffled()
    return timed_here(records, function(count)
        local sum = 0
        for _ = 1, count do
            sum = sum + space:get(key())[1]
        end
        return sum
    end)
end

-- Time of one tuple of a select that gives `limit` of them.
local function select_of(limit)
    create()
    fill(0)
    local key = shuffled()
    return timed_here(records, function(count)
        local sum = 0
        local options = {iterator = 'GE', limit = limit}
        for _ = 1, count / limit do
            local tuples = space:select(key() % (records - limit) + 1, options)
            sum = sum + tuples[#tuples][1]
        end
        return sum
    end)
end

operations['select-10'] = function() return select_of(10) end
operations['select-1000'] = function() return select_of(1000) end

function operations.pairs()
    create()
    fill(0)
    return timed_here(records, function()
        local sum = 0
        for _, tuple in space:pairs() do
            sum = sum + tuple[1]
        end
        return sum
    end)
end

-- Time of one switch among `fibers` fibers.
function operations.switch()
    local each = math.ceil(records / settings.fibers)
    local function work()
        for _ = 1, each do
            fiber.yield()
        end
    end
    local fibers = {}
    for number = 1, settings.fibers do
        fibers[number] = fiber.new(work)
        fibers[number]:set_joinable(true)
    end
    fiber.yield()
    local ns = timed_here(each * settings.fibers, function()
        for number = 1, settings.fibers do
            fibers[number]:join()
        end
    end)
    return ns, each
end

-- Time of a fiber from `fiber.create` to its end.
function operations.create()
    local done = 0
    local function work()
        done = done + 1
    end
    return timed_here(records, function(count)
        for _ = 1, count do
            fiber.create(work)
        end
        return done
    end)
end

-- No time: the share of `memory` bytes of deleted tuples that was not handed back to the quota. The
-- second figure is the share of what the process held that it still holds.
function operations.deleted()
    local function resident_bytes()
        local file = assert(io.open('/proc/self/statm'))
        local pages = file:read('*a'):match('^%d+ (%d+)')
        file:close()
        return tonumber(pages) * 4096
    end
    settings.memory = settings.memory + settings.memory / 2
    create()
    local payload = ('x'):rep(1000)
    records = math.floor(settings.memory / 1.5 / #payload)
    local used, resident = box.slab.info().arena_used, resident_bytes()
    fill(payload)
    local used_full, resident_full = box.slab.info().arena_used, resident_bytes()
    for key = 1, records do
        space:delete(key)
    end
    fiber.sleep(0.2)
    return 0, {
        quota = tonumber(box.slab.info().arena_used - used) / tonumber(used_full - used),
        resident = (resident_bytes() - resident) / (resident_full - resident),
        bytes = tonumber(used_full - used),
    }
end

local ns, check = operations[name]()
print(json.encode({operation = name, ns = ns, check = check}))
os.exit(0)
