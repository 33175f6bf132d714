//! `lycosa exec` and `lycosa console` as processes: options, ends, signals, input that is bad, and the
//! console on a terminal.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A folder of its own, with scripts in it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(scripts: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (name, text) in scripts {
            fs::write(folder.0.path().join(name), text).unwrap();
        }
        folder
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lycosa"));
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env("XDG_DATA_HOME", self.0.path())
            .env_remove("LUA_PATH")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }
}

/// Runs one script alone.
fn run(text: &str) -> Output {
    Folder::with(&[("script.lua", text)]).run(&["script.lua"])
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

#[track_caller]
fn assert_prints(output: &Output, expected: &str) {
    assert_eq!(
        (stdout(output), output.status.code()),
        (expected, Some(0)),
        "{}",
        stderr(output)
    );
}

/// Sends a signal to a child once it has printed something.
fn signal_after_first_line(child: &mut Child, signal: i32) -> (Option<i32>, Duration) {
    let mut byte = [0];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut byte)
        .unwrap();
    // SAFETY: the child has not been waited for, so the id is its own.
    unsafe { libc::kill(child.id().cast_signed(), signal) };
    let sent = Instant::now();
    let status = child.wait().unwrap();
    (status.code(), sent.elapsed())
}

#[test]
fn code_and_modules_come_before_the_script_in_their_order() {
    let folder = Folder::with(&[
        ("script.lua", "print('script', made.name, after, ...)"),
        ("made.lua", "return {name = before .. ' made'}"),
    ]);
    let output = folder.run(&[
        "-e",
        "before = 'first'",
        "-l",
        "made",
        "-e",
        "after = made.name",
        "script.lua",
        "--x",
        "y",
    ]);
    assert_prints(&output, "script\tfirst made\tfirst made\t--x\ty\n");
}

#[test]
fn code_alone_needs_no_script() {
    assert_prints(
        &Folder::new().run(&["-e", "print(1)", "-e", "print(2)"]),
        "1\n2\n",
    );
    assert_prints(&Folder::new().run(&["exec", "-e", "print(...)"]), "\n");
}

#[test]
fn arguments_are_where_tarantool_has_them() {
    let folder = Folder::with(&[(
        "a.lua",
        "#!/usr/bin/env lycosa\nprint(arg[0], #arg, arg[1], arg[2], ...)",
    )]);
    let expected = "a.lua\t2\t-v\t--help\t-v\t--help\n";
    assert_prints(&folder.run(&["a.lua", "-v", "--help"]), expected);
    assert_prints(&folder.run(&["exec", "a.lua", "-v", "--help"]), expected);
    // Before the script it asks for the version.
    let version = concat!("lycosa ", env!("CARGO_PKG_VERSION"), "\n");
    assert_prints(&folder.run(&["-v"]), version);
    assert_prints(&folder.run(&["exec", "-v"]), version);
    let output = folder.run(&["-e", "print(arg[-1] == arg[0], arg[-1]:match('[^/]*$'))"]);
    assert_prints(&output, "true\tlycosa\n");
}

