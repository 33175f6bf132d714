//! Tarantool's `fiber`, script by script. Expected outputs were recorded under Tarantool where it
//! answers the same in every run.

use lycosa_engine::fiber::{Clock, RuntimeOptions, run};
use lycosa_lua::fiber::install;
use lycosa_lua::state::new_state;

/// Runs `script` in the main fiber of a fresh runtime with a fresh Lua state. What the script prints
/// is the result, one line a call, values separated by blanks.
fn output(script: &'static str) -> String {
    let mut options = RuntimeOptions::default();
    options.clock = Clock::Virtual;
    let result = run(options, move |scheduler| -> Result<String, String> {
        let lua = new_state(true).map_err(|error| error.to_string())?;
        let evaluate = || -> mlua::Result<String> {
            install(&lua, scheduler)?;
            lua.load(PRELUDE).exec()?;
            lua.load(script).set_name("=script").exec()?;
            lua.load("return table.concat(PRINTED, '\\n')").eval()
        };
        evaluate().map_err(|error| error.to_string())
    });
    match result {
        Ok(Ok(text)) => text,
        Ok(Err(message)) => format!("the script failed: {message}"),
        Err(error) => format!("the runtime failed: {error}"),
    }
}

const PRELUDE: &str = "
PRINTED = {}
fiber = require('fiber')
function print(...)
    local parts = {}
    for i = 1, select('#', ...) do parts[i] = tostring((select(i, ...))) end
    PRINTED[#PRINTED + 1] = table.concat(parts, ' ')
end
-- A joinable fiber that has started.
function started(f, ...)
    local object = fiber.new(f, ...)
    object:set_joinable(true)
    fiber.yield()
    return object
end
";

#[test]
fn the_fiber_object_is_a_userdata_with_id_name_and_status() {
    let text = output(
        "print(fiber.id(), fiber.name(), type(fiber.self()), fiber.self(), fiber.status())
         local f = fiber.create(function() fiber.yield() end)
         print(f:id(), f:status(), f:name(), f)
         print(fiber.find(f:id()) == f, fiber.find(99999), fiber.find(1))
         print(f.storage ~= nil, f.nothing, fiber.self() == fiber.self())",
    );
    let expected = "101 main userdata fiber: 101 running\n\
                    102 suspended lua fiber: 102\n\
                    true nil nil\n\
                    true nil true";
    assert_eq!(text, expected);
}

#[test]
fn create_runs_at_once_new_runs_later_and_both_pass_arguments() {
    let text = output(
        "fiber.create(function(...) print('created', ...) end, 1, nil, 'x')
         local f = fiber.new(function(...) print('new', ...) end, 2, nil)
         print('main')
         fiber.yield()
         print(f:status())",
    );
    assert_eq!(text, "created 1 nil x\nmain\nnew 2 nil\ndead");
}

#[test]
fn join_gives_all_values_or_false_and_the_error() {
    let text = output(
        "local f = started(function(...) return ... end, 1, 2, nil, 3)
         print(f:status(), fiber.find(f:id()) == f)
         print(f:join())
         print(f:status(), pcall(f.join, f))
         print(started(function() end):join())
         print(started(function() error('boo') end):join())
         print(started(function() error('boo', 0) end):join())
         print(select('#', started(function() error() end):join()))
         local g = fiber.create(function() fiber.sleep(1) end)
         print(pcall(g.join, g))
         g:set_joinable(true)
         print(g:join(0.5))
         print(g:join(1))",
    );
    let expected = "suspended true\n\
                    true 1 2 nil 3\n\
                    dead false the fiber is dead\n\
                    true\n\
                    false script:6: boo\n\
                    false boo\n\
                    2\n\
                    false the fiber is not joinable\n\
                    false timed out\n\
                    true";
    assert_eq!(text, expected);
}

#[test]
fn a_dead_fiber_knows_only_id_status_and_text() {
    let text = output(
        "local f = fiber.create(function() end)
         print(f:id(), f:status(), f)
         print(pcall(f.name, f)) print(pcall(f.wakeup, f)) print(pcall(f.cancel, f))
         print(pcall(f.csw, f)) print(pcall(f.set_joinable, f, true))
         print(pcall(fiber.kill, 99999)) print(pcall(fiber.wakeup, 99999))
         print(pcall(function() return f.storage end))",
    );
    let dead = "false the fiber is dead\n".repeat(7);
    assert_eq!(
        text,
        format!("102 dead fiber: 102\n{dead}false script:6: the fiber is dead")
    );
}

#[test]
fn yields_rotate_in_the_order_of_creation() {
    let text = output(
        "local t = {}
         for i = 1, 4 do
             fiber.create(function() for _ = 1, 3 do t[#t + 1] = i fiber.yield() end end)
         end
         fiber.sleep(1)
         print(table.concat(t, ' '))",
    );
    assert_eq!(text, "1 2 3 4 1 2 3 4 1 2 3 4");
}

#[test]
fn sleeps_end_by_deadline_and_wakeup_ends_them_early() {
    let text = output(
        "local t = {}
         for i = 1, 4 do
             local object = fiber.new(function() fiber.sleep(10 - i) t[#t + 1] = i end)
             object:name('f' .. i)
             if i == 2 then wakes = object end
         end
         fiber.yield()
         wakes:wakeup() wakes:wakeup()
         local before = fiber.clock()
         fiber.sleep(20)
         print(table.concat(t, ' '), fiber.clock() - before > 19.9, fiber.clock() - before < 20.1)",
    );
    assert_eq!(text, "2 4 3 1 true true");
}

#[test]
fn cancel_raises_at_the_next_yield_and_every_one_after() {
    let text = output(
        "local f = started(function()
             print('sleep', pcall(fiber.sleep, 100))
             print('yield', pcall(fiber.yield))
             print('test', pcall(fiber.testcancel))
             local channel = fiber.channel(0)
             print('get', pcall(channel.get, channel)) print('put', pcall(channel.put, channel, 1))
             local condition = fiber.cond()
             print('wait', pcall(condition.wait, condition, 0.3))
             fiber.yield()
         end)
         f:cancel()
         print(f:status())
         print('join', f:join())
         print('self', started(function() fiber.self():cancel() end):join())
         local unstarted = fiber.new(function() print('unstarted', pcall(fiber.sleep, 0)) end)
         unstarted:cancel()
         fiber.yield() fiber.yield()",
    );
    let cancelled = [
        "sleep",
        "yield",
        "test",
        "get",
        "put",
        "wait",
        "join",
        "self",
        "unstarted",
    ]
    .map(|step| format!("\n{step} false fiber is cancelled"));
    assert_eq!(text, format!("suspended{}", cancelled.concat()));
}

#[test]
fn names_are_limited_and_can_be_truncated() {
    let text = output(
        "print(fiber.name('abc'), fiber.name(), fiber.self():name('d'), fiber.self():name())
         print(pcall(fiber.name, ('x'):rep(300)))
         print(#fiber.name(), fiber.name(('x'):rep(300), {truncate = true}), #fiber.name())",
    );
    // Arguments are evaluated left to right, and setting a name gives no value, which is nil here.
    assert_eq!(
        text,
        "nil abc nil d\nfalse Fiber name is too long\n1 nil 255"
    );
}

#[test]
fn wrong_arguments_are_told_as_tarantool_tells_them() {
    let text = output(
        "print(pcall(fiber.sleep, 'x')) print(pcall(fiber.sleep)) print(pcall(fiber.sleep, -1))
         print(pcall(fiber.create)) print(pcall(fiber.create, 1)) print(pcall(fiber.new, 1))
         print(pcall(fiber.find)) print(pcall(fiber.testcancel, 1))
         print(pcall(fiber.status, 99999)) print(pcall(fiber.join)) print(pcall(fiber.cancel))
         print(pcall(fiber.self().set_joinable)) print(pcall(fiber.top))
         print(pcall(fiber.channel, -1)) print(pcall(fiber.channel, 'x'))",
    );
    let expected = "false fiber.sleep(delay): bad arguments\n\
         false fiber.sleep(delay): bad arguments\n\
         true\n\
         false fiber.create(function, ...): bad arguments\n\
         false fiber.create(function, ...): bad arguments\n\
         false fiber.new(function, ...): bad arguments\n\
         false fiber.find(id): bad arguments\n\
         false fiber.testcancel(): bad arguments\n\
         false bad argument #1 to '?' (fiber expected, got number)\n\
         false bad argument #1 to '?' (fiber expected, got no value)\n\
         false bad argument #1 to '?' (fiber expected, got no value)\n\
         false fiber.set_joinable(id, yesno): bad arguments\n\
         false fiber.top() is disabled. Enable it with fiber.top_enable() first\n\
         false fiber.channel(size): negative size\n\
         false fiber.channel(size): bad arguments";
    assert_eq!(text, expected);
}

#[test]
fn storage_belongs_to_the_fiber() {
    let text = output(
        "fiber.self().storage.x = 1
         local f = fiber.create(function()
             print(fiber.self().storage.x)
             fiber.self().storage.x = 2
             fiber.yield()
             print(fiber.self().storage.x)
         end)
         print(f.storage.x, fiber.self().storage.x)
         fiber.yield()",
    );
    assert_eq!(text, "nil\n2 1\n2");
}

#[test]
fn a_channel_buffers_up_to_its_size() {
    let text = output(
        "local ch = fiber.channel(2)
         print(ch, type(ch), ch:size(), ch:count(), ch:is_full(), ch:is_empty(), ch:is_closed())
         print(ch:has_readers(), ch:has_writers())
         print(ch:put(1), ch:put(2), ch:put(3, 0.01), ch:is_full(), ch:count(), ch)
         print(ch:get(), ch:get(), ch:get(0.01))
         print(pcall(ch.put, ch)) print(ch:put(nil), ch:get(0))
         print(pcall(ch.get, ch, 'x')) print(pcall(ch.get, ch, -1))
         ch:put(5) ch:close()
         print(ch:get(), ch:get(), ch:put(1), ch:is_closed(), ch)",
    );
    let expected = "channel: 0 userdata 2 0 false true false\n\
                    false false\n\
                    true true false true 2 channel: 2\n\
                    1 2 nil\n\
                    false usage: channel:put(var [, timeout])\n\
                    true nil\n\
                    false usage: channel:get([timeout])\n\
                    false usage: channel:get([timeout])\n\
                    5 nil false true channel: closed";
    assert_eq!(text, expected);
}

#[test]
fn a_channel_without_buffer_hands_over_between_fibers() {
    let text = output(
        "local ch = fiber.channel()
         print(ch:size(), ch:is_full(), ch:is_empty(), ch:put(1, 0), ch:get(0))
         fiber.create(function() for i = 1, 3 do print('read', ch:get()) end end)
         print(ch:has_readers(), ch:put('a'))
         fiber.yield()
         ch:put({}) ch:close()
         fiber.yield()",
    );
    let text = text
        .lines()
        .map(|line| line.split(": 0x").next().unwrap_or(line));
    let expected = [
        "0 true true false nil",
        "true true",
        "read a",
        "read table",
        "read nil",
    ];
    assert_eq!(text.collect::<Vec<_>>(), expected);
}

#[test]
fn a_get_that_is_woken_without_a_value_goes_on_waiting() {
    let text = output(
        "local ch = fiber.channel(1)
         local f = started(function() return ch:get() end)
         f:wakeup() fiber.yield()
         print(f:status())
         ch:put(9)
         print(f:join())",
    );
    assert_eq!(text, "suspended\ntrue 9");
}

#[test]
fn a_condition_answers_true_when_signalled_and_false_on_timeout() {
    let text = output(
        "local c = fiber.cond()
         print(c, type(c), c:wait(0.01))
         print(pcall(c.wait, c, -1)) print(pcall(c.wait, c, 'x')) print(pcall(c.wait))
         print(c:signal(), c:broadcast())
         local f = started(function() return c:wait() end)
         c:signal() print(f:join())
         f = started(function() return c:wait(1) end)
         f:wakeup() print(f:join())",
    );
    let usage = "false usage: cond:wait([timeout])\n".repeat(3);
    assert_eq!(
        text,
        format!("cond userdata false\n{usage}nil\ntrue true\ntrue true")
    );
}

#[test]
fn yields_work_inside_pcall_coroutines_comparators_and_iterators() {
    let text = output(
        "local co = coroutine.wrap(function()
             fiber.yield() coroutine.yield(5) fiber.sleep(0) return 6
         end)
         print(co(), co())
         local t = {3, 1, 2}
         table.sort(t, function(a, b) fiber.yield() return a < b end)
         print(table.concat(t, ' '))
         print(pcall(function() fiber.yield() error('after a yield', 0) end))
         print((('abc'):gsub('.', function(c) fiber.yield() return c .. '.' end)))
         print(xpcall(function() fiber.yield() error('x', 0) end,
             function(e) fiber.yield() return e .. '!' end))",
    );
    assert_eq!(text, "5 6\n1 2 3\nfalse after a yield\na.b.c.\nfalse x!");
}

#[test]
fn a_condition_and_a_joined_fiber_hand_their_errors_to_the_maker_of_error_objects() {
    let text = output(
        "package.loaded['internal.box_error'] = function(name, value)
             return name .. '(' .. tostring(value) .. ')'
         end
         print(started(function() error('boo', 0) end):join())
         print(pcall(function() fiber.self():cancel() end))",
    );
    assert_eq!(
        text,
        "false LuajitError(boo)\nfalse FiberIsCancelled(fiber is cancelled)"
    );
}

#[test]
fn info_lists_the_fibers_and_time_is_in_seconds_or_microseconds() {
    let text = output(
        "local f = fiber.create(function() fiber.sleep(1) end)
         local info = fiber.info({backtrace = false})
         print(info[f:id()].name, info[f:id()].fid == f:id(), info[f:id()].backtrace)
         print(type(fiber.info()[101].backtrace), f:csw())
         print(type(fiber.time64()), type(fiber.clock64()), fiber.time() > 1e9)
         print(tonumber(fiber.time64()) / 1e6 - fiber.time() < 1)
         fiber.top_enable() print(fiber.top().cpu['101/main'] ~= nil, fiber.top().cpu_misses)",
    );
    assert_eq!(
        text,
        "lua true nil\ntable 1\ncdata cdata true\ntrue\ntrue 0"
    );
}

#[test]
fn a_slice_that_is_used_up_raises_and_a_yield_begins_another() {
    let text = output(
        "fiber.set_max_slice(0)
         fiber.yield()
         pcall(fiber.check_slice)
         local ok, message = pcall(function() while true do fiber.check_slice() end end)
         print(ok, message)
         fiber.set_max_slice({warn = 10, err = 20})
         fiber.yield()
         print(pcall(fiber.check_slice))
         fiber.extend_slice(1) fiber.set_slice({warn = 1, err = 2})
         print(pcall(fiber.set_max_slice, -1))",
    );
    let expected = "false fiber slice is exceeded\ntrue\nfalse fiber.set_max_slice(slice): slice \
                    must be a non-negative number or a table {warn=, err=} of them";
    assert_eq!(text, expected);
}

#[test]
fn fifty_fibers_with_the_compiler_on_survive_a_million_switches_with_collections() {
    let text = output(
        "jit.on()
         local sum, ended = 0, 0
         for i = 1, 50 do
             fiber.new(function()
                 local mine = {}
                 for j = 1, 20000 do
                     mine[j % 7 + 1] = {j}
                     sum = sum + mine[j % 7 + 1][1]
                     fiber.yield()
                 end
                 ended = ended + 1
             end)
         end
         for i = 1, 20 do fiber.yield() collectgarbage() end
         while ended < 50 do fiber.yield() end
         print(ended, sum == 50 * 20000 * 20001 / 2)",
    );
    assert_eq!(text, "50 true");
}

#[test]
fn five_thousand_lua_fibers_live_at_once() {
    let text = output(
        "local ended = 0
         for i = 1, 5000 do
             fiber.create(function() fiber.sleep(1) ended = ended + 1 end)
         end
         collectgarbage()
         fiber.sleep(2)
         print(ended)",
    );
    assert_eq!(text, "5000");
}

#[test]
fn fibers_left_in_lua_when_the_script_ends_do_no_harm() {
    let text = output(
        "fiber.create(function() while true do pcall(fiber.sleep, 1) end end)
         local ch = fiber.channel(0)
         fiber.create(function() ch:get() end)
         print('end')",
    );
    assert_eq!(text, "end");
    assert_eq!(output("print('again')"), "again");
}
