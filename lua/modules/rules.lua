-- Constraints and defaults of a space: checks of how they are declared, and what they do to a tuple.
-- Loaded with the first space that has any.

local native = ...
local checks = require('lycosa.schema_checks')
local functions = require('lycosa.functions')
local log = require('log')
local msgpack = require('msgpack')
local tuples = require('lycosa.tuple')

local illegal = checks.illegal

local rules = {}

-- The number of the function that is given by its name, or by its number as a format shows it.
local function function_number(given, prefix, what)
    local object = functions.find(given)
    if type(given) == 'number' and object ~= nil then
        return given
    elseif type(given) ~= 'string' then
        illegal('%s%s is expected to be a string, but got %s', prefix, what, type(given))
    elseif object == nil then
        illegal("%s%s was not found by name '%s'", prefix, what:gsub(' name$', ''), given)
    end
    return object.id
end

-- Brings `'f'`, `{'f'}` and `{name = 'f'}` into the form {name = number}.
function rules.constraints(given, prefix)
    if type(given) == 'string' then
        given = {given}
    elseif type(given) ~= 'table' then
        illegal('%sconstraint must be string or table', prefix)
    end
    local numbers = {}
    for name, callable in pairs(given) do
        local number = function_number(callable, prefix, 'constraint function')
        numbers[type(name) == 'number' and callable or name] = number
    end
    return next(numbers) ~= nil and setmetatable(numbers, {__serialize = 'map'}) or nil
end

local NAME_MAX_BYTES = 65000

-- Why a constraint cannot have this name, or nothing.
local function name_failure(name)
    if type(name) ~= 'string' or name == '' or name:find('%c') then
        return "constraint name isn't a valid identifier"
    elseif #name > NAME_MAX_BYTES then
        return 'constraint name is too long'
    end
end

-- Completes the declaration of a field: functions by number, literals of the right type.
function rules.declare(declared, position)
    local prefix = ('format[%d]: '):format(position)
    if declared.constraint ~= nil then
        declared.constraint = rules.constraints(declared.constraint, prefix)
        for name in pairs(declared.constraint or {}) do
            local failure = name_failure(name)
            if failure ~= nil then
                box.error(box.error.WRONG_SPACE_FORMAT, position, failure)
            end
        end
    end
    if declared.default_func ~= nil then
        declared.default_func = function_number(declared.default_func, prefix,
            'field default function name')
        local object = functions.find(declared.default_func)
        if object.language ~= 'LUA' then
            box.error(box.error.CREATE_DEFAULT_FUNC, object.name, 'unsupported language')
        elseif object.body == nil then
            box.error(box.error.CREATE_DEFAULT_FUNC, object.name, 'Lua function must have persistent body')
        end
    elseif declared.default ~= nil then
        local fits, actual = native.fits_type(declared.type, msgpack.encode(declared.default))
        if not fits then
            box.error(box.error.DEFAULT_VALUE_TYPE, ('%d (%s)'):format(position, declared.name),
                declared.type, actual)
        end
    end
end