#[test]
fn the_standard_input_can_be_the_script() {
    let folder = Folder::new();
    let mut child = folder
        .command(&["-", "x"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"print(arg[0], ...)")
        .unwrap();
    assert_prints(&child.wait_with_output().unwrap(), "-\tx\n");
}

#[test]
fn a_mistyped_command_is_no_script() {
    let output = Folder::new().run(&["exce"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("'exec'"), "{}", stderr(&output));
}

#[test]
fn fibers_that_sleep_are_waited_for_and_those_that_wait_for_nobody_are_not() {
    let output = run("
        local fiber = require('fiber')
        local channel = fiber.channel(1)
        fiber.create(function() channel:get() end)
        fiber.create(function() fiber.sleep(0.1) print('slept') end)
        print('end')");
    assert_prints(&output, "end\nslept\n");
}

#[test]
fn a_configured_box_lives_until_it_is_told_to_end() {
    let folder = Folder::with(&[(
        "a.lua",
        "box.cfg{wal_mode = 'none', log_level = 0} print(1)
        io.stdout:flush()",
    )]);
    for signal in [libc::SIGTERM, libc::SIGINT] {
        let mut child = folder.command(&["a.lua"]).spawn().unwrap();
        let (code, took) = signal_after_first_line(&mut child, signal);
        assert_eq!(code, Some(0));
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
}

#[test]
fn a_loop_that_never_yields_is_ended_by_a_signal_and_what_it_printed_is_kept() {
    let text = "print('kept') io.stdout:flush() io.stdout:setvbuf('full') print('too')
        local n = 0 while true do n = n + 1 end";
    let folder = Folder::with(&[("a.lua", text)]);
    for (signal, expected) in [(libc::SIGINT, 130), (libc::SIGTERM, 143)] {
        let mut child = folder.command(&["a.lua"]).spawn().unwrap();
        let (code, took) = signal_after_first_line(&mut child, signal);
        assert_eq!(code, Some(expected));
        assert!(took < Duration::from_secs(3), "{took:?}");
        let mut rest = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut rest)
            .unwrap();
        assert_eq!(rest, "ept\ntoo\n");
    }
}

#[test]
fn exit_handlers_run_once_whatever_ends_the_process() {
    let handler = "require('lycosa.process').on_exit(function(code)
        require('fiber').sleep(0.01) print('handler', code) end) ";
    let ends = [
        ("os.exit(3)", "handler\t3\n", 3),
        ("os.exit()", "handler\t0\n", 0),
        ("os.exit(true)", "handler\t0\n", 0),
        ("os.exit(false)", "handler\t0\n", 0),
        ("print('end')", "end\nhandler\t0\n", 0),
        (
            "require('fiber').create(os.exit, 4) require('fiber').sleep(10)",
            "handler\t4\n",
            4,
        ),
    ];
    for (end, printed, code) in ends {
        let output = run(&format!("{handler}{end}"));
        assert_eq!(
            (stdout(&output), output.status.code()),
            (printed, Some(code)),
            "{end}"
        );
    }
}

#[test]
fn an_error_in_the_script_is_told_with_its_frames_and_fails() {
    let output = run("local function f() error('boom') end\nprint('before')\nf()");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), "before\n");
    let message = stderr(&output);
    assert!(
        message.starts_with("LuajitError: script.lua:1: boom\nstack traceback:\n"),
        "{message}"
    );
    assert!(message.contains("script.lua:3: in main chunk"), "{message}");
    assert!(!message.contains("lycosa/process.lua"), "{message}");
}

#[test]
fn a_stack_that_overflows_is_told_too() {
    let output = run("local function deeper() return 1 + deeper() end\ndeeper()");
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(
        message.starts_with("LuajitError: script.lua:1: stack overflow\nstack traceback:\n"),
        "{message}"
    );
}

#[test]
fn what_is_no_lua_fails_with_the_line() {
    let output = run("\nx = = 1");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("LuajitError: script.lua:2: unexpected symbol near '='"));
    assert_eq!(Folder::new().run(&["-e", "x =="]).status.code(), Some(1));
    assert_eq!(Folder::new().run(&["none.lua"]).status.code(), Some(1));
    let output = run("\x1bLJ\x02 is bytecode");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn errors_that_are_no_texts_are_told_too() {
    for (thrown, told) in [
        ("nil", "LuajitError: nil"),
        ("{}", "LuajitError: table: "),
        (
            "setmetatable({}, {__tostring = function() return 'own' end})",
            "LuajitError: own",
        ),
    ] {
        let output = run(&format!("error({thrown})"));
        assert_eq!(output.status.code(), Some(1), "{thrown}");
        assert!(
            stderr(&output).starts_with(told),
            "{thrown}: {}",
            stderr(&output)
        );
    }
    let output = run("box.error(box.error.CFG, 'a', 'b')");
    assert!(stderr(&output).starts_with("ER_CFG: Incorrect value for option 'a': b"));
}

