//! What a process takes before the script's own work begins.

use std::process::Command;

/// The collector walks all that lives: each 100 KB of it cost an insert about 2 ns.
const LUA_HEAP_MAX_KIB: f64 = 540.0;

#[test]
fn a_script_pays_for_no_part_of_box_that_it_leaves_alone() {
    let script = "box.cfg{log_level = 0}
        local space = box.schema.space.create('s')
        space:create_index('pk')
        space:insert{1, 'payload'}
        collectgarbage()
        print(collectgarbage('count'))
        os.exit(0)";
    let output = Command::new(env!("CARGO_BIN_EXE_lycosa"))
        .args(["exec", "-e", script])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let heap_kib: f64 = text.trim().parse().unwrap();
    assert!(heap_kib < LUA_HEAP_MAX_KIB, "{heap_kib} KiB");
}

#[cfg(target_os = "linux")]
#[test]
fn a_fiber_whose_stack_cannot_be_mapped_is_an_error_and_no_more() {
    use std::os::unix::process::CommandExt as _;

    const ADDRESS_SPACE_BYTES: libc::rlim_t = 600 << 20;

    let script = "local fiber = require('fiber')
        local ok, err
        repeat
            ok, err = pcall(fiber.create, fiber.sleep, 3600)
        until not ok
        print(ok, err.type, (err.message:match('^no memory for a fiber stack of %d+ bytes')))
        os.exit(0)";
    let mut command = Command::new(env!("CARGO_BIN_EXE_lycosa"));
    command.args(["exec", "-e", script]);
    // SAFETY: between fork and exec the child makes one system call.
    unsafe {
        command.pre_exec(|| {
            let limit = libc::rlimit {
                rlim_cur: ADDRESS_SPACE_BYTES,
                rlim_max: ADDRESS_SPACE_BYTES,
            };
            match libc::setrlimit(libc::RLIMIT_AS, &raw const limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        (
            "false\tOutOfMemory\tno memory for a fiber stack of 1048576 bytes\n".to_owned(),
            String::new()
        )
    );
}
