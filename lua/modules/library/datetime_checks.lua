-- Checks of what the modules about times are given. `level` counts from the caller of each function.

local checks = {}

-- Throws unless `fits`; `level` counts from the caller of this function.
function checks.expect(fits, what, where, value, level)
    if not fits then
        error(('%s: expected %s, but received %s'):format(where, what, type(value)), level + 1)
    end
end

function checks.integer(value, name, level)
    if type(value) ~= 'number' or value % 1 ~= 0 then
        error(('%s: integer value expected, but received %s'):format(name, type(value)), level + 1)
    end
end

function checks.range(value, name, least, greatest, level, special)
    if type(value) ~= 'number' then
        error(('numeric value expected, but received %s'):format(type(value)), level + 1)
    elseif value == special or (value >= least and value <= greatest) then
        return
    elseif special then
        error(('value %d of %s is out of allowed range [%d, %d..%d]'):format(
            value, name, special, least, greatest), level + 1)
    end
    error(('value %d of %s is out of allowed range [%d, %d]'):format(
        value, name, least, greatest), level + 1)
end

return checks
