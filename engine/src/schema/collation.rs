//! Collations: how strings compare other than byte by byte. The rules are those of Unicode's collation
//! algorithm and the Common Locale Data Repository, as the `icu_collator` crate ships them.
//!
//! The names and numbers are Tarantool's. A collation's tables are looked up when it is first used;
//! a comparison costs some 10 to 100 times that of bytes, so hints (see `key_def.rs`) hold the first
//! eight bytes of a string's sort key.

use std::cmp::Ordering;
use std::sync::{LazyLock, OnceLock};

use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{Collator, CollatorBorrowed};
use icu_locale_core::Locale;

use super::compare::leading_bytes;

/// What differences between strings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollationStrength {
    /// Letters only: `a`, `A` and `ä` are equal.
    Primary,
    /// Letters and accents.
    Secondary,
    /// Letters, accents and case.
    Tertiary,
}

impl CollationStrength {
    const ALL: [Self; 3] = [Self::Primary, Self::Secondary, Self::Tertiary];

    /// Tarantool's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Secondary => "secondary",
            Self::Tertiary => "tertiary",
        }
    }
}

/// A collation of the fixed list.
pub struct Collation {
    id: u32,
    name: String,
    locale: &'static str,
    /// Nothing for the collations that compare bytes.
    strength: Option<CollationStrength>,
    collator: OnceLock<CollatorBorrowed<'static>>,
}

impl std::fmt::Debug for Collation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Collation({})", self.name)
    }
}

impl PartialEq for Collation {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Collation {}

/// The locales that have three collations each, `unicode_<name>_s1` to `_s3`: what the name holds,
/// and the locale as ICU writes it where that differs.
const LOCALES: &str = "\
af am ar as az be bn bs bs_Cyrl ca cs cy da de__phonebook=de_DE_u_co_phonebk \
de_AT_phonebook=de_AT_u_co_phonebk dsb ee eo es es__traditional=es_u_co_trad et fa fi \
fi__phonebook=fi_u_co_phonebk fil fo fr_CA gu ha haw he hi hr hu hy ig is ja kk kl kn ko kok ky \
lkt ln lt lv mk ml mr mt nb nn nso om or pa pl ro sa se si si__dictionary=si_u_co_dict sk sl sq sr \
sr_Latn sv sv__reformed=sv_u_co_reformed ta te th tn to tr ug_Cyrl=ug uk ur vi vo wae wo yo zh \
zh__big5han=zh_u_co_big5han zh__gb2312han=zh_u_co_gb2312 zh__pinyin=zh_u_co_pinyin \
zh__stroke=zh_u_co_stroke zh__zhuyin=zh_u_co_zhuyin";

/// By number.
static COLLATIONS: LazyLock<Vec<Collation>> = LazyLock::new(|| {
    let mut list = Vec::with_capacity(277);
    let mut add = |name: String, locale, strength| {
        list.push(Collation {
            id: list.len() as u32,
            name,
            locale,
            strength,
            collator: OnceLock::new(),
        });
    };
    add(String::from("none"), "", None);
    let strongest = Some(CollationStrength::Tertiary);
    add(String::from("unicode"), "", strongest);
    let weakest = Some(CollationStrength::Primary);
    add(String::from("unicode_ci"), "", weakest);
    add(String::from("binary"), "", None);
    for entry in LOCALES.split(' ') {
        let (name, locale) = entry.split_once('=').unwrap_or((entry, entry));
        for (level, strength) in (1..).zip(CollationStrength::ALL) {
            add(format!("unicode_{name}_s{level}"), locale, Some(strength));
        }
    }
    list
});

impl Collation {
    /// All collations, by number.
    pub fn all() -> &'static [Self] {
        &COLLATIONS
    }

    /// The collation of this number.
    pub fn by_id(id: u32) -> Option<&'static Self> {
        COLLATIONS.get(id as usize)
    }

    /// The collation of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        COLLATIONS.iter().find(|collation| collation.name == name)
    }

    /// Number; 0 is `none`.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Name, such as `unicode_ci`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The locale as ICU writes it; empty for the root of all locales.
    pub fn locale(&self) -> &'static str {
        self.locale
    }

    /// What counts; nothing for `none` and `binary`, which compare bytes.
    pub fn strength(&self) -> Option<CollationStrength> {
        self.strength
    }

    fn collator(&self) -> &CollatorBorrowed<'static> {
        self.collator.get_or_init(|| {
            let mut options = CollatorOptions::default();
            options.strength = self.strength.map(|strength| match strength {
                CollationStrength::Primary => Strength::Primary,
                CollationStrength::Secondary => Strength::Secondary,
                CollationStrength::Tertiary => Strength::Tertiary,
            });
            // A locale that the data does not know has the rules of its language, or the root's.
            let locale =
                Locale::try_from_str(&self.locale.replace('_', "-")).unwrap_or(Locale::UNKNOWN);
            Collator::try_new((&locale).into(), options)
                .or_else(|_| Collator::try_new((&Locale::UNKNOWN).into(), options))
                .expect("the root's rules are compiled in")
        })
    }

    /// Compares two strings; bytes that are no UTF-8 count as replacement characters.
    pub fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        if self.strength.is_none() {
            return left.cmp(right);
        }
        self.collator().compare_utf8(left, right)
    }

    /// Bytes that compare as the strings do.
    pub(super) fn sort_key(&self, text: &[u8]) -> Vec<u8> {
        if self.strength.is_none() {
            return text.to_vec();
        }
        let mut key = Vec::with_capacity(text.len() * 2 + 8);
        let Ok(()) = self.collator().write_sort_key_utf8_to(text, &mut key);
        key
    }

    /// The first eight bytes of the sort key, the first one the highest, zeros behind its end.
    pub(super) fn leading_sort_key(&self, text: &[u8]) -> u64 {
        leading_bytes(&self.sort_key(text))
    }
}
