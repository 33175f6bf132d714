//! Time zones: those of the tz database, and abbreviations with a fixed offset.
//!
//! A zone's number is the one that it has in a stored time, the same as Tarantool's. Of Tarantool's
//! abbreviations the common ones are here; of the tz database's, all that are no links, which stand in
//! `zones.txt`: the number of the first zone of a line, their region, their places in order. Links, which
//! are other names of a zone, stand in `zone_links.txt`: a line begins with what they lead to. The rules
//! are `jiff`'s copy of the database, whatever the system has.

use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// A time zone.
#[derive(Debug)]
pub struct Zone {
    number: i16,
    name: String,
    /// The offset in minutes, always the same; nothing when the database has the rules.
    fixed_minutes: Option<i16>,
    rules: OnceLock<Option<TimeZone>>,
}

/// Why a name is no zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneError {
    /// Nobody has called a zone so.
    Unknown,
    /// Several places use the abbreviation.
    Ambiguous,
}

const PLACES: &str = include_str!("zones.txt");
const LINKS: &str = include_str!("zone_links.txt");

/// Number, name, offset in minutes.
const ABBREVIATIONS: &[(i16, &str, i16)] = &[
    (112, "UT", 0),
    (152, "CAT", 120),
    (155, "CET", 60),
    (168, "EAT", 180),
    (171, "EET", 120),
    (186, "GMT", 0),
    (199, "HKT", 480),
    (207, "HST", -600),
    (208, "ICT", 420),
    (216, "JST", 540),
    (226, "KST", 540),
    (233, "MDT", -360),
    (237, "MSD", 240),
    (238, "MSK", 180),
    (251, "NPT", 345),
    (264, "PDT", -420),
    (267, "PHT", 480),
    (268, "PKT", 300),
    (282, "SGT", 480),
    (294, "TRT", 180),
    (296, "UTC", 0),
    (298, "UZT", 300),
    (314, "WET", 0),
    (318, "WIB", 420),
    (319, "WIT", 540),
    (328, "ACDT", 630),
    (329, "ACST", 570),
    (331, "AEDT", 660),
    (332, "AEST", 600),
    (333, "AKDT", -480),
    (334, "AKST", -540),
    (341, "AWST", 480),
    (355, "CEST", 120),
    (381, "EEST", 180),
    (409, "IRKT", 480),
    (417, "KRAT", 420),
    (432, "MAGT", 600),
    (441, "NOVT", 360),
    (442, "NZDT", 780),
    (443, "NZST", 720),
    (449, "OMST", 360),
    (457, "PETT", 720),
    (481, "SAMT", 240),
    (482, "SAST", 120),
    (504, "VLAT", 600),
    (515, "WEST", 60),
    (518, "WITA", 480),
    (520, "YAKT", 540),
    (522, "YEKT", 300),
];

/// Abbreviations that mean several zones.
const AMBIGUOUS: &[&str] = &[
    "AT", "BT", "CT", "ET", "IT", "MT", "PT", "ACT", "ADT", "AET", "AMT", "AST", "BDT", "BST",
    "CDT", "CST", "ECT", "EDT", "EST", "GST", "IDT", "IST", "MST", "PST", "PYT", "SST", "WAT",
    "WST",
];

/// The letters of military zones, in the order of their numbers from 1; J is none.
const LETTERS: &[u8; 25] = b"ABCDEFGHIKLMNOPQRSTUVWXYZ";

impl Zone {
    fn new(number: i16, name: String, fixed_minutes: Option<i16>) -> Self {
        Self {
            number,
            name,
            fixed_minutes,
            rules: OnceLock::new(),
        }
    }

    /// All zones, by number.
    pub fn all() -> &'static [Self] {
        static ZONES: OnceLock<Vec<Zone>> = OnceLock::new();
        ZONES.get_or_init(|| {
            let letters = (1..).zip(LETTERS).map(|(number, &letter)| {
                // A to M are ahead of UTC by their place, N to Y behind it, Z is UTC.
                let hours = match number {
                    25 => 0,
                    13.. => 12 - number,
                    _ => number,
                };
                Self::new(number, char::from(letter).to_string(), Some(hours * 60))
            });
            let abbreviations = ABBREVIATIONS
                .iter()
                .map(|&(number, name, minutes)| Self::new(number, name.to_owned(), Some(minutes)));
            let places = PLACES.lines().flat_map(|line| {
                let mut words = line.split(' ');
                let first: i16 = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
                let region = words.next().unwrap_or_default();
                (first..).zip(words).map(move |(number, place)| {
                    Self::new(number, format!("{region}/{place}"), None)
                })
            });
            letters.chain(abbreviations).chain(places).collect()
        })
    }

    /// The zone with a number.
    pub fn of_number(number: i16) -> Option<&'static Self> {
        if number == 0 {
            return None;
        }
        let zones = Self::all();
        let position = zones.binary_search_by_key(&number, |zone| zone.number);
        position.ok().map(|position| &zones[position])
    }

    /// The zone with a name, or with another name for it, in any case.
    pub fn of_name(name: &str) -> Result<&'static Self, ZoneError> {
        if AMBIGUOUS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name))
        {
            return Err(ZoneError::Ambiguous);
        }
        let of_own_name = |name: &str| {
            let mut zones = Self::all().iter();
            zones.find(|zone| zone.name.eq_ignore_ascii_case(name))
        };
        of_own_name(name)
            .or_else(|| {
                let (_, target) =
                    Self::links().find(|(link, _)| link.eq_ignore_ascii_case(name))?;
                of_own_name(target)
            })
            .ok_or(ZoneError::Unknown)
    }

    /// All links: their name, and that of the zone they lead to.
    pub fn links() -> impl Iterator<Item = (&'static str, &'static str)> {
        LINKS.lines().flat_map(|line| {
            let mut names = line.split(' ');
            let target = names.next().unwrap_or_default();
            names.map(move |link| (link, target))
        })
    }

    /// The number that stands for the zone in a stored time.
    pub fn number(&self) -> i16 {
        self.number
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn rules(&self) -> Option<&TimeZone> {
        self.rules
            .get_or_init(|| TimeZoneDatabase::bundled().get(&self.name).ok())
            .as_ref()
    }

    /// The offset from UTC at a moment, in minutes.
    pub fn offset_minutes(&self, epoch: i64) -> i16 {
        if let Some(minutes) = self.fixed_minutes {
            return minutes;
        }
        let offset = self.rules().map(|rules| rules.to_offset(moment(epoch)));
        offset.map_or(0, |offset| (offset.seconds() / 60) as i16)
    }

    /// Whether daylight saving time holds at a moment.
    pub fn is_daylight_saving(&self, epoch: i64) -> bool {
        self.fixed_minutes.is_none()
            && self
                .rules()
                .is_some_and(|rules| rules.to_offset_info(moment(epoch)).dst().is_dst())
    }
}

/// The moment, or the nearest one that the database knows of.
fn moment(epoch: i64) -> Timestamp {
    let range = Timestamp::MIN.as_second()..=Timestamp::MAX.as_second();
    Timestamp::from_second(epoch.clamp(*range.start(), *range.end())).unwrap_or_default()
}

impl super::Datetime {
    /// The time now, in the offset of the system's zone.
    pub fn now() -> Self {
        let now = Timestamp::now();
        let offset = TimeZone::system().to_offset(now);
        Self {
            epoch: now.as_second(),
            nanoseconds: now.subsec_nanosecond() / 1000 * 1000,
            offset_minutes: (offset.seconds() / 60) as i16,
            zone: 0,
        }
    }
}
