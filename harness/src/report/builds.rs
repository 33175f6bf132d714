//! Whether the arms are of one build. Of two, part of a difference may be the program's own.

use std::io;

use super::page::{Page, YELLOW};
use crate::environment::Context;
use crate::result::ArmRecord;

/// Says what differs between the builds of the arms, if anything does. Other programs are expected
/// to differ.
pub(crate) fn builds(page: &mut Page<'_>, arms: &[ArmRecord]) -> io::Result<()> {
    match difference(arms) {
        Some(text) => page.sentence(YELLOW, "builds", &text),
        None => Ok(()),
    }
}

fn difference(arms: &[ArmRecord]) -> Option<String> {
    let known: Vec<(&str, [String; 5])> = arms
        .iter()
        .filter_map(|arm| Some((arm.name.as_str(), traits(arm.context.as_ref()?))))
        .collect();
    let (_, first) = known.first()?;
    let differing: Vec<usize> = (0..first.len())
        .filter(|position| {
            known
                .iter()
                .any(|(_, one)| one[*position] != first[*position])
        })
        .collect();
    if differing.is_empty() {
        return None;
    }
    let texts: Vec<String> = known
        .iter()
        .map(|(name, traits)| {
            let own = differing.iter().map(|position| traits[*position].as_str());
            format!("{name} {}", own.collect::<Vec<&str>>().join(", "))
        })
        .collect();
    Some(format!("differ: {}", texts.join("; ")))
}

/// What of a build changes its speed.
fn traits(context: &Context) -> [String; 5] {
    let cpu = context.build.target_cpu.as_deref();
    [
        context.lycosa_version.clone(),
        format!("revision {}", context.git_revision),
        format!("{} build", context.profile),
        context.rustc.clone(),
        cpu.map_or(String::from("baseline"), |cpu| format!("target-cpu={cpu}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::testing::context;

    fn arm(name: &str, context: Option<Context>) -> ArmRecord {
        ArmRecord {
            name: name.to_owned(),
            command: Vec::new(),
            context,
            program: None,
            binary_digest: None,
        }
    }

    #[test]
    fn only_what_differs_is_said() {
        let mut other = context();
        other.binary_arch = String::from("aarch64");
        let program = arm("tarantool", None);
        let same = [
            program.clone(),
            arm("native", Some(context())),
            arm("rosetta", Some(other.clone())),
        ];
        assert_eq!(difference(&same), None);
        assert_eq!(difference(std::slice::from_ref(&program)), None);
        let mut here = context();
        here.profile = String::from("release");
        here.git_revision = String::from("4b0c254");
        other.profile = String::from("debug");
        other.git_revision = String::from("1a2b3c4");
        let stale = [
            arm("native", Some(here)),
            program,
            arm("rosetta", Some(other)),
        ];
        assert_eq!(
            difference(&stale).unwrap(),
            "differ: native revision 4b0c254, release build; rosetta revision 1a2b3c4, debug build"
        );
    }
}
