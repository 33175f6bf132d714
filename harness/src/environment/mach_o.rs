//! Which architectures a Mach-O file holds: thin files are for one, universal files for several.

/// Magic numbers, as the first four bytes read in big-endian order.
const THIN_64: u32 = 0xfeed_facf;
const THIN_32: u32 = 0xfeed_face;
const UNIVERSAL: u32 = 0xcafe_babe;
const UNIVERSAL_64: u32 = 0xcafe_babf;

/// Sizes of the entries of a universal header: type, subtype, offset, size, alignment, and a
/// reserved word in the 64-bit form.
const ENTRY_BYTES: usize = 20;
const ENTRY_64_BYTES: usize = 32;

/// Where the entries begin: behind the magic number and the count.
const ENTRIES_START: usize = 8;

/// Java class files begin like universal files, with their version where the count stands; the
/// first version ever was 45, and no universal file has so many architectures.
const UNIVERSAL_COUNT_MAX: u32 = 44;

/// Types of CPU; the highest byte says that it is the 64-bit form of one.
const TYPE_X86: u32 = 7;
const TYPE_X86_64: u32 = 0x0100_0007;
const TYPE_ARM: u32 = 12;
const TYPE_ARM64: u32 = 0x0100_000c;

/// Subtype of arm64e, which only runs what Apple signed; the highest byte holds flags.
const SUBTYPE_ARM64E: u32 = 2;
const SUBTYPE_MASK: u32 = 0x00ff_ffff;

/// Architectures that the first bytes of a file tell, in the file's order; none for what is no
/// Mach-O file. Only entries that are there in full count.
pub(super) fn architectures(head: &[u8]) -> Vec<&'static str> {
    let Some(magic) = word(head, 0, u32::from_be_bytes) else {
        return Vec::new();
    };
    let thin = |read: fn([u8; 4]) -> u32| {
        let architecture = word(head, 4, read)
            .zip(word(head, 8, read))
            .and_then(|(cpu, subtype)| name(cpu, subtype));
        architecture.into_iter().collect()
    };
    match magic {
        THIN_32 | THIN_64 => thin(u32::from_be_bytes),
        UNIVERSAL => universal(head, ENTRY_BYTES),
        UNIVERSAL_64 => universal(head, ENTRY_64_BYTES),
        _ if matches!(magic.swap_bytes(), THIN_32 | THIN_64) => thin(u32::from_le_bytes),
        _ => Vec::new(),
    }
}

/// Entries of a universal header, which is big-endian on every machine.
fn universal(head: &[u8], entry_bytes: usize) -> Vec<&'static str> {
    let count = word(head, 4, u32::from_be_bytes).unwrap_or(0);
    if count > UNIVERSAL_COUNT_MAX {
        return Vec::new();
    }
    let entries = head.get(ENTRIES_START..).unwrap_or_default();
    entries
        .chunks_exact(entry_bytes)
        .take(count as usize)
        .filter_map(|entry| {
            name(
                word(entry, 0, u32::from_be_bytes)?,
                word(entry, 4, u32::from_be_bytes)?,
            )
        })
        .collect()
}

fn name(cpu: u32, subtype: u32) -> Option<&'static str> {
    Some(match cpu {
        TYPE_X86 => "x86",
        TYPE_X86_64 => "x86_64",
        TYPE_ARM => "arm",
        TYPE_ARM64 if subtype & SUBTYPE_MASK == SUBTYPE_ARM64E => "arm64e",
        TYPE_ARM64 => "aarch64",
        _ => return None,
    })
}

fn word(bytes: &[u8], at: usize, read: fn([u8; 4]) -> u32) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words in big-endian order.
    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    /// A universal header of an x86-64 and an arm64 file.
    fn both() -> Vec<u8> {
        words(&[
            UNIVERSAL,
            2,
            TYPE_X86_64,
            3,
            0x4000,
            0x8000,
            14,
            TYPE_ARM64,
            0,
            0xc000,
            0x8000,
            14,
        ])
    }

    #[test]
    fn a_thin_file_is_of_one_architecture_in_either_byte_order() {
        let little = [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1, 0, 0, 0, 0];
        assert_eq!(architectures(&little), ["aarch64"]);
        let intel = [0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1, 3, 0, 0, 0];
        assert_eq!(architectures(&intel), ["x86_64"]);
        assert_eq!(architectures(&words(&[THIN_32, TYPE_ARM, 9])), ["arm"]);
        let signed = words(&[THIN_64, TYPE_ARM64, 0x8000_0002]);
        assert_eq!(architectures(&signed), ["arm64e"]);
        assert!(architectures(&words(&[THIN_64, 18, 0])).is_empty());
    }

    #[test]
    fn a_universal_file_holds_several() {
        assert_eq!(architectures(&both()), ["x86_64", "aarch64"]);
        let mut wide = words(&[UNIVERSAL_64, 2]);
        for cpu in [TYPE_ARM64, TYPE_X86_64] {
            wide.extend(words(&[cpu, 0, 0, 0x4000, 0, 0x8000, 14, 0]));
        }
        assert_eq!(architectures(&wide), ["aarch64", "x86_64"]);
    }

    #[test]
    fn what_is_cut_off_does_not_count() {
        let whole = both();
        for length in 0..whole.len() {
            let expected = length.saturating_sub(ENTRIES_START) / ENTRY_BYTES;
            assert_eq!(architectures(&whole[..length]).len(), expected, "{length}");
        }
        let mut greedy = whole;
        greedy[4..8].copy_from_slice(&44_u32.to_be_bytes());
        assert_eq!(architectures(&greedy).len(), 2);
    }

    #[test]
    fn a_java_class_is_no_universal_file() {
        for version in [45, 52, 65, 0xffff_0034] {
            let mut class = both();
            class[4..8].copy_from_slice(&u32::to_be_bytes(version));
            assert!(architectures(&class).is_empty(), "{version}");
        }
    }
}