-- Constraints in the order of their names, checked for what their functions must be.
local function sorted(numbers, space_name)
    local list = {}
    for name, number in pairs(numbers or {}) do
        local object = functions.find(number)
        local reason
        if object == nil then
            reason = ("constraint function '%d' was not found by ID"):format(number)
        elseif object.language == 'LUA' and object.body == nil then
            reason = ("constraint lua function '%s' must have persistent body"):format(object.name)
        elseif not object.is_deterministic then
            reason = ("constraint function '%s' must be deterministic"):format(object.name)
        end
        if reason ~= nil then
            box.error(box.error.CREATE_CONSTRAINT, name, space_name, reason)
        end
        list[#list + 1] = {name = name, number = number}
    end
    table.sort(list, function(left, right) return left.name < right.name end)
    return list
end

-- Whether a constraint holds; a function that throws says no, and the log why.
local function holds(constraint, value)
    local ok, answer = pcall(functions.call, constraint.number, value, constraint.name)
    if not ok then
        log.error('%s', tostring(answer))
    end
    return ok and answer == true
end

local function check_field(field, tuple)
    local value = tuple[field.number]
    if value == nil and (type(value) ~= 'cdata' or field.allows_null) then
        return
    end
    for _, constraint in ipairs(field.constraints) do
        if not holds(constraint, value) then
            box.error(box.error.FIELD_CONSTRAINT_FAILED, constraint.name, field.label)
        end
    end
end

-- Value of a default's function for a field, encoded.
local function computed(field, tuple)
    local name = functions.find(field.default_function).name
    local values = {pcall(functions.call, field.default_function, field.default, tuple)}
    if not values[1] then
        box.error(box.error.DEFAULT_FUNC_FAILED, name, tostring(values[2]))
    end
    local count = table.maxn(values) - 1
    if count ~= 1 then
        box.error(box.error.DEFAULT_FUNC_FAILED, name,
            ('expected 1 return value, got %d'):format(count))
    end
    return msgpack.encode(values[2])
end

local function default_filler(fields, format_id)
    local count = fields[#fields].number
    return function(bytes)
        local missing = native.null_fields(bytes, count)
        local tuple = tuples.from_string(bytes, format_id)
        local found = {}
        for _, field in ipairs(fields) do
            if missing[field.number] then
                found[field.number] = field.default_function ~= nil and computed(field, tuple)
                    or field.default_bytes
            end
        end
        return next(found) ~= nil and native.fill_fields(bytes, count, found) or bytes
    end
end

local function described_field(declared, number, space_name)
    return {
        number = number,
        label = ('%d (%s)'):format(number, declared.name),
        allows_null = declared.is_nullable == true or declared.default ~= nil
            or declared.default_func ~= nil,
        constraints = sorted(declared.constraint, space_name),
        default = declared.default,
        default_bytes = declared.default ~= nil and msgpack.encode(declared.default) or nil,
        default_function = declared.default_func,
    }
end

local function checker(of_tuple, of_fields, format_id)
    return function(bytes)
        local tuple = tuples.from_string(bytes, format_id)
        for _, constraint in ipairs(of_tuple) do
            if not holds(constraint, tuple) then
                box.error(box.error.TUPLE_CONSTRAINT_FAILED, constraint.name)
            end
        end
        for _, field in ipairs(of_fields) do
            check_field(field, tuple)
        end
    end
end

-- What the declared fields and the constraints of whole tuples do, as `hooks.rules` keeps it; nil
-- when there is nothing to do. Fails when a function is not one for a constraint.
function rules.of(space_name, format_id, declared_fields, tuple_constraints)
    local of_tuple = sorted(tuple_constraints, space_name)
    local constrained, defaulted, used = {}, {}, {}
    for number, declared in ipairs(declared_fields) do
        local field = described_field(declared, number, space_name)
        if field.constraints[1] ~= nil then
            constrained[#constrained + 1] = field
        end
        if field.default_bytes ~= nil or field.default_function ~= nil then
            defaulted[#defaulted + 1] = field
        end
        if field.default_function ~= nil then
            used[field.default_function] = 'field default value'
        end
        for _, constraint in ipairs(field.constraints) do
            used[constraint.number] = 'constraint'
        end
    end
    for _, constraint in ipairs(of_tuple) do
        local failure = name_failure(constraint.name)
        if failure ~= nil then
            box.error(box.error.WRONG_SPACE_OPTIONS, failure)
        end
        used[constraint.number] = 'constraint'
    end
    local has_constraints = of_tuple[1] ~= nil or constrained[1] ~= nil
    if not has_constraints and defaulted[1] == nil then
        return nil
    end
    return {
        has_constraints = has_constraints,
        check = has_constraints and checker(of_tuple, constrained, format_id) or nil,
        apply_defaults = defaulted[1] ~= nil and default_filler(defaulted, format_id) or nil,
        functions = used,
    }
end

-- Checks the tuples that are there against constraints that are new.
function rules.check_rows(space, new_rules)
    if new_rules == nil or not new_rules.has_constraints or space.index[0] == nil then
        return
    end
    for _, tuple in space:pairs() do
        new_rules.check(msgpack.encode(tuple))
    end
end

return rules
