//! Puts steps together to a script that runs under both programs and prints a line for each step.

use std::fmt::Write as _;

/// The module that scripts print with; the conformance scripts use the same.
pub(crate) const SHOW: &str = include_str!("../../lua/tests/conformance/support/show.lua");

const HEAD: &str = "\
local show = require('show')
local fiber = require('fiber')
local ffi = require('ffi')
local decimal, uuid = require('decimal'), require('uuid')
box.cfg{log_level = 0, wal_mode = 'none'}

local function walk(index, ...)
    local list = {}
    for _, tuple in index:pairs(...) do list[#list + 1] = tuple:totable() end
    return list
end
-- 2.6 has no text for decimals and UUIDs in a tuple: such a tuple is shown as a table.
local function shown(value)
    if box.tuple.is(value) then
        for _, field in value:ipairs() do
            if decimal.is_decimal(field) or ffi.istype(ffi.typeof(uuid.new()), field) then
                return value:totable()
            end
        end
    elseif type(value) == 'table' then
        for position, element in ipairs(value) do value[position] = shown(element) end
    end
    return value
end
local function sorted(list)
    list = shown(list)
    table.sort(list, function(left, right) return show.text(left) < show.text(right) end)
    return list
end
local function step(number, run)
    show.try(number, function()
        local function pass(first, ...) return shown(first), ... end
        local function collect(...)
            if select('#', ...) > 0 then return pass(...) end
        end
        return collect(run())
    end)
end
-- Whether it works; what is not supported is told all the same.
local function succeeds(action)
    local ok, err = pcall(action)
    if not ok and type(err) == 'cdata' and err.code == box.error.UNSUPPORTED then error(err) end
    return ok
end
";

/// Undoes what a seed has left, so that the next one starts from nothing.
const RESET: &str = "\
local function reset()
    box.rollback()
    for id, space in pairs(box.space) do
        if type(id) == 'number' and id > box.schema.SYSTEM_ID_MAX then space:drop() end
    end
    for number = 1, 100 do rawset(_G, 'savepoint_' .. number, nil) end
end
";

const TAIL: &str = "\nos.exit(0)\n";

fn push_steps<S: AsRef<str>>(script: &mut String, steps: &[S]) {
    for (number, step) in steps.iter().enumerate() {
        let _ = writeln!(
            script,
            "step('{}', function() {} end)",
            number + 1,
            step.as_ref()
        );
    }
}

/// One list of steps, in the form of a conformance script.
pub(crate) fn single<S: AsRef<str>>(steps: &[S]) -> String {
    let mut script = String::from(HEAD);
    script.push('\n');
    push_steps(&mut script, steps);
    script + TAIL
}

/// Many lists, each behind a line that names its seed.
pub(crate) fn batch(seeds: &[(u64, Vec<String>)]) -> String {
    let mut script = String::from(HEAD) + RESET;
    for (seed, steps) in seeds {
        let _ = writeln!(script, "\nprint('{MARKER}{seed}')\n;(function()");
        push_steps(&mut script, steps);
        script.push_str("end)()\nreset()\n");
    }
    script + TAIL
}

/// What the line before the lines of a seed begins with.
pub(crate) const MARKER: &str = "seed ";
