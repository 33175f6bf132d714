-- A queue in a space, with producers and consumers. The fibers of the run produce: an operation puts a
-- message into the queue and waits until it has been taken and acknowledged, so that a transaction's
-- latency is a message's whole way. Consumers are fibers of the workload's own (`--set consumers=N`): were
-- they fibers of the run, what is left to do at its end would depend on who came last.
--
-- Put, take and acknowledge are transactions of their own. Consumers wait for messages on a condition,
-- producers for acknowledgements on a channel each. A message is never older than those before it: puts do
-- not wait, so that the queue is in the order of the operations' numbers.

local checksum = require('lycosa.checksum')
local digest = require('digest')
local fiber = require('fiber')

local workload = {
    help = 'producers put messages into a queue, consumers take and acknowledge them',
    unit = 'messages',
    defaults = {ops_per_txn = 1, records = 100000},
    options = {
        {name = 'consumers', default = 50, range = {1, 10000},
            help = 'fibers that take messages; the fibers of the run put them'},
        {name = 'size', default = 64, range = {1, 1000000}, help = 'bytes of a message'},
    },
}

-- States of a message in the queue.
local READY, TAKEN = 0, 1

local function create_spaces(ctx)
    local queue = box.schema.space.create('queue', {
        format = {
            {'id', 'unsigned'}, {'state', 'unsigned'}, {'producer', 'unsigned'},
            {'sequence', 'unsigned'}, {'payload', 'string'},
        },
    })
    queue:create_index('primary', {type = ctx.index, parts = {{1, 'unsigned'}}})
    queue:create_index('ready', {parts = {{2, 'unsigned'}, {1, 'unsigned'}}})
    -- What was acknowledged; its key refuses a message that comes twice.
    local done = box.schema.space.create('queue_done', {
        format = {
            {'id', 'unsigned'}, {'producer', 'unsigned'}, {'sequence', 'unsigned'},
            {'taken', 'unsigned'}, {'digest', 'unsigned'},
        },
    })
    done:create_index('primary', {type = ctx.index, parts = {{1, 'unsigned'}}})
    ctx.queue, ctx.done = queue, done
end

-- Takes the oldest message that is ready; nil if there is none.
local function take(ctx)
    box.begin()
    local message = ctx.queue.index.ready:min({READY})
    if message ~= nil then
        message = ctx.queue:update(message[1], {{'=', 2, TAKEN}})
    end
    box.commit()
    return message
end

-- A message was worked on: out of the queue, into the record of what was done.
local function acknowledge(ctx, message, taken)
    local id, producer = message[1], message[3]
    box.begin()
    ctx.queue:delete(id)
    ctx.done:insert({id, producer, message[4], taken, digest.crc32(message[5])})
    box.commit()
    ctx.acknowledgements[producer]:put(id)
end

local function consume(ctx)
    while not ctx.is_ending do
        local message = take(ctx)
        if message == nil then
            ctx.arrival:wait()
        else
            ctx.taken = ctx.taken + 1
            local taken = ctx.taken
            -- Others run while the message is worked on.
            fiber.yield()
            acknowledge(ctx, message, taken)
        end
    end
end

-- A consumer that fails tells the producers, who would wait for ever.
local function guarded_consume(ctx)
    local is_done, failure = pcall(consume, ctx)
    if not is_done then
        if box.is_in_txn() then
            box.rollback()
        end
        ctx.failure = ctx.failure or failure
        for _, channel in pairs(ctx.acknowledgements) do
            channel:close()
        end
    end
end

function workload.prepare(ctx)
    create_spaces(ctx)
    ctx.padding = ('.'):rep(ctx.options.size)
    ctx.acknowledgements, ctx.sequences = {}, {}
    for producer = 1, ctx.fibers do
        ctx.acknowledgements[producer] = fiber.channel(ctx.ops_per_txn)
        ctx.sequences[producer] = 0
    end
    ctx.arrival = fiber.cond()
    ctx.taken = 0
    ctx.consumers = {}
    for position = 1, ctx.options.consumers do
        local consumer = fiber.new(guarded_consume, ctx)
        consumer:name('consumer-' .. position)
        consumer:set_joinable(true)
        ctx.consumers[position] = consumer
    end
end

-- The message of an operation: its number, filled up to the size.
local function payload_of(ctx, number)
    return (('%.0f'):format(number) .. ctx.padding):sub(1, ctx.options.size)
end

function workload.transaction(ctx, fiber_id, n, first)
    if ctx.failure ~= nil then
        error(ctx.failure, 0)
    end
    local queue, sequence = ctx.queue, ctx.sequences[fiber_id]
    box.begin()
    for number = first, first + n - 1 do
        sequence = sequence + 1
        queue:insert({number, READY, fiber_id, sequence, payload_of(ctx, number)})
    end
    box.commit()
    ctx.sequences[fiber_id] = sequence
    for _ = 1, n do
        ctx.arrival:signal()
    end
    local acknowledged = ctx.acknowledgements[fiber_id]
    for _ = 1, n do
        if acknowledged:get() == nil then
            error(ctx.failure, 0)
        end
    end
end

local function stop_consumers(ctx)
    ctx.is_ending = true
    ctx.arrival:broadcast()
    for _, consumer in ipairs(ctx.consumers) do
        consumer:join()
    end
    ctx.consumers = {}
end

-- Nothing lost, nothing twice, and every producer's messages taken in the order in which it put them.
function workload.verify(ctx)
    local queue, done, count = ctx.queue, ctx.done, ctx.done_ops
    if queue:len() ~= 0 then
        return nil, ('%d messages are still in the queue'):format(queue:len())
    elseif done:len() ~= count then
        return nil, ('%d messages were acknowledged, not %.0f'):format(done:len(), count)
    end
    local last = {}
    local sum = checksum.new()
    sum:add(count)
    for id = 1, count do
        local row = done:get(id)
        if row == nil then
            return nil, ('message %d was lost'):format(id)
        end
        local producer, expected = row[2], digest.crc32(payload_of(ctx, id))
        local before = last[producer] or {sequence = 0, taken = 0}
        if row[5] ~= expected then
            return nil, ('message %d arrived with other contents'):format(id)
        elseif row[3] ~= before.sequence + 1 or row[4] <= before.taken then
            return nil, ('message %d of producer %d was taken out of order'):format(id, producer)
        end
        before.sequence, before.taken = row[3], row[4]
        last[producer] = before
        sum:add(id, expected)
    end
    return sum:text()
end

function workload.cleanup(ctx)
    stop_consumers(ctx)
    ctx.queue:drop()
    ctx.done:drop()
end

return workload