#[test]
fn an_error_in_a_fiber_is_logged_and_the_process_goes_on() {
    let output = run("require('fiber').create(function() error('inside') end) print('on')");
    assert_prints(&output, "on\n");
    assert!(stderr(&output).contains("inside"));
}

#[test]
fn a_missing_module_is_named_with_what_to_do() {
    let output = run("require('no.such')");
    let message = stderr(&output);
    assert!(message.contains("module 'no.such' not found:"), "{message}");
    assert!(
        message.contains(".rocks/share/tarantool/no/such.lua"),
        "{message}"
    );
    assert!(message.contains("tt rocks install no;"), "{message}");
    let output = run("require('sysprof')");
    assert!(stderr(&output).contains("'sysprof' is part of Tarantool; Lycosa does not have it"));
}

#[test]
fn modules_are_found_beside_the_script_and_in_rocks_above() {
    let folder = Folder::new();
    let root = folder.0.path();
    fs::create_dir_all(root.join("app/deep")).unwrap();
    fs::create_dir_all(root.join(".rocks/share/tarantool/rock")).unwrap();
    fs::write(
        root.join("app/main.lua"),
        "print(require('beside'), require('rock'))",
    )
    .unwrap();
    fs::write(root.join("app/beside.lua"), "return 'beside ' .. ...").unwrap();
    fs::write(
        root.join(".rocks/share/tarantool/rock/init.lua"),
        "return 'a rock'",
    )
    .unwrap();
    let output = folder
        .command(&["../main.lua"])
        .current_dir(root.join("app/deep"))
        .output()
        .unwrap();
    assert_prints(&output, "beside beside\ta rock\n");
}

#[test]
fn recursion_without_end_is_an_error_wherever_it_goes() {
    let text = r"
        local json, yaml, msgpack = require('json'), require('yaml'), require('msgpack')
        local function always(f) return setmetatable({}, {__tostring = f, __index = f, __add = f, __serialize = f}) end
        local cases = {}
        function cases.plain() return 1 + cases.plain() end
        function cases.gsub(s) return (('a'):gsub('a', cases.gsub)) end
        function cases.sort() table.sort({2, 1}, cases.sort) end
        function cases.coroutine() return coroutine.wrap(cases.coroutine)() end
        function cases.foreach() table.foreach({1}, cases.foreach) end
        function cases.index() local t t = always(function(_, k) return t[k] .. '' end) return t.x end
        function cases.print() local t t = always(function() print(t) return '' end) print(t) end
        function cases.format() local t t = always(function() return ('%s'):format(t) end) return tostring(t) end
        function cases.json() local t t = always(function() return json.encode(t) end) return json.encode(t) end
        function cases.msgpack() local t t = always(function() return msgpack.encode(t) end) return msgpack.encode(t) end
        function cases.yaml() local t t = always(function() return yaml.encode(t) end) return yaml.encode(t) end
        local function try_all(where)
            for name, case in pairs(cases) do
                local ok, message = pcall(case)
                if ok or not (tostring(message):find('stack overflow') or name == 'foreach') then
                    print(where, name, ok, message)
                end
            end
        end
        try_all('main')
        local f = require('fiber').new(try_all, 'fiber')
        f:set_joinable(true)
        print(f:join())";
    assert_prints(&run(text), "true\n");
}

