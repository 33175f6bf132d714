use super::*;

fn text(datetime: &str) -> String {
    match Datetime::parse(datetime.as_bytes()) {
        Ok((parsed, length)) if length == datetime.len() => parsed.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn days_and_dates_are_each_other_s_inverse() {
    let mut before = Date::of_days(-1_000_000);
    for days in -999_999..1_000_000 {
        let date = Date::of_days(days);
        assert_eq!(date.days(), days);
        assert!(date > before);
        before = date;
    }
    let last = Date::of_days(*DAY_RANGE.end());
    assert_eq!((last.year, last.month, last.day), (5_879_611, 7, 11));
    let first = Date::of_days(*DAY_RANGE.start());
    assert_eq!((first.year, first.month, first.day), (-5_879_610, 6, 22));
}

#[test]
fn iso_forms_name_the_same_day() {
    for form in [
        "2012-12-24",
        "20121224",
        "2012-359",
        "2012359",
        "2012-W52-1",
        "2012W521",
        "2012-Q4-85",
        "2012Q485",
    ] {
        assert_eq!(text(form), "2012-12-24T00:00:00Z", "{form}");
    }
}

#[test]
fn times_print_as_they_were_written() {
    for form in [
        "2024-02-29T12:00:00.500+0300",
        "1969-12-31T23:59:59.000000001Z",
        "2024-01-01T00:00:00 MSK",
        "2024-07-01T00:00:00 Europe/Berlin",
        "2024-07-01T00:00:00Z",
        "2024-07-01T00:00:00-0930",
    ] {
        assert_eq!(text(form), form);
    }
}

#[test]
fn months_are_added_by_the_rule_for_their_ends() {
    let (january, _) = Datetime::parse(b"2023-01-31").unwrap();
    let month = |adjust| Interval {
        months: 1,
        adjust,
        ..Interval::default()
    };
    let after = |adjust| january.shifted(1, &month(adjust)).unwrap().to_string();
    assert_eq!(after(Adjust::None), "2023-02-28T00:00:00Z");
    assert_eq!(after(Adjust::Last), "2023-02-28T00:00:00Z");
    assert_eq!(after(Adjust::Excess), "2023-03-03T00:00:00Z");
    let (february, _) = Datetime::parse(b"2023-02-28").unwrap();
    let shifted = february.shifted(1, &month(Adjust::Last)).unwrap();
    assert_eq!(shifted.to_string(), "2023-03-31T00:00:00Z");
}

#[test]
fn sums_beyond_the_calendar_fail() {
    let (time, _) = Datetime::parse(b"2000-01-01").unwrap();
    let years = Interval {
        years: 6_000_000,
        ..Interval::default()
    };
    assert_eq!(time.shifted(1, &years).unwrap_err(), OutOfRange::Above);
    assert_eq!(time.shifted(-1, &years).unwrap_err(), OutOfRange::Below);
    let seconds = Interval {
        seconds: i64::MAX,
        ..Interval::default()
    };
    assert_eq!(time.shifted(1, &seconds).unwrap_err(), OutOfRange::Above);
}

#[test]
fn bodies_come_back_as_they_went() {
    for form in [
        "1970-01-01",
        "2024-02-29T12:00:00.123456789+0300",
        "2024-01-01T00:00:00 Europe/Moscow",
    ] {
        let (time, _) = Datetime::parse(form.as_bytes()).unwrap();
        let read = Datetime::from_extension_body(&time.extension_body()).unwrap();
        assert_eq!(read.to_string(), time.to_string());
    }
    let interval = Interval {
        years: -1,
        days: 40,
        nanoseconds: 5,
        ..Interval::default()
    };
    assert_eq!(
        Interval::from_extension_body(&interval.extension_body()),
        Some(interval)
    );
    assert_eq!(Datetime::from_extension_body(&[0; 7]), None);
    assert_eq!(Datetime::from_extension_body(&[0xff; 16]), None);
    assert_eq!(Interval::from_extension_body(&[1]), None);
    assert_eq!(Interval::from_extension_body(&[1, 9, 1]), None);
}

#[test]
fn formats_print_and_parse() {
    let (time, _) = Datetime::parse(b"2021-08-18T16:57:08.981725+03:00").unwrap();
    let format = b"%Y-%m-%d %H:%M:%S.%f %z %a %A %b %B %j %U %V %G %y %e %I %p %%";
    assert_eq!(
        String::from_utf8_lossy(&time.format(format)),
        "2021-08-18 16:57:08.981725 +0300 Wed Wednesday Aug August 230 33 33 2021 21 18 04 PM %"
    );
    let (parsed, length) =
        Datetime::parse_format(b"18 Aug 2021 04:57 PM +0300", b"%d %b %Y %I:%M %p %z").unwrap();
    assert_eq!(
        (parsed.to_string().as_str(), length),
        ("2021-08-18T16:57:00+0300", 26)
    );
    assert!(Datetime::parse_format(b"2021-13-01", b"%Y-%m-%d").is_none());
}

#[test]
fn a_link_is_the_zone_that_it_leads_to() {
    let zone = Zone::of_name("us/eastern").unwrap();
    assert_eq!((zone.number(), zone.name()), (774, "America/New_York"));
    for (link, target) in Zone::links() {
        assert_eq!(Zone::of_name(link).unwrap().name(), target, "{link}");
    }
}

#[test]
fn zones_have_their_numbers_and_rules() {
    assert_eq!(Zone::of_number(947).map(Zone::name), Some("Europe/Moscow"));
    assert_eq!(Zone::of_name("msk").map(Zone::number), Ok(238));
    assert_eq!(
        Zone::of_name("EST").map(Zone::number),
        Err(ZoneError::Ambiguous)
    );
    let berlin = Zone::of_name("Europe/Berlin").unwrap();
    assert_eq!(
        (
            berlin.offset_minutes(0),
            berlin.offset_minutes(1_719_800_000)
        ),
        (60, 120)
    );
    assert!(berlin.is_daylight_saving(1_719_800_000));
    for zone in Zone::all() {
        assert_eq!(
            Zone::of_number(zone.number()).map(Zone::name),
            Some(zone.name())
        );
        zone.offset_minutes(0);
    }
}
