//! The modules `clock` and `log`.

mod support;

use lycosa_lua::state::{jit_counters, new_state};
use support::{gives, returns};

#[test]
fn clocks_answer_in_seconds_or_in_unsigned_nanoseconds() {
    for name in ["time", "realtime", "monotonic", "proc", "thread"] {
        gives(
            &format!("type(require('clock').{name}()), require('clock').{name}() > 0"),
            &["number", "true"],
        );
    }
    for name in ["time64", "realtime64", "monotonic64", "proc64", "thread64"] {
        gives(
            &format!(
                "ffi.istype('uint64_t', require('clock').{name}()), require('clock').{name}() > 0"
            ),
            &["true", "true"],
        );
    }
    returns(
        "local clock = require('clock') local a = clock.monotonic64() return tostring(clock.monotonic64() >= a)",
        "true",
    );
}

#[test]
fn bench_gives_the_time_and_the_results() {
    returns(
        "local r = require('clock').bench(function(a, b) return a, b, 7 end, 1, 2)
         return #r .. tostring(r[1] >= 0) .. r[2] .. r[3] .. r[4]",
        "4true127",
    );
}

#[test]
fn a_loop_over_the_clock_stays_compiled() {
    let lua = new_state(true).expect("a state");
    lua.load("local clock, last = require('clock'), 0ULL for i = 1, 10000 do last = clock.monotonic64() end return last")
        .exec()
        .expect("the loop");
    let counters = jit_counters(&lua).expect("counters");
    assert!(counters.traces > 0 && counters.aborts < 5, "{counters:?}");
}

const CAPTURE: &str = "
    local log, hooks = require('log'), require('lycosa.log').hooks
    local lines = {}
    hooks.write = function(line) lines[#lines + 1] = line end
    hooks.fiber = function() return 103, 'app.lua' end
    local function text()
        return (table.concat(lines):gsub('%d+%-%d+%-%d+ %d+:%d+:%d+%.%d%d%d %[%d+%]', 'TIME [PID]')
            :gsub('app.lua [^ ]+:(%d+) ', 'app.lua script:LINE '))
    end ";

#[test]
fn lines_have_time_process_fiber_place_and_level() {
    returns(
        &format!(
            "{CAPTURE} log.info('hello %d %s', 5, 'x') log.warn({{1, 2}}) log.error('100%% %s') log.crit('c') log.verbose('v') return text()"
        ),
        "TIME [PID] main/103/app.lua I> hello 5 x\n\
         TIME [PID] main/103/app.lua script:LINE W> [1,2]\n\
         TIME [PID] main/103/app.lua script:LINE E> 100%% %s\n\
         TIME [PID] main/103/app.lua script:LINE C> c\n",
    );
}

#[test]
fn messages_may_be_any_value() {
    returns(
        &format!(
            "{CAPTURE} log.info(5) log.info(nil) log.info(box.error.new(10, 'x')) log.info(T{{1}}) log.info('%s', nil) return text()"
        ),
        "TIME [PID] main/103/app.lua I> 5\n\
         TIME [PID] main/103/app.lua I> nil\n\
         TIME [PID] main/103/app.lua I> Space 'x' already exists\n\
         TIME [PID] main/103/app.lua I> [1]\n\
         TIME [PID] main/103/app.lua I> nil\n",
    );
}

#[test]
fn the_level_is_a_number_or_a_name() {
    returns(
        &format!("{CAPTURE} local r = {{log.level()}} log.level(7) log.debug('d') log.level('error') log.warn('w')
                  log.cfg{{level = 'verbose'}} r[2] = log.level() r[3] = log.cfg.level
                  log.new('module').verbose('v') return table.concat(r, ' ') .. text()"),
        "5 verbose verboseTIME [PID] main/103/app.lua D> d\nTIME [PID] main/103/app.lua/module V> v\n",
    );
    returns(
        "return (fails(require('log').level, 'loud'):gsub(': expected.*', ''))",
        "Incorrect value for option 'level'",
    );
}

#[test]
fn pairs_honours_the_metamethod() {
    returns(
        "local t = setmetatable({}, {__pairs = function() return next, {x = 1}, nil end})
         local r = '' for k, v in pairs(t) do r = r .. k .. v end return r",
        "x1",
    );
}
