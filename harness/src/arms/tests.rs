use super::host::testing::Files;
use super::*;
use crate::result::testing::options as point;

const ARM: &[&str] = &["aarch64"];
const X86: &[&str] = &["x86_64"];
const UNIVERSAL: &[&str] = &["x86_64", "aarch64"];

/// How an arm is started and what it must be, as one line.
fn line(resolved: &Resolved) -> String {
    let Starter::Lycosa(workers) = &resolved.starter else {
        return format!("{}: a program", resolved.arm.name);
    };
    let command = workers.launcher().words().join(" ");
    let Expected {
        binary_arch,
        translator,
    } = &resolved.arm.expected;
    let expected = match (binary_arch, translator) {
        (Some(arch), Some(translator)) => format!("{arch} {}", translator.name()),
        _ => String::from("anything"),
    };
    format!("{}: {command} [{expected}]", resolved.arm.name)
}

fn resolved(arms: &[&str], host: &Host, options: &ResolveOptions) -> Result<Vec<String>, ArmError> {
    let specs: Vec<ArmSpec> = arms.iter().map(|arm| arm.parse().unwrap()).collect();
    let found = resolve(&specs, host, options)?;
    Ok(found.iter().map(line).collect())
}

fn lines(arms: &[&str], host: &Host) -> Vec<String> {
    resolved(arms, host, &ResolveOptions::default()).unwrap()
}

fn refused(arms: &[&str], host: &Host) -> String {
    let error = resolved(arms, host, &ResolveOptions::default()).unwrap_err();
    assert!(matches!(error, ArmError::Usage(_)), "{error:?}");
    error.to_string()
}

fn with_binary(arch: &str, path: &str) -> ResolveOptions {
    ResolveOptions {
        binaries: vec![(arch.to_owned(), PathBuf::from(path))],
        ..ResolveOptions::default()
    }
}

#[test]
fn a_universal_binary_on_a_mac_is_both_arms() {
    let files = Files::of(&[("/opt/lycosa", UNIVERSAL)]);
    let expected = [
        "native: /usr/bin/arch -arm64 /opt/lycosa [aarch64 native]",
        "rosetta: /usr/bin/arch -x86_64 /opt/lycosa [x86_64 rosetta]",
    ];
    assert_eq!(lines(&[], &files.mac("/opt/lycosa")), expected);
    assert_eq!(
        lines(&["rosetta", "native"], &files.mac("/opt/lycosa"))[1],
        expected[0]
    );
    // A translated parent starts the same two.
    let translated = Host {
        binary_arch: String::from("x86_64"),
        ..files.mac("/opt/lycosa")
    };
    assert_eq!(lines(&[], &translated), expected);
}

#[test]
fn the_other_slice_is_what_cargo_built_beside_this_binary() {
    for (binary, other) in [
        (
            "/src/target/release/lycosa",
            "/src/target/x86_64-apple-darwin/release/lycosa",
        ),
        (
            "/src/target/aarch64-apple-darwin/release/lycosa",
            "/src/target/x86_64-apple-darwin/release/lycosa",
        ),
        (
            "/opt/lycosa",
            "/Users/user/target/x86_64-apple-darwin/release/lycosa",
        ),
    ] {
        let files = Files::of(&[(binary, ARM), (other, X86)]);
        let found = lines(&["rosetta"], &files.mac(binary));
        assert_eq!(
            found,
            [format!(
                "rosetta: /usr/bin/arch -x86_64 {other} [x86_64 rosetta]"
            )]
        );
    }
    // Another profile's binary, or one of the wrong architecture, is none.
    let files = Files::of(&[
        ("/src/target/release/lycosa", ARM),
        ("/src/target/x86_64-apple-darwin/debug/lycosa", X86),
        ("/src/target/x86_64-apple-darwin/release/lycosa", ARM),
    ]);
    refused(&["rosetta"], &files.mac("/src/target/release/lycosa"));
}

#[test]
fn a_translated_parent_finds_the_native_binary_beside_it() {
    let binary = "/src/target/x86_64-apple-darwin/release/lycosa";
    let files = Files::of(&[(binary, X86), ("/src/target/release/lycosa", ARM)]);
    let translated = Host {
        binary_arch: String::from("x86_64"),
        ..files.mac(binary)
    };
    assert_eq!(
        lines(&[], &translated),
        [
            String::from(
                "native: /usr/bin/arch -arm64 /src/target/release/lycosa [aarch64 native]"
            ),
            format!("rosetta: /usr/bin/arch -x86_64 {binary} [x86_64 rosetta]"),
        ]
    );
}

#[test]
fn a_missing_slice_is_answered_with_the_commands_that_build_it() {
    let files = Files::of(&[("/src/target/release/lycosa", ARM)]);
    assert_eq!(
        refused(&["rosetta"], &files.mac("/src/target/release/lycosa")),
        "arm `rosetta` needs a lycosa for x86_64, and /src/target/release/lycosa holds arm64 only. \
         Build one with
         rustup target add x86_64-apple-darwin
         cargo build --release --target x86_64-apple-darwin
       or let `lycosa compare --build` do it."
    );
    let debug = Host {
        profile: "debug",
        ..files.mac("/src/target/debug/lycosa")
    };
    assert!(
        refused(&["rosetta"], &debug)
            .contains("\n         cargo build --target x86_64-apple-darwin\n")
    );
}

