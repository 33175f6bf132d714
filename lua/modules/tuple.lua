-- Tuple objects: a cdata that holds a copy of the tuple's MsgPack and needs no finalizer.
--
-- Reading a scalar field costs one FFI call when the JIT is on; making an object from the scratch
-- buffer one allocation and one copy, about 30 ns. Results of up to 36 bytes may come as objects of
-- one size, which compiled code does not make at all where nothing uses them.

local native = ...
local ffi = require('ffi')
local encoder = require('lycosa.msgpack_encoder')
local errors = require('lycosa.error')
local values = require('lycosa.values')
local wrap = require('lycosa.iterator').wrap

-- The members have names that no field has: they are found before the fields of the tuple. Lua may
-- not change them, since Rust believes the size; FFI calls fill a new object.
ffi.cdef([[
struct tuple {
    const uint32_t __size; const uint32_t __format; const uint32_t __stored; const uint8_t __data[?];
};
struct small_tuple {
    const uint32_t __size; const uint32_t __format; const uint32_t __stored; const uint8_t __data[36];
};
struct lycosa_field { double number; int64_t integer; const char *bytes; uint32_t size; };
]])

local tuple_t, small_tuple_t = ffi.typeof('struct tuple'), ffi.typeof('struct small_tuple')
local slot = ffi.cast('struct lycosa_field *', native.slot)
local find_field = ffi.cast(
    'int32_t (*)(const uint8_t *, uint32_t, uint32_t, struct lycosa_field *)', native.find_field)
local count_fields = ffi.cast('uint32_t (*)(const uint8_t *, uint32_t)', native.count_fields)
local same_bytes = ffi.cast(
    'int32_t (*)(const uint8_t *, const uint8_t *, uint32_t)', native.same_bytes)
local fill = ffi.cast(
    'void (*)(struct tuple *, const uint8_t *, uint32_t, uint32_t, uint32_t)', native.fill)
local fill_encoded = ffi.cast(
    'int32_t (*)(struct lycosa_scratch *, struct tuple *, uint32_t, int32_t, uint32_t)',
    native.fill_encoded)
local scratch = encoder.scratch
local null = values.null
local type, rawget, rawequal, tonumber = type, rawget, rawequal, tonumber
local new, istype, text = ffi.new, ffi.istype, ffi.string
local uint64_t = ffi.typeof('uint64_t')

-- Names of fields by format: formats[id][name] is a position, formats[id][position] a name; and the
-- whole fields by format.
local formats, format_fields = {}, {}

local methods = {}

local function is_tuple(value)
    return type(value) == 'cdata' and (istype(small_tuple_t, value) or istype(tuple_t, value))
end

local function check(value, usage)
    if not is_tuple(value) then
        error('Usage: ' .. usage, 3)
    end
end

-- Makes a tuple of `size` bytes at `source`; `stored` is the identity of the stored tuple that they are
-- a copy of, if they are.
--
-- An FFI call fills it on purpose: LuaJIT miscounts the size of a variable-length cdata whose
-- allocation it moves out of a loop, and the call is what keeps the allocation in place.
local function from_bytes(source, size, format_id, stored)
    local tuple = new(tuple_t, size)
    fill(tuple, source, size, format_id, stored or 0)
    return tuple
end

local bytes_p = ffi.typeof('const uint8_t *')

