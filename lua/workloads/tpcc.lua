-- TPC-C's five transactions, by the mix, the loading rules and the draws of its specification (revision 5.11),
-- without terminals, their keying and thinking times and without deferred deliveries: no figure of it is a tpmC.
--
-- Money is in cents and shares are in ten thousandths, so that sums are exact. In place of the time stands the
-- number of the operation: the same data result everywhere. Transactions neither yield nor wait, so they take
-- effect in that order.
-- `ctx.index` is the primary index of what is read by whole keys: warehouses, districts, customers, items, stock.

local bit = require('bit')
local checksum = require('lycosa.checksum')
local msgpack = require('msgpack')
local random = require('lycosa.random')

local DISTRICTS = 10
local ITEMS, CUSTOMERS = 100000, 3000
-- What a stock and a customer with an order take at least: what cannot fit is refused before it is loaded.
local STOCK_BYTES, CUSTOMER_BYTES = 320, 1300
local MIB = 1048576

local workload = {
    help = 'the five transactions of TPC-C; each is committed on its own, whatever --ops-per-txn',
    unit = 'transactions',
    defaults = {ops_per_txn = 1, records = 20000},
    options = {
        {name = 'warehouses', default = 1, range = {1, 100000}, help = 'number of warehouses, 10 districts each'},
        {name = 'items', default = ITEMS, range = {1, ITEMS}, help = 'items, and stocks of a warehouse'},
        {name = 'customers', default = CUSTOMERS, range = {1, CUSTOMERS},
            help = 'customers of a district, each with an order at the start'},
    },
}

function workload.check(options)
    local needed = options.warehouses
        * (options.items * STOCK_BYTES + DISTRICTS * options.customers * CUSTOMER_BYTES)
    local quota = box.cfg.memtx_memory
    if needed > quota then
        error(('%d warehouses take at least %.0f MiB, more than --memory gives (%.0f MiB)')
            :format(options.warehouses, needed / MIB, quota / MIB), 0)
    end
end

local FIELD_TYPES = {u = 'unsigned', i = 'integer', s = 'string'}

-- The fields with the first letters of their types, and the number of fields in the primary key; `n`
-- marks what may be null.
local SPACES = {
    warehouse = {1, 'w_id:u w_name:s w_street_1:s w_street_2:s w_city:s w_state:s w_zip:s w_tax:u w_ytd:u'},
    district = {2, 'd_w_id:u d_id:u d_name:s d_street_1:s d_street_2:s d_city:s d_state:s d_zip:s d_tax:u '
        .. 'd_ytd:u d_next_o_id:u'},
    customer = {3, 'c_w_id:u c_d_id:u c_id:u c_first:s c_middle:s c_last:s c_street_1:s c_street_2:s c_city:s '
        .. 'c_state:s c_zip:s c_phone:s c_since:u c_credit:s c_credit_lim:u c_discount:u c_balance:i '
        .. 'c_ytd_payment:u c_payment_cnt:u c_delivery_cnt:u c_data:s'},
    item = {1, 'i_id:u i_im_id:u i_name:s i_price:u i_data:s'},
    stock = {2, 's_w_id:u s_i_id:u s_quantity:i s_dist_01:s s_dist_02:s s_dist_03:s s_dist_04:s s_dist_05:s '
        .. 's_dist_06:s s_dist_07:s s_dist_08:s s_dist_09:s s_dist_10:s s_ytd:u s_order_cnt:u s_remote_cnt:u '
        .. 's_data:s'},
    history = {1, 'h_id:u h_c_id:u h_c_d_id:u h_c_w_id:u h_d_id:u h_w_id:u h_date:u h_amount:u h_data:s', 'TREE'},
    new_order = {3, 'no_w_id:u no_d_id:u no_o_id:u', 'TREE'},
    orders = {3, 'o_w_id:u o_d_id:u o_id:u o_c_id:u o_entry_d:u o_carrier_id:un o_ol_cnt:u o_all_local:u', 'TREE'},
    order_line = {4, 'ol_w_id:u ol_d_id:u ol_o_id:u ol_number:u ol_i_id:u ol_supply_w_id:u ol_delivery_d:un '
        .. 'ol_quantity:u ol_amount:u ol_dist_info:s', 'TREE'},
}
local FIRST_STOCK_DISTRICT = 3

