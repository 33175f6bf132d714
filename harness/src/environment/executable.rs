//! Which architectures an executable file holds: one in ELF, one or several in Mach-O.

use super::mach_o;

/// Offsets in an ELF header.
const ELF_BYTE_ORDER: usize = 5;
const ELF_MACHINE: usize = 18;

/// Architectures that the first bytes of a file tell, named as [`std::env::consts::ARCH`] names
/// them; none for what is no executable. Others than the known ones are left out.
pub(crate) fn architectures(head: &[u8]) -> Vec<&'static str> {
    match elf_machine(head) {
        Some(machine) => vec![machine],
        None => mach_o::architectures(head),
    }
}

/// Architecture in an ELF header.
fn elf_machine(head: &[u8]) -> Option<&'static str> {
    if !head.starts_with(b"\x7fELF") {
        return None;
    }
    let machine = *head.get(ELF_MACHINE..)?.first_chunk()?;
    let machine = match head.get(ELF_BYTE_ORDER)? {
        1 => u16::from_le_bytes(machine),
        2 => u16::from_be_bytes(machine),
        _ => return None,
    };
    Some(match machine {
        3 => "x86",
        40 => "arm",
        62 => "x86_64",
        183 => "aarch64",
        243 => "riscv64",
        258 => "loongarch64",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_elf_file_is_of_one_architecture() {
        let mut head = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0".to_vec();
        assert_eq!(architectures(&head), ["aarch64"]);
        head[ELF_MACHINE] = 62;
        assert_eq!(architectures(&head), ["x86_64"]);
        head[ELF_BYTE_ORDER] = 2;
        assert!(architectures(&head).is_empty());
        assert!(architectures(&head[..=ELF_MACHINE]).is_empty());
        assert!(architectures(b"#!/bin/sh\n").is_empty());
    }

    #[test]
    fn this_test_is_of_the_architecture_that_it_runs_on() {
        let head = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(architectures(&head), [std::env::consts::ARCH]);
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(
            magic in prop::sample::select(vec![
                &b"\x7fELF"[..],
                b"\xca\xfe\xba\xbe",
                b"\xca\xfe\xba\xbf",
                b"\xcf\xfa\xed\xfe",
                b"",
            ]),
            rest in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let _ = architectures(&[magic, &rest].concat());
        }
    }
}
