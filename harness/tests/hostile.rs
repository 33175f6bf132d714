//! Scripts and input that mean harm to `lycosa exec` and its console.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lycosa"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(text: &str) -> Output {
    command(&["-e", text]).output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn assert_prints(output: &Output, expected: &str) {
    assert_eq!(
        (stdout(output), output.status.code()),
        (expected, Some(0)),
        "{}",
        stderr(output)
    );
}

#[test]
fn values_that_cannot_say_what_they_are_are_told_too() {
    let mute = "setmetatable({}, {__tostring = function() error('inner') end})";
    let output = run(&format!("error({mute})"));
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("LuajitError: table whose __tostring fails"));

    for thrown in [mute, "1ULL", "box.NULL", "require('decimal').new(1)"] {
        let output = run(&format!(
            "local fiber = require('fiber')
            fiber.create(function() error({thrown}) end)
            local joined = fiber.new(function() error({thrown}) end)
            joined:set_joinable(true)
            local ok, reason = joined:join()
            print(ok, reason.type)"
        ));
        assert_prints(&output, "false\tLuajitError\n");
        assert!(stderr(&output).contains("E> LuajitError: "), "{thrown}");
    }

    let output = run(&format!(
        "box.cfg{{log_level = 'error'}}
        box.schema.space.create('s'):create_index('pk')
        box.begin()
        box.on_commit(function() error({mute}) end)
        box.space.s:insert{{1}}
        print(pcall(box.commit), box.is_in_txn(), box.space.s:len())
        box.ctl.on_shutdown(function() error({mute}) end)
        os.exit(3)"
    ));
    assert_eq!(stdout(&output), "true\tfalse\t1\n");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(stderr(&output).matches("whose __tostring fails").count(), 2);
}

#[test]
fn children_end_with_the_process_whatever_ends_it() {
    for (ending, is_told) in [
        ("os.exit(0)", false),
        ("error('x')", false),
        ("", false),
        ("require('fiber').sleep(100)", true),
        ("while true do end", true),
    ] {
        let script = format!(
            "local popen = require('popen')
            local child = popen.shell('echo $$; exec sleep 100', 'r')
            io.write(child:read())
            io.stdout:flush()
            {ending}"
        );
        let mut process = command(&["-e", &script]).spawn().unwrap();
        let mut child = String::new();
        BufReader::new(process.stdout.as_mut().unwrap())
            .read_line(&mut child)
            .unwrap();
        if is_told {
            // SAFETY: the process has not been waited for, so the id is its own.
            unsafe { libc::kill(process.id().cast_signed(), libc::SIGTERM) };
        }
        process.wait().unwrap();
        let child: i32 = child.trim().parse().unwrap();
        let deadline = Instant::now() + Duration::from_secs(5);
        // SAFETY: signal 0 only asks whether the process is there.
        while unsafe { libc::kill(child, 0) } == 0 {
            assert!(Instant::now() < deadline, "{ending}: the child lives on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn lines_of_the_console_need_not_be_text() {
    let mut child = command(&["console"]).stdin(Stdio::piped()).spawn().unwrap();
    let lines = b"#'\xff\xfe'\r\n'after'\n";
    child.stdin.take().unwrap().write_all(lines).unwrap();
    assert_prints(
        &child.wait_with_output().unwrap(),
        "---\n- 2\n...\n---\n- after\n...\n",
    );
}