local function create_spaces(index)
    local spaces = {}
    for name, definition in pairs(SPACES) do
        local format, parts = {}, {}
        for field, letter, null in definition[2]:gmatch('(%S+):(%l)(n?)') do
            table.insert(format, {name = field, type = FIELD_TYPES[letter], is_nullable = null == 'n'})
        end
        for position = 1, definition[1] do
            parts[position] = {position, format[position].type}
        end
        spaces[name] = box.schema.space.create(name, {format = format})
        spaces[name]:create_index('primary', {type = definition[3] or index, parts = parts})
    end
    spaces.customer:create_index('name', {unique = false,
        parts = {{1, 'unsigned'}, {2, 'unsigned'}, {6, 'string'}, {4, 'string'}}})
    spaces.orders:create_index('customer', {
        parts = {{1, 'unsigned'}, {2, 'unsigned'}, {4, 'unsigned'}, {3, 'unsigned'}}})
    return spaces
end

--- Draws of the specification.

-- Whole numbers from `low` to `high`, some of them often.
local function nurand(generator, a, low, high, constant)
    local drawn = bit.bor(generator:uniform(0, a), generator:uniform(low, high))
    return (drawn + constant) % (high - low + 1) + low
end

local SYLLABLES = {
    [0] = 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING',
}

local function last_name(number)
    return SYLLABLES[math.floor(number / 100)] .. SYLLABLES[math.floor(number / 10) % 10] .. SYLLABLES[number % 10]
end

local function text(generator, low, high)
    return generator:string(generator:uniform(low, high))
end

