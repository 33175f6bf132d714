-- pgbench's bank, "TPC-B (sort of)": accounts, tellers and branches with balances, and a history of what
-- changed them. An operation is one transaction of pgbench, of five statements in `read-write`.

local clock = require('clock')
local ffi = require('ffi')
local checksum = require('lycosa.checksum')
local random = require('lycosa.random')

local ACCOUNTS, TELLERS = 100000, 10
local DELTA_MAX = 5000
-- As wide as pgbench's, which makes an account about 100 bytes.
local ACCOUNT_FILLER = (' '):rep(84)
-- What an account takes at least: what cannot fit is refused before it is loaded.
local ACCOUNT_BYTES = 110
local MIB = 1048576

local workload = {
    help = "pgbench's bank: an operation is one of its transactions; --ops-per-txn N commits N together",
    unit = 'transactions',
    defaults = {records = 100000, ops_per_txn = 1},
    options = {
        {name = 'scale', default = 1, range = {1, 100000},
            help = 'branches; 10 tellers and 100,000 accounts each'},
        {name = 'mode', default = 'read-write', choices = {'read-write', 'simple-update', 'select-only'},
            help = 'read-write, simple-update (accounts and history alone), select-only'},
    },
}

function workload.check(options)
    local needed, quota = options.scale * ACCOUNTS * ACCOUNT_BYTES, box.cfg.memtx_memory
    if needed > quota then
        error(('the accounts of %d branches take at least %.0f MiB, more than --memory gives (%.0f MiB)')
            :format(options.scale, needed / MIB, quota / MIB), 0)
    end
end

-- A space of `count` rows {id, branch, 0, filler} from 1 on, `each` of them a branch.
local function make(name, index, count, each, filler)
    local space = box.schema.space.create(name, {
        format = {
            {'id', 'unsigned'}, {'branch', 'unsigned'}, {'balance', 'integer'},
            {'filler', 'string', is_nullable = true},
        },
    })
    space:create_index('primary', {type = index, parts = {{1, 'unsigned'}}})
    for id = 1, count do
        space:insert({id, math.ceil(id / each), 0, filler})
    end
    return space
end

function workload.prepare(ctx)
    local scale = ctx.options.scale
    ctx.accounts = make('accounts', ctx.index, ACCOUNTS * scale, ACCOUNTS, ACCOUNT_FILLER)
    ctx.tellers = make('tellers', 'TREE', TELLERS * scale, TELLERS)
    ctx.branches = make('branches', 'TREE', scale, 1)
    -- pgbench's has no key. This one has the number of the operation.
    ctx.history = box.schema.space.create('history', {
        format = {
            {'operation', 'unsigned'}, {'teller', 'unsigned'}, {'branch', 'unsigned'},
            {'account', 'unsigned'}, {'delta', 'integer'}, {'time', 'number'},
        },
    })
    ctx.history:create_index('primary', {parts = {{1, 'unsigned'}}})
    ctx.random = random.generator(ctx.seed)
end

-- What an operation changes: account, branch, teller, amount, in the order of pgbench's script.
local function draw(ctx, operation)
    local generator, scale = ctx.random:seed(ctx.seed, operation), ctx.options.scale
    local account = generator:uniform(1, ACCOUNTS * scale)
    local branch = generator:uniform(1, scale)
    local teller = generator:uniform(1, TELLERS * scale)
    return account, branch, teller, generator:uniform(-DELTA_MAX, DELTA_MAX)
end

local add_to_balance = {{'+', 3, 0}}

local MODES = {}

MODES['read-write'] = function(ctx, operation)
    local account, branch, teller, delta = draw(ctx, operation)
    add_to_balance[1][3] = delta
    ctx.accounts:update(account, add_to_balance)
    ctx.accounts:get(account)
    ctx.tellers:update(teller, add_to_balance)
    ctx.branches:update(branch, add_to_balance)
    ctx.history:insert({operation, teller, branch, account, delta, clock.realtime()})