#[test]
fn deep_and_cyclic_values_are_refused_or_written() {
    let text = r"
        local json, yaml, msgpack = require('json'), require('yaml'), require('msgpack')
        box.cfg{wal_mode = 'none', log_level = 0}
        local space = box.schema.space.create('test')
        space:create_index('primary')
        local deep = {}
        local inner = deep
        for _ = 1, 100000 do inner[1] = {} inner = inner[1] end
        local cyclic = {1}
        cyclic[2] = cyclic
        for _, value in ipairs({deep, cyclic}) do
            print(pcall(json.encode, value), pcall(msgpack.encode, value), pcall(space.insert, space, value),
                pcall(space.insert, space, {1, value}))
        end
        print(pcall(yaml.encode, deep), (select(2, pcall(yaml.encode, cyclic)):gsub('%s+', ' ')))
        for _, text in ipairs({('['):rep(100000), ('- '):rep(100000), ('{a: '):rep(100000)}) do
            print(pcall(yaml.decode, text), pcall(json.decode, text))
        end
        print(pcall(msgpack.decode, ('\x91'):rep(100000)), pcall(loadstring, ('('):rep(100000)))
        os.exit(0)";
    let output = run(text);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output).lines().count(), 7, "{}", stdout(&output));
}

#[test]
fn a_string_of_a_hundred_megabytes_goes_through() {
    let text = r"
        local big = ('x'):rep(100e6)
        print(#require('json').encode(big), #require('yaml').encode(big), #require('msgpack').encode(big))
        box.cfg{wal_mode = 'none', log_level = 0, memtx_max_tuple_size = 200 * 1024 * 1024}
        local space = box.schema.space.create('test')
        space:create_index('primary')
        print((pcall(space.insert, space, {1, big})), space:count())
        io.stderr:write('written\n')
        os.exit(#big == 100e6 and 0 or 1)";
    let output = run(text);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stdout(&output).starts_with("100000002\t100000009\t100000005\n"),
        "{}",
        stdout(&output)
    );
}

/// What the console answers to lines from a pipe.
fn console(lines: &str) -> String {
    let folder = Folder::new();
    let mut child = folder
        .command(&["console"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).to_owned()
}

#[test]
fn the_console_answers_in_yaml() {
    assert_eq!(console("1 + 1\n"), "---\n- 2\n...\n");
    assert_eq!(console("nil\n"), "---\n- null\n...\n");
    assert_eq!(
        console("x = 1\nx, 'a', {b = 2}\n"),
        "---\n...\n---\n- 1\n- a\n- b: 2\n...\n"
    );
    assert_eq!(console("box.tuple.new{1, 'a'}\n"), "---\n- [1, 'a']\n...\n");
    assert_eq!(console("\n  \n"), "");
    assert_eq!(console("error('bad')\n"), "---\n- error: bad\n...\n");
    assert_eq!(
        console("x = = 1\n"),
        "---\n- error: '[string \"x = = 1\"]:1: unexpected symbol near ''='''\n...\n"
    );
}

#[test]
fn the_console_waits_for_the_rest_of_a_chunk() {
    assert_eq!(
        console("for i = 1, 2 do\nprint(i)\nend\n"),
        "1\n2\n---\n...\n"
    );
    assert!(console("function f(\n").contains("near ''<eof>''"));
}

#[test]
fn the_console_has_commands() {
    assert_eq!(
        console("\\set output lua\n{1, 'a', b = {}}, nil\n"),
        "true;\n{1, \"a\", b = {}}, box.NULL;\n"
    );
    assert_eq!(console("\\quit\n1\n"), "");
    assert!(console("\\help\n").contains("\\set output"));
    assert!(console("\\nothing\n").starts_with("---\n- error: Invalid command \\nothing"));
    assert!(console("\\set output xml\n").contains("not xml"));
    assert!(console("\\set language sql\n").contains("not sql"));
}

#[test]
fn a_script_may_come_before_the_console() {
    let folder = Folder::with(&[("a.lua", "x = 5 print('script')")]);
    let mut child = folder
        .command(&["-i", "a.lua"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"x\n").unwrap();
    assert_prints(
        &child.wait_with_output().unwrap(),
        "script\n---\n- 5\n...\n",
    );
}

/// A console on a pseudo terminal.
struct Terminal {
    child: Child,
    keyboard: File,
    screen: File,
    shown: String,
    _folder: Folder,
}

impl Terminal {
    fn open() -> Self {
        let (mut controller, mut terminal) = (0, 0);
        // SAFETY: the call fills the two descriptors, which nobody else owns.
        let (controller, terminal) = unsafe {
            let made = libc::openpty(
                &raw mut controller,
                &raw mut terminal,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
            assert_eq!(made, 0);
            (
                OwnedFd::from_raw_fd(controller),
                OwnedFd::from_raw_fd(terminal),
            )
        };
        let folder = Folder::new();
        let child = folder
            .command(&["console"])
            .env("TERM", "xterm")
            .stdin(terminal.try_clone().unwrap())
            .stdout(terminal.try_clone().unwrap())
            .stderr(terminal)
            .spawn()
            .unwrap();
        let keyboard = File::from(controller);
        Self {
            child,
            screen: keyboard.try_clone().unwrap(),
            keyboard,
            shown: String::new(),
            _folder: folder,
        }
    }

    /// Types, and reads what is shown until `expected` is in it.
    fn type_until(&mut self, keys: &str, expected: &str) {
        self.type_keys(keys);
        self.read_until(expected);
    }

    /// Types, and reads until `expected` was shown and the editor waits for the next line: keys that come
    /// before it has the terminal mean something else.
    fn enter(&mut self, keys: &str, expected: &str) {
        self.type_until(keys, expected);
        self.wait_for_editor(expected);
    }

    fn type_keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.shown.clear();
    }

    /// The editor asks for pasted text in brackets when it begins.
    fn wait_for_editor(&mut self, after: &str) {
        let from = self.shown.find(after).map_or(0, |at| at + after.len());
        let rest = self.shown.split_off(from);
        self.shown = rest;
        self.read_until("\x1b[?2004h");
    }

    fn read_until(&mut self, expected: &str) {
        let mut buffer = [0; 4096];
        while !self.shown.contains(expected) {
            let mut shown = libc::pollfd {
                fd: self.screen.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: the call reads and writes the one structure it is given.
            let ready = unsafe { libc::poll(&raw mut shown, 1, 60_000) };
            assert!(
                ready > 0,
                "{expected:?} was not shown, only {:?}",
                self.shown
            );
            let length = self.screen.read(&mut buffer).unwrap_or_else(|error| {
                panic!(
                    "{error} before {expected:?} was shown, only {:?}",
                    self.shown
                )
            });
            self.shown
                .push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
    }
}

impl Drop for Terminal {
    /// A test that fails leaves no console behind. One that has ended already is no failure.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_console_edits_lines_on_a_terminal() {
    let mut terminal = Terminal::open();
    terminal.type_until("", "lycosa> ");
    terminal.enter("1 + 1\r", "- 2\r\n...");
    terminal.type_until("for i = 7, 7 do\r", "      > ");
    terminal.enter("print(i) end\r", "7\r\n---\r\n...");
    // Completion, of the only name that fits.
    terminal.type_until("collectg\t", "collectgarbage(");
    terminal.enter("'count') > 0\r", "- true");
    // Ctrl-C clears the line; the editor ends, and begins anew.
    terminal.type_until("nonsense", "nonsense");
    terminal.enter("\x03", "\x1b[?2004l");
    terminal.enter("3\r", "- 3");
    // A signal cancels the chunk that runs, and the console goes on.
    terminal.type_until(
        "print('runs' .. 'now') require('fiber').sleep(100)\r",
        "runsnow",
    );
    // SAFETY: the child has not been waited for, so the id is its own.
    unsafe { libc::kill(terminal.child.id().cast_signed(), libc::SIGINT) };
    terminal.enter("", "- error: fiber is cancelled");
    terminal.enter("4\r", "- 4");
    terminal.type_keys("\x04");
    assert_eq!(terminal.child.wait().unwrap().code(), Some(0));
}