-- Data of an item or a stock: one of ten holds the word ORIGINAL.
local function data_text(generator)
    local drawn = text(generator, 26, 50)
    if generator:uniform(1, 10) > 1 then
        return drawn
    end
    local position = generator:uniform(0, #drawn - 8)
    return drawn:sub(1, position) .. 'ORIGINAL' .. drawn:sub(position + 9)
end

-- Two streets, city, state, postal code.
local function address(generator)
    return text(generator, 10, 20), text(generator, 10, 20), text(generator, 10, 20), generator:string(2),
        ('%04d11111'):format(generator:uniform(0, 9999))
end

local function draw_name_number(ctx, generator, constant)
    return nurand(generator, 255, 0, math.min(1000, ctx.options.customers) - 1, constant)
end

--- Loading.

local function load_items(ctx, generator)
    for id = 1, ctx.options.items do
        ctx.spaces.item:insert({id, generator:uniform(1, 10000), text(generator, 14, 24),
            generator:uniform(100, 10000), data_text(generator)})
    end
end

local function load_stock(ctx, generator, w)
    for id = 1, ctx.options.items do
        local row = {w, id, generator:uniform(10, 100)}
        for district = 1, DISTRICTS do
            row[FIRST_STOCK_DISTRICT + district] = generator:string(24)
        end
        row[14], row[15], row[16], row[17] = 0, 0, 0, data_text(generator)
        ctx.spaces.stock:insert(row)
    end
end

local function load_customers(ctx, generator, w, d)
    local customer, history = ctx.spaces.customer, ctx.spaces.history
    for id = 1, ctx.options.customers do
        local name = id <= 1000 and id - 1 or draw_name_number(ctx, generator, ctx.name_constant_load)
        local street_1, street_2, city, state, zip = address(generator)
        customer:insert({w, d, id, text(generator, 8, 16), 'OE', last_name(name), street_1, street_2, city, state, zip,
            ('%08d%08d'):format(generator:uniform(0, 99999999), generator:uniform(0, 99999999)), 0,
            generator:uniform(1, 10) == 1 and 'BC' or 'GC', 5000000, generator:uniform(0, 5000),
            -1000, 1000, 1, 0, text(generator, 300, 500)})
        ctx.loaded_history = ctx.loaded_history + 1
        history:insert({ctx.loaded_history, id, d, w, d, w, 0, 1000, text(generator, 12, 24)})
    end
end

-- Orders of a district that were delivered before the first operation.
local function delivered_at_first(options)
    return math.floor(options.customers * 0.7)
end

local function load_orders(ctx, generator, w, d)
    local spaces, count = ctx.spaces, ctx.options.customers
    local customers = {}
    for id = 1, count do
        customers[id] = id
    end
    generator:shuffle(customers)
    local delivered = delivered_at_first(ctx.options)
    for id = 1, count do
        local is_delivered, lines = id <= delivered, generator:uniform(5, 15)
        spaces.orders:insert({w, d, id, customers[id], 0,
            is_delivered and generator:uniform(1, 10) or box.NULL, lines, 1})
        for number = 1, lines do
            spaces.order_line:insert({w, d, id, number, generator:uniform(1, ctx.options.items), w,
                is_delivered and 0 or box.NULL, 5, is_delivered and 0 or generator:uniform(1, 999999),
                generator:string(24)})
        end
        if not is_delivered then
            spaces.new_order:insert({w, d, id})
        end
    end
end

local function load_warehouse(ctx, generator, w)
    -- A payment of 10.00 of each customer.
    local paid = 1000 * ctx.options.customers
    local street_1, street_2, city, state, zip = address(generator)
    ctx.spaces.warehouse:insert({w, text(generator, 6, 10), street_1, street_2, city, state, zip,
        generator:uniform(0, 2000), DISTRICTS * paid})
    load_stock(ctx, generator, w)
    for d = 1, DISTRICTS do
        street_1, street_2, city, state, zip = address(generator)
        ctx.spaces.district:insert({w, d, text(generator, 6, 10), street_1, street_2, city, state, zip,
            generator:uniform(0, 2000), paid, ctx.options.customers + 1})
        load_customers(ctx, generator, w, d)
        load_orders(ctx, generator, w, d)
    end
end

function workload.prepare(ctx)
    local generator = random.generator(ctx.seed)
    ctx.generator = generator
    ctx.spaces = create_spaces(ctx.index)
    ctx.customer_constant, ctx.item_constant = generator:uniform(0, 1023), generator:uniform(0, 8191)
    -- The two constants for names must differ by 65 to 119, but neither by 96 nor by 112.
    ctx.name_constant_load = generator:uniform(0, 255)
    ctx.name_constant_run = (ctx.name_constant_load < 128 and 85 or -85) + ctx.name_constant_load
    ctx.loaded_history = 0
    load_items(ctx, generator)
    for w = 1, ctx.options.warehouses do
        load_warehouse(ctx, generator, w)
    end
    ctx.loaded_orders = ctx.spaces.orders:len()
    ctx.counts = {new_order = 0, rollback = 0, payment = 0, order_status = 0, delivery = 0, stock_level = 0}
end

--- The transactions. Each answers with what its terminal would show last, nil if it must be rolled back.

local function other_warehouse(ctx, generator, w)
    local other = generator:uniform(1, ctx.options.warehouses - 1)
    return other < w and other or other + 1
end

-- The supplying warehouse of a line: one of a hundred is another one, where there are others.
local function draw_supplier(ctx, generator, w)
    if ctx.options.warehouses > 1 and generator:uniform(1, 100) == 1 then
        return other_warehouse(ctx, generator, w)
    end
    return w
end

local function order_item(ctx, line, supplier, quantity)
    local stock = ctx.spaces.stock
    local before = stock:get({supplier, line.item.i_id})
    local left = before.s_quantity - quantity
    if left < 10 then
        left = left + 91
    end
    stock:update({supplier, line.item.i_id}, {
        {'=', 's_quantity', left}, {'+', 's_ytd', quantity}, {'+', 's_order_cnt', 1},
        {'+', 's_remote_cnt', supplier == line.w and 0 or 1},
    })
    local amount = quantity * line.item.i_price
    ctx.spaces.order_line:insert({line.w, line.d, line.o, line.number, line.item.i_id, supplier, box.NULL,
        quantity, amount, before[FIRST_STOCK_DISTRICT + line.d]})
    return amount
end

-- Where a new order is made and by whom, its number of lines, and whether one of them is a mistake.
local function draw_order(ctx, generator)
    local w, d = generator:uniform(1, ctx.options.warehouses), generator:uniform(1, DISTRICTS)
    local c = nurand(generator, 1023, 1, ctx.options.customers, ctx.customer_constant)
    return w, d, c, generator:uniform(5, 15), generator:uniform(1, 100) == 1
end

local function new_order(ctx, generator, operation)
    local spaces, options = ctx.spaces, ctx.options
    local w, d, c, lines, is_mistaken = draw_order(ctx, generator)
    local warehouse, customer = spaces.warehouse:get(w), spaces.customer:get({w, d, c})
    local district = spaces.district:update({w, d}, {{'+', 'd_next_o_id', 1}})
    local line = {w = w, d = d, o = district.d_next_o_id - 1}
    local total, is_local = 0, 1
    for number = 1, lines do
        local id = nurand(generator, 8191, 1, options.items, ctx.item_constant)
        local supplier, quantity = draw_supplier(ctx, generator, w), generator:uniform(1, 10)
        -- The last item of a mistaken order does not exist.
        line.item = spaces.item:get(is_mistaken and number == lines and options.items + 1 or id)
        if line.item == nil then
            return nil
        end
        line.number = number
        is_local = supplier == w and is_local or 0
        total = total + order_item(ctx, line, supplier, quantity)
    end
    spaces.orders:insert({w, d, line.o, c, operation, box.NULL, lines, is_local})
    spaces.new_order:insert({w, d, line.o})
    return total * (1 - customer.c_discount / 10000) * (1 + (warehouse.w_tax + district.d_tax) / 10000)
end

-- A customer: three of five by the last name, of those of that name the middle one by first name.
local function find_customer(ctx, generator, w, d)
    local customer = ctx.spaces.customer
    if generator:uniform(1, 100) <= 60 then
        local name = last_name(draw_name_number(ctx, generator, ctx.name_constant_run))
        local found = customer.index.name:select({w, d, name})
        return found[math.ceil(#found / 2)]
    end
    return customer:get({w, d, nurand(generator, 1023, 1, ctx.options.customers, ctx.customer_constant)})
end

local function payment(ctx, generator, operation)
    local spaces = ctx.spaces
    local w, d = generator:uniform(1, ctx.options.warehouses), generator:uniform(1, DISTRICTS)
    local customer_w, customer_d, amount = w, d, generator:uniform(100, 500000)
    if ctx.options.warehouses > 1 and generator:uniform(1, 100) > 85 then
        customer_w, customer_d = other_warehouse(ctx, generator, w), generator:uniform(1, DISTRICTS)
    end
    local warehouse = spaces.warehouse:update(w, {{'+', 'w_ytd', amount}})
    local district = spaces.district:update({w, d}, {{'+', 'd_ytd', amount}})
    local customer = find_customer(ctx, generator, customer_w, customer_d)
    local changes = {{'-', 'c_balance', amount}, {'+', 'c_ytd_payment', amount}, {'+', 'c_payment_cnt', 1}}
    if customer.c_credit == 'BC' then
        local data = ('%d %d %d %d %d %d|'):format(customer.c_id, customer_d, customer_w, d, w, amount)
        changes[4] = {'=', 'c_data', (data .. customer.c_data):sub(1, 500)}
    end
    spaces.customer:update({customer_w, customer_d, customer.c_id}, changes)
    spaces.history:insert({ctx.loaded_history + operation, customer.c_id, customer_d, customer_w, d, w, operation,
        amount, warehouse.w_name .. '    ' .. district.d_name})
    return amount
end

local function order_status(ctx, generator)
    local spaces = ctx.spaces
    local w, d = generator:uniform(1, ctx.options.warehouses), generator:uniform(1, DISTRICTS)
    local customer = find_customer(ctx, generator, w, d)
    local order = spaces.orders.index.customer:max({w, d, customer.c_id})
    local shown = 0
    for _, line in ipairs(spaces.order_line:select({w, d, order.o_id})) do
        shown = shown + line.ol_amount
    end
    return shown
end

local function deliver_order(ctx, w, d, o, carrier, operation)
    local spaces = ctx.spaces
    spaces.new_order:delete({w, d, o})
    local order = spaces.orders:update({w, d, o}, {{'=', 'o_carrier_id', carrier}})
    local sum = 0
    for number = 1, order.o_ol_cnt do
        local line = spaces.order_line:update({w, d, o, number}, {{'=', 'ol_delivery_d', operation}})
        sum = sum + line.ol_amount
    end
    spaces.customer:update({w, d, order.o_c_id}, {{'+', 'c_balance', sum}, {'+', 'c_delivery_cnt', 1}})
end

-- The oldest order of each district is delivered; a district without one is passed over.
local function delivery(ctx, generator, operation)
    local w, carrier = generator:uniform(1, ctx.options.warehouses), generator:uniform(1, 10)
    local delivered = 0
    for d = 1, DISTRICTS do
        local oldest = ctx.spaces.new_order.index.primary:min({w, d})
        if oldest ~= nil then
            deliver_order(ctx, w, d, oldest.no_o_id, carrier, operation)
            delivered = delivered + 1
        end
    end
    return delivered
end

-- Counts the items of a district's last 20 orders of which few are left.
local function stock_level(ctx, generator)
    local spaces = ctx.spaces
    local w, d = generator:uniform(1, ctx.options.warehouses), generator:uniform(1, DISTRICTS)
    local threshold = generator:uniform(10, 20)
    local next_order = spaces.district:get({w, d}).d_next_o_id
    local seen, low = {}, 0
    for o = math.max(1, next_order - 20), next_order - 1 do
        for _, line in ipairs(spaces.order_line:select({w, d, o})) do
            local item = line.ol_i_id
            if not seen[item] then
                seen[item] = true
                low = low + (spaces.stock:get({w, item}).s_quantity < threshold and 1 or 0)
            end
        end
    end
    return low
end

-- The mix, in percent, as sums: the specification's least shares, the rest new orders.
local MIX = {
    {45, 'new_order', new_order}, {88, 'payment', payment}, {92, 'order_status', order_status},
    {96, 'delivery', delivery}, {100, 'stock_level', stock_level},
}

-- Name and function of an operation, whose draws come next.
local function begin(ctx, generator, operation)
    generator:seed(ctx.seed, operation)
    local percentage, position = generator:uniform(1, 100), 1
    while percentage > MIX[position][1] do
        position = position + 1
    end
    return MIX[position][2], MIX[position][3]
end

function workload.transaction(ctx, fiber_id, n, first)
    local generator, counts = ctx.generator, ctx.counts
    for operation = first, first + n - 1 do
        local name, run = begin(ctx, generator, operation)
        box.begin()
        if run(ctx, generator, operation) == nil then
            box.rollback()
            name = 'rollback'
        else
            box.commit()
        end
        counts[name] = counts[name] + 1
    end
end

--- Verification: consistency conditions of the specification by their numbers, then sums that lost updates
--- would break, then a replay of what was ordered and delivered.

-- A number for a customer, or with 0 for a district.
local function place_of(w, d, c)
    return (w * DISTRICTS + d - 1) * (CUSTOMERS + 1) + c
end

-- How many orders of each district are still to be delivered. Replays the operations in order.
local function outstanding_of(ctx)
    local generator, outstanding = ctx.generator, {}
    local loaded = ctx.options.customers - delivered_at_first(ctx.options)
    for w = 1, ctx.options.warehouses do
        for d = 1, DISTRICTS do
            outstanding[place_of(w, d, 0)] = loaded
        end
    end
    for operation = 1, ctx.done_ops do
        local name = begin(ctx, generator, operation)
        if name == 'new_order' then
            local w, d, _, _, is_mistaken = draw_order(ctx, generator)
            local place = place_of(w, d, 0)
            outstanding[place] = outstanding[place] + (is_mistaken and 0 or 1)
        elseif name == 'delivery' then
            local w = generator:uniform(1, ctx.options.warehouses)
            for d = 1, DISTRICTS do
                local place = place_of(w, d, 0)
                outstanding[place] = math.max(0, outstanding[place] - 1)
            end
        end
    end
    return outstanding
end

-- What the history says was paid, to each district and by each customer.
local function payments_of(ctx)
    local paid = {}
    for _, row in ctx.spaces.history:pairs() do
        local amount = row.h_amount
        local district = place_of(row.h_w_id, row.h_d_id, 0)
        local customer = place_of(row.h_c_w_id, row.h_c_d_id, row.h_c_id)
        paid[district] = (paid[district] or 0) + amount
        paid[customer] = (paid[customer] or 0) + amount
    end
    return paid
end

local function complain(condition, w, d, what)
    error(('%s: warehouse %d, district %d: %s'):format(condition, w, d, what), 0)
end

-- The orders of a district: how many lines they should have, what was delivered to each customer, and how
-- often since the loading, whose deliveries have the date 0.
local function orders_of(ctx, w, d)
    local spaces, lines, delivered, deliveries = ctx.spaces, 0, {}, {}
    for _, order in spaces.orders:pairs({w, d}) do
        local id, c, is_delivered = order.o_id, order.o_c_id, order.o_carrier_id ~= nil
        if is_delivered == (spaces.new_order:get({w, d, id}) ~= nil) then
            complain('condition 5', w, d, ('order %d has a carrier and is new, or neither'):format(id))
        end
        lines = lines + order.o_ol_cnt
        local sum, date = 0, 0
        for _, line in spaces.order_line:pairs({w, d, id}) do
            if is_delivered ~= (line.ol_delivery_d ~= nil) then
                complain('condition 7', w, d,
                    ('order %d has a carrier and no date of delivery, or the reverse'):format(id))
            end
            sum = sum + (is_delivered and line.ol_amount or 0)
            date = is_delivered and line.ol_delivery_d or 0
        end
        delivered[c] = (delivered[c] or 0) + sum
        deliveries[c] = (deliveries[c] or 0) + (date > 0 and 1 or 0)
    end
    return lines, delivered, deliveries
end

local function check_customers(ctx, w, d, paid, delivered, deliveries)
    for c = 1, ctx.options.customers do
        local customer, received = ctx.spaces.customer:get({w, d, c}), delivered[c] or 0
        if customer.c_balance ~= received - paid[place_of(w, d, c)] then
            complain('condition 10', w, d, ('C_BALANCE of customer %d is not deliveries less payments'):format(c))
        elseif customer.c_balance + customer.c_ytd_payment ~= received then
            complain('condition 12', w, d, ('C_YTD_PAYMENT of customer %d is not what was paid'):format(c))
        elseif customer.c_delivery_cnt ~= (deliveries[c] or 0) then
            complain('deliveries', w, d, ('C_DELIVERY_CNT of customer %d is another number'):format(c))
        end
    end
end

local function check_district(ctx, w, d, paid, outstanding)
    local spaces = ctx.spaces
    local district, newest = spaces.district:get({w, d}), spaces.new_order.index.primary:max({w, d})
    local last = spaces.orders.index.primary:max({w, d}).o_id
    if district.d_next_o_id - 1 ~= last or (newest ~= nil and newest.no_o_id ~= last) then
        complain('condition 2', w, d, 'D_NEXT_O_ID - 1, the last order and the last new order differ')
    elseif newest ~= nil and last - spaces.new_order.index.primary:min({w, d}).no_o_id + 1
        ~= spaces.new_order:count({w, d}) then
        complain('condition 3', w, d, 'the numbers of the new orders have gaps')
    end
    local lines, delivered, deliveries = orders_of(ctx, w, d)
    if lines ~= spaces.order_line:count({w, d}) then
        complain('condition 4', w, d, 'O_OL_CNT adds to another number than there are order lines')
    elseif district.d_ytd ~= paid[place_of(w, d, 0)] then
        complain('condition 9', w, d, 'D_YTD is not the sum of the history')
    elseif spaces.new_order:count({w, d}) ~= outstanding then
        complain('deliveries', w, d, ('%d orders are new, not %d'):format(spaces.new_order:count({w, d}), outstanding))
    end
    check_customers(ctx, w, d, paid, delivered, deliveries)
    return district.d_ytd
end

local function check_warehouse(ctx, w, paid, outstanding)
    local sum = 0
    for d = 1, DISTRICTS do
        sum = sum + check_district(ctx, w, d, paid, outstanding[place_of(w, d, 0)])
    end
    if ctx.spaces.warehouse:get(w).w_ytd ~= sum then
        error(('condition 1: warehouse %d: W_YTD is not the sum of D_YTD'):format(w), 0)
    end
end

-- Every transaction was done once, and what was ordered has left the stocks.
local function check_counts(ctx)
    local spaces, counts, done = ctx.spaces, ctx.counts, 0
    for _, count in pairs(counts) do
        done = done + count
    end
    local ordered, supplied = 0, 0
    for _, line in spaces.order_line:pairs() do
        ordered = ordered + (line.ol_o_id > ctx.options.customers and line.ol_quantity or 0)
    end
    for _, stock in spaces.stock:pairs() do
        supplied = supplied + stock.s_ytd
    end
    if done ~= ctx.done_ops then
        error(('%.0f transactions are counted, not %.0f'):format(done, ctx.done_ops), 0)
    elseif spaces.history:len() ~= ctx.loaded_history + counts.payment then
        error('the history has other than one row a payment', 0)
    elseif spaces.orders:len() ~= ctx.loaded_orders + counts.new_order then
        error('there is other than one order for each new-order transaction', 0)
    elseif ordered ~= supplied then
        error('S_YTD adds to another number than was ordered', 0)
    end
end

local function check_all(ctx)
    local paid, outstanding = payments_of(ctx), outstanding_of(ctx)
    for w = 1, ctx.options.warehouses do
        check_warehouse(ctx, w, paid, outstanding)
    end
    check_counts(ctx)
end

function workload.verify(ctx)
    local is_consistent, reason = pcall(check_all, ctx)
    if not is_consistent then
        return nil, reason
    end
    local sum = checksum.new()
    for _, space in pairs(ctx.spaces) do
        for _, tuple in space:pairs() do
            sum:add(checksum.of_text(msgpack.encode(tuple)))
        end
    end
    return sum:text()
end

function workload.cleanup(ctx)
    for _, space in pairs(ctx.spaces) do
        space:drop()
    end
end

return workload