end

MODES['simple-update'] = function(ctx, operation)
    local account, branch, teller, delta = draw(ctx, operation)
    add_to_balance[1][3] = delta
    ctx.accounts:update(account, add_to_balance)
    ctx.accounts:get(account)
    ctx.history:insert({operation, teller, branch, account, delta, clock.realtime()})
end

MODES['select-only'] = function(ctx, operation)
    ctx.accounts:get((draw(ctx, operation)))
end

function workload.transaction(ctx, fiber_id, n, first)
    local execute = MODES[ctx.options.mode]
    box.begin()
    for operation = first, first + n - 1 do
        execute(ctx, operation)
    end
    box.commit()
end

-- Zeros, one for each row of a space.
local function zeros(space)
    return ffi.new('double[?]', space:len() + 1)
end

-- What the history says that was added to each account, teller and branch; or nil and what is wrong.
local function expected_balances(ctx)
    local expected = {
        accounts = zeros(ctx.accounts), tellers = zeros(ctx.tellers), branches = zeros(ctx.branches),
    }
    for _, row in ctx.history:pairs() do
        local operation, teller, branch, account, delta = row:unpack(1, 5)
        local drawn_account, drawn_branch, drawn_teller, drawn_delta = draw(ctx, operation)
        if account ~= drawn_account or branch ~= drawn_branch or teller ~= drawn_teller
            or delta ~= drawn_delta then
            return nil, ('history %s is not what that transaction drew'):format(tostring(row))
        end
        expected.accounts[account] = expected.accounts[account] + delta
        expected.tellers[teller] = expected.tellers[teller] + delta
        expected.branches[branch] = expected.branches[branch] + delta
        ctx.checksum:add(0, operation, teller * 2 ^ 20 + branch, account, delta)
    end
    return expected
end

-- The sum of a space's balances, each what it must be; or nil and what is wrong.
local function sum_of_balances(ctx, name, number, expected)
    local sum = 0
    for _, row in ctx[name]:pairs() do
        local id, branch, balance = row:unpack(1, 3)
        if balance ~= expected[id] then
            return nil, ('%s %d has the balance %s; its history comes to %d')
                :format(name, id, tostring(balance), expected[id])
        end
        sum = sum + balance
        ctx.checksum:add(number, id, branch, balance)
    end
    return sum
end

function workload.verify(ctx)
    local mode, scale = ctx.options.mode, ctx.options.scale
    local done = ctx.done_ops
    local rows = {
        accounts = ACCOUNTS * scale, tellers = TELLERS * scale, branches = scale,
        history = mode == 'select-only' and 0 or done,
    }
    for name, count in pairs(rows) do
        if ctx[name]:len() ~= count then
            return nil, ('%s holds %d rows, not %d'):format(name, ctx[name]:len(), count)
        end
    end
    ctx.checksum = checksum.new()
    local expected, reason = expected_balances(ctx)
    if expected == nil then
        return nil, reason
    end
    if mode ~= 'read-write' then
        -- These stay as they were.
        expected.tellers, expected.branches = zeros(ctx.tellers), zeros(ctx.branches)
    end
    local sums = {}
    for number, name in ipairs({'accounts', 'tellers', 'branches'}) do
        sums[number], reason = sum_of_balances(ctx, name, number, expected[name])
        if sums[number] == nil then
            return nil, reason
        end
    end
    if mode == 'read-write' and (sums[1] ~= sums[2] or sums[1] ~= sums[3]) then
        return nil, ('the balances come to %d in accounts, %d in tellers, %d in branches'):format(unpack(sums))
    end
    return ctx.checksum:text()
end

function workload.cleanup(ctx)
    for _, name in ipairs({'history', 'branches', 'tellers', 'accounts'}) do
        ctx[name]:drop()
    end
end

return workload