#[test]
fn a_missing_slice_is_built_when_that_is_asked_for() {
    let build = ResolveOptions {
        build: true,
        ..ResolveOptions::default()
    };
    let slice = PathBuf::from("/src/target/x86_64-apple-darwin/release/lycosa");
    let mut files = Files::of(&[
        ("/src/target/release/lycosa", ARM),
        ("/src/harness/Cargo.toml", &[]),
    ]);
    let host = |files: &Files| files.mac("/src/target/release/lycosa");
    let failed = resolved(&["rosetta"], &host(&files), &build).unwrap_err();
    assert_eq!(
        failed.to_string(),
        "`rustup target add x86_64-apple-darwin` failed"
    );
    assert!(matches!(failed, ArmError::Failed(_)));

    files.built = Some((slice.clone(), "aarch64"));
    let failed = resolved(&["rosetta"], &host(&files), &build).unwrap_err();
    assert!(
        failed
            .to_string()
            .contains("the build left no lycosa at /src/target/x86")
    );

    files.commands.borrow_mut().clear();
    files.built = Some((slice, "x86_64"));
    let arms = resolved(&[], &host(&files), &build).unwrap();
    assert!(arms[1].contains("-x86_64 /src/target/x86_64-apple-darwin/release/lycosa"));
    assert_eq!(
        *files.commands.borrow(),
        [
            "/src$ rustup target add x86_64-apple-darwin",
            "/src$ cargo build --release --target x86_64-apple-darwin --target-dir /src/target",
        ]
    );
    // What is there is not built again.
    resolved(&[], &host(&files), &build).unwrap();
    assert_eq!(files.commands.borrow().len(), 2);
}

#[test]
fn a_build_needs_the_sources() {
    let files = Files::of(&[("/opt/lycosa", ARM)]);
    let build = ResolveOptions {
        build: true,
        ..ResolveOptions::default()
    };
    let error = resolved(&["rosetta"], &files.mac("/opt/lycosa"), &build).unwrap_err();
    assert!(
        error.to_string().contains("--build needs lycosa's sources"),
        "{error}"
    );
}

#[test]
fn a_binary_that_is_named_comes_first_and_must_be_what_it_is_said_to_be() {
    let files = Files::of(&[
        ("/opt/lycosa", UNIVERSAL),
        ("/tmp/other", X86),
        ("/tmp/script", &[]),
    ]);
    let host = files.mac("/opt/lycosa");
    let find = |arch, path| resolved(&["rosetta"], &host, &with_binary(arch, path));
    assert!(find("x86_64", "/tmp/other").unwrap()[0].contains("-x86_64 /tmp/other "));
    assert!(find("aarch64", "/tmp/other").unwrap()[0].contains("-x86_64 /opt/lycosa "));
    let refused = |arch, path| find(arch, path).unwrap_err().to_string();
    assert!(refused("x86_64", "/tmp/none").ends_with("there is no such file"));
    assert!(refused("x86_64", "/tmp/script").ends_with("is no executable of a known kind"));
    let native = resolved(&["native"], &host, &with_binary("aarch64", "/tmp/other"));
    assert!(
        native
            .unwrap_err()
            .to_string()
            .ends_with("the file holds x86_64, not arm64")
    );
}

#[test]
fn linux_has_qemu_where_it_is_installed() {
    let files = Files::of(&[("/opt/lycosa", X86), ("/usr/bin/qemu-x86_64", X86)]);
    assert_eq!(
        lines(&[], &files.linux("/opt/lycosa")),
        [
            "native: /opt/lycosa [x86_64 native]",
            "qemu: /usr/bin/qemu-x86_64 /opt/lycosa [x86_64 qemu-user]",
        ]
    );
    let files = Files::of(&[("/opt/lycosa", X86), ("/usr/bin/qemu-x86_64-static", X86)]);
    let found = lines(&["qemu"], &files.linux("/opt/lycosa"));
    assert!(
        found[0].starts_with("qemu: /usr/bin/qemu-x86_64-static /opt/lycosa"),
        "{found:?}"
    );

    let files = Files::of(&[("/opt/lycosa", X86)]);
    let host = files.linux("/opt/lycosa");
    assert!(refused(&[], &host).contains("package qemu-user"));
    assert!(refused(&["native", "qemu"], &host).contains("qemu-x86_64 is not installed"));
}

