-- Fields of tuples that compiled code reads one after another, each by a call, are not mixed up. Where a trace
-- begins decides how its loads are placed, so it begins at each of a few turns.
box.cfg({memtx_memory = 134217728, wal_mode = 'none', log_level = 2})
local history = box.schema.space.create('history')
history:format({{name = 'customer'}, {name = 'district'}, {name = 'warehouse'}, {name = 'home'},
    {name = 'amount'}, {name = 'id', type = 'unsigned'}})
history:create_index('primary', {parts = {{6, 'unsigned'}}})
local DISTRICTS, CUSTOMERS = 10, 20
for district = 1, DISTRICTS do
    for customer = 1, CUSTOMERS do
        history:insert({customer, district, 1, district, 1000, district * CUSTOMERS + customer})
    end
end

local function place_of(warehouse, district, customer)
    return (warehouse * (DISTRICTS + 1) + district) * 100000 + customer
end

-- Compiled anew each time.
local SUMS = [[
    local place_of, history = ...
    local paid = {}
    for _, row in history:pairs() do
        local amount = row.amount
        local district = place_of(row.warehouse, row.home, 0)
        local customer = place_of(row.warehouse, row.district, row.customer)
        paid[district] = (paid[district] or 0) + amount
        paid[customer] = (paid[customer] or 0) + amount
    end
    return paid
]]

local wrong = 0
for hotloop = 1, 45 do
    jit.flush()
    jit.opt.start('hotloop=' .. hotloop)
    local sums = assert(loadstring(SUMS))
    for _ = 1, 3 do
        local paid = sums(place_of, history)
        for district = 1, DISTRICTS do
            for customer = 1, CUSTOMERS do
                wrong = wrong + (paid[place_of(1, district, customer)] == 1000 and 0 or 1)
            end
        end
    end
end
print('wrong sums', wrong)
os.exit(0)
