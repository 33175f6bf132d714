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