-- Makes a tuple of a string of MsgPack.
local function from_string(bytes, format_id, stored)
    return from_bytes(ffi.cast(bytes_p, bytes), #bytes, format_id, stored)
end

-- Makes a tuple of the first `size` bytes of the scratch buffer. Making the object may run a
-- finalizer, and one that encodes values then changes what the tuple holds.
local function from_scratch(size, format_id)
    return from_bytes(scratch.data, size, format_id)
end

-- The kinds of field that Rust tells apart.
local NIL, FALSE, TRUE, NUMBER, STRING, SIGNED, UNSIGNED = 1, 2, 3, 4, 5, 6, 7
local ABSENT = 0

local function field_compiled(tuple, position)
    local kind = find_field(tuple.__data, tuple.__size, position, slot)
    if kind == NUMBER then
        return slot.number
    elseif kind == STRING then
        -- The size first: making the pointer object may run a finalizer that reads fields.
        local size = slot.size
        return text(slot.bytes, size)
    elseif kind == ABSENT then
        return nil
    elseif kind == NIL then
        return null
    elseif kind == TRUE then
        return true
    elseif kind == FALSE then
        return false
    elseif kind == SIGNED then
        return slot.integer
    elseif kind == UNSIGNED then
        return ffi.cast(uint64_t, slot.integer)
    end
    return native.field(tuple, position)
end

local field = require('lycosa.values').is_compiled and field_compiled or native.field

-- What stands behind a name that is neither a field nor a method: a JSON path, or nothing.
local function by_path(tuple, name)
    if not name:find('[%.%[]') then
        return nil
    end
    local names = formats[tuple.__format]
    local first = name:match('^%.?([^%.%[]+)')
    local position = first and names and names[first]
    if position and type(position) == 'number' then
        local rest = name:sub(#first + (name:sub(1, 1) == '.' and 2 or 1))
        return native.field_path(tuple, position, rest)
    elseif name:sub(1, 1) == '[' then
        return native.field_path(tuple, 0, name)
    end
    return nil
end

local function index(tuple, key)
    local kind = type(key)
    if kind == 'number' then
        return field(tuple, key)
    elseif kind == 'string' then
        local names = formats[tuple.__format]
        if names ~= nil then
            local position = names[key]
            if position ~= nil then
                return field(tuple, position)
            end
        end
        local method = methods[key]
        if method ~= nil then
            return method
        end
        return by_path(tuple, key)
    elseif kind == 'cdata' and tonumber(key) then
        return field(tuple, tonumber(key))
    end
    return nil
end

-- Lets tuples of `format_id` be read by the names in the list `names`; nil forgets them. `fields` says
-- what `tuple:format()` does.
local function register_format(format_id, names, fields)
    format_fields[format_id] = fields
    if names == nil then
        formats[format_id] = nil
        return
    end
    local both = {}
    for position = 1, #names do
        both[position] = names[position]
        both[names[position]] = position
    end
    formats[format_id] = both
end

local function make(value, format_id)
    local size, encoding = encoder.encode(value)
    if size == nil then
        errors.raise(errors.codes.TUPLE_NOT_ARRAY)
    end
    local tuple = new(tuple_t, size)
    if fill_encoded(scratch, tuple, size, encoding, format_id) == 0 then
        -- A finalizer has encoded something else meanwhile.
        return make(value, format_id)
    end
    return tuple
end

local function new_tuple(...)
    local count = select('#', ...)
    local first, options = ...
    local is_list = type(first) == 'table' or is_tuple(first)
    if count == 1 and is_list then
        return make(first, 0)
    elseif count == 2 and is_list and type(options) == 'table' and type(options.format) == 'table' then
        return require('lycosa.tuple_format').make(first, options.format)
    end
    local list = {...}
    for position = 1, count do
        if list[position] == nil then
            list[position] = null
        end
    end
    return make(list, 0)
end

local function length(tuple)
    return count_fields(tuple.__data, tuple.__size)
end

local function next_field(tuple, position)
    check(tuple, 'tuple:next(tuple, pos)')
    local wanted = (position or 0) + 1
    -- NaN is within no bounds.
    if not (wanted >= 1 and wanted <= length(tuple)) then
        return nil
    end
    return wanted, field(tuple, wanted)
end

local function walk(tuple)
    check(tuple, 'tuple:pairs(tuple)')
    return wrap(next_field, tuple, 0)
end

function methods.tomap(tuple, options)
    check(tuple, 'tuple:tomap(options)')
    local names = formats[tuple.__format] or {}
    local only_names = options ~= nil and options.names_only
    local map = {}
    for position, value in next_field, tuple, 0 do
        if not only_names then
            map[position] = value
        end
        local name = names[position]
        if name ~= nil then
            map[name] = value
        end
    end
    return map
end

function methods.slice(tuple, first, last)
    check(tuple, 'tuple:slice(start[, end])')
    local count = length(tuple)
    first = first == nil and 0 or first
    if type(first) ~= 'number' or (last ~= nil and type(last) ~= 'number') then
        error('tuple.slice(): bad arguments', 2)
    end
    first = first < 0 and first + count or first
    last = last == nil and count or (last < 0 and last + count or last)
    if first < 0 or first >= count then
        error('tuple.slice(): start >= field count', 2)
    elseif last > count then
        error('tuple.slice(): end > field count', 2)
    elseif last <= first then
        error('tuple.slice(): start must be less than end', 2)
    end
    return native.unpack(tuple, first + 1, last)
end

-- With two arguments the first one is the number of fields to leave out.
local function search_range(skip, value, count)
    if count == 0 then
        error('Usage: tuple:find([offset, ]value)', 3)
    elseif count == 1 then
        return 0, skip
    end
    return skip, value
end

function methods.find(tuple, ...)
    check(tuple, 'tuple:find([offset, ]value)')
    local skip, wanted = search_range(select(1, ...), select(2, ...), select('#', ...))
    for position, value in next_field, tuple, skip do
        if value == wanted then
            return position
        end
    end
    return nil
end

function methods.findall(tuple, ...)
    check(tuple, 'tuple:findall([offset, ]value)')
    local skip, wanted = search_range(select(1, ...), select(2, ...), select('#', ...))
    local found = {}
    for position, value in next_field, tuple, skip do
        if value == wanted then
            found[#found + 1] = position
        end
    end
    return found
end

-- Leaves out `count` fields from position `first` on, and puts the further arguments there.
function methods.transform(tuple, first, count, ...)
    check(tuple, 'tuple:transform(start, count, ...)')
    if type(first) ~= 'number' or type(count) ~= 'number' then
        error('tuple.transform(): bad arguments', 2)
    end
    local size = length(tuple)
    if first == 0 or -first > size then
        error('tuple.transform(): offset is out of bound', 2)
    elseif count < 0 then
        error('tuple.transform(): len is negative', 2)
    end
    if count == 0 and select('#', ...) == 0 then
        return tuple
    end
    first = first < 0 and first + size + 1 or math.min(first, size + 1)
    local list = native.totable(tuple)
    local result, filled = {}, 0
    local function add(value)
        filled = filled + 1
        result[filled] = value == nil and null or value
    end
    for position = 1, first - 1 do
        add(list[position])
    end
    for position = 1, select('#', ...) do
        add((select(position, ...)))
    end
    for position = first + count, size do
        add(list[position])
    end
    return make(setmetatable(result, values.sequence_metatable), tuple.__format)
end

-- The fields of the format that the tuple was made or read with.
function methods.format(tuple)
    check(tuple, 'tuple:format()')
    local list = {}
    for position, field in ipairs(format_fields[tuple.__format] or {}) do
        list[position] = {name = field.name, type = field.type,
            is_nullable = field.is_nullable or nil}
    end
    return setmetatable(list, values.sequence_metatable)
end

-- Where the tuple is: this object is a copy of its own, outside the memory of the spaces.
function methods.info(tuple)
    check(tuple, 'tuple:info()')
    return {data_size = tuple.__size, header_size = ffi.sizeof(tuple_t, 0), field_map_size = 0,
        waste_size = 0, arena = 'runtime'}
end

function methods.bsize(tuple)
    check(tuple, 'tuple:bsize()')
    return tuple.__size
end

methods.totable = native.totable
methods.unpack = native.unpack
methods.next = next_field
methods.pairs = walk
methods.ipairs = walk

local pointer_t = ffi.typeof('void *')

-- Two objects are equal when they are copies of one stored tuple; one that Lua has made equals itself
-- alone. The bytes tell a tuple from an earlier one that had its place. What is no tuple is compared,
-- or refused, as a pointer.
local function equals(left, right)
    if rawequal(left, right) then
        return true
    elseif is_tuple(left) and is_tuple(right) then
        return left.__stored ~= 0 and left.__stored == right.__stored and left.__size == right.__size
            and same_bytes(left.__data, right.__data, left.__size) == 1
    end
    return ffi.cast(pointer_t, left) == ffi.cast(pointer_t, right)
end

local metatable = {
    __index = index,
    __len = length,
    __eq = equals,
    __tostring = native.tostring,
}
ffi.metatype(tuple_t, metatable)
ffi.metatype(small_tuple_t, metatable)

encoder.set_is_tuple(is_tuple)

box.tuple = {new = new_tuple, is = is_tuple}
for name, method in next, methods do
    box.tuple[name] = method
end

box.tuple.format = setmetatable({
    new = function(format) return require('lycosa.tuple_format').new(format) end,
    is = function(value) return require('lycosa.tuple_format').is(value) end,
}, {__call = function(_, tuple) return methods.format(tuple) end})

-- Adds a method to tuples and to box.tuple, or replaces one.
local function add_method(name, method)
    methods[name] = method
    box.tuple[name] = method
end

return {
    type = tuple_t,
    small_type = small_tuple_t,
    ffi_new = new,
    type_ids = {tonumber(tuple_t), tonumber(small_tuple_t)},
    is = is_tuple,
    new = new_tuple,
    make = make,
    from_bytes = from_bytes,
    from_string = from_string,
    from_scratch = from_scratch,
    register_format = register_format,
    format_names = function(format_id) return formats[format_id] end,
    add_method = add_method,
}