#[test]
fn qemu_runs_a_binary_of_another_architecture() {
    let files = Files::of(&[
        ("/opt/lycosa", X86),
        ("/opt/lycosa-arm64", ARM),
        ("/usr/bin/qemu-aarch64", X86),
        ("/usr/aarch64-linux-gnu", &[]),
    ]);
    let host = files.linux("/opt/lycosa");
    let found = resolved(
        &["qemu-arm64"],
        &host,
        &with_binary("aarch64", "/opt/lycosa-arm64"),
    );
    assert_eq!(
        found.unwrap(),
        [
            "qemu-arm64: /usr/bin/qemu-aarch64 -L /usr/aarch64-linux-gnu /opt/lycosa-arm64 [aarch64 qemu-user]"
        ]
    );
    assert!(
        refused(&["qemu-arm64"], &host)
            .contains("cargo build --release --target aarch64-unknown-linux-gnu")
    );
}

#[test]
fn under_qemu_native_is_the_binary_without_it() {
    let files = Files::of(&[("/opt/lycosa", X86), ("/usr/bin/qemu-x86_64", X86)]);
    let same = Host {
        emulator: Some(PathBuf::from("/usr/bin/qemu-x86_64")),
        ..files.linux("/opt/lycosa")
    };
    assert_eq!(
        lines(&["native", "again={lycosa}"], &same),
        [
            "native: /opt/lycosa [x86_64 native]",
            "again: /usr/bin/qemu-x86_64 /opt/lycosa [anything]",
        ]
    );
    let other = Host {
        binary_arch: String::from("aarch64"),
        binary: PathBuf::from("/opt/lycosa-arm64"),
        ..same
    };
    let message = refused(&["native"], &other);
    assert!(
        message.starts_with("arm `native` needs a lycosa for x86_64"),
        "{message}"
    );
}

#[test]
fn arms_of_other_systems_point_to_those_of_this_one() {
    let files = Files::of(&[("/opt/lycosa", X86)]);
    let linux = files.linux("/opt/lycosa");
    assert!(refused(&["rosetta"], &linux).ends_with("on Linux the arm `qemu` translates"));
    let mac = files.mac("/opt/lycosa");
    assert!(refused(&["qemu"], &mac).ends_with("on a Mac the arm `rosetta` translates"));
    let intel = Host {
        arch: String::from("x86_64"),
        binary_arch: String::from("x86_64"),
        ..mac
    };
    assert!(refused(&["rosetta"], &intel).ends_with("this one has an Intel chip"));
    assert!(refused(&[], &intel).contains("nothing is translated"));
    assert_eq!(
        lines(&["native"], &intel),
        ["native: /usr/bin/arch -x86_64 /opt/lycosa [x86_64 native]"]
    );
}

#[test]
fn commands_are_started_as_they_are_written() {
    let files = Files::of(&[
        ("/opt/lycosa", X86),
        ("/opt/old/lycosa", X86),
        ("/usr/bin/nice", X86),
        ("/usr/bin/pgrun", X86),
        ("/usr/bin/tarantool", X86),
    ]);
    let host = files.linux("/opt/lycosa");
    let found = lines(
        &[
            "nice=nice -n 5 {lycosa}",
            "old=/opt/old/lycosa",
            "efficiency",
            "tarantool",
            "pg=pgrun {workload}",
        ],
        &host,
    );
    assert_eq!(
        found,
        [
            "nice: nice -n 5 /opt/lycosa [anything]",
            "old: /opt/old/lycosa [anything]",
            "efficiency: /opt/lycosa [x86_64 native]",
            "tarantool: a program",
            "pg: a program",
        ]
    );
    assert_eq!(
        refused(&["x=none {lycosa}"], &host),
        "arm `x`: `none` is no program on PATH"
    );
    assert_eq!(
        refused(&["x=./none {workload}"], &host),
        "arm `x`: `./none` is not there"
    );
    assert!(refused(&["native", "native"], &host).contains("again={lycosa}"));
    let without = Files::of(&[("/opt/lycosa", X86)]);
    assert!(
        refused(&["tarantool"], &without.linux("/opt/lycosa")).contains("no `tarantool` on PATH")
    );
}

#[test]
fn what_an_arm_cannot_measure_is_refused_beforehand() {
    let files = Files::of(&[("/opt/lycosa", X86), ("/usr/bin/tarantool", X86)]);
    let specs = ["native", "tarantool"].map(|arm| arm.parse().unwrap());
    let host = files.linux("/opt/lycosa");
    let arms = resolve(&specs, &host, &ResolveOptions::default()).unwrap();
    let mut rust = point();
    assert!(check(&arms, &[rust.clone()]).is_ok());
    rust.driver = lycosa_lua::worker::Driver::Rust;
    let error = check(&arms, &[point(), rust]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("arm `tarantool` is another program"),
        "{error}"
    );
}

#[test]
fn binaries_are_named_by_architecture() {
    assert_eq!(
        parse_binary("arm64=a=b"),
        Ok((String::from("aarch64"), PathBuf::from("a=b")))
    );
    assert!(
        parse_binary("vax=x")
            .unwrap_err()
            .contains("no architecture")
    );
    assert!(parse_binary("x86_64").is_err() && parse_binary("x86_64=").is_err());
}
