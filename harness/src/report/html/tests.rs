use super::*;
use crate::report::dataset::testing;

#[test]
fn the_page_has_a_line_and_marks_for_each_series_and_a_table_below() {
    let page = page(&testing::two_arms()).unwrap();
    for class in [
        "line c0 d0",
        "line c1 d1",
        "repetition c0",
        "void c1",
        "rule",
    ] {
        assert!(page.contains(&format!("class=\"{class}")), "{class}");
    }
    for text in [
        "Wall time, s",
        "Throughput, million inserts a second",
        ">20M<",
        "p99.9",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<figure>").count(), 5);
}

#[test]
fn a_course_is_drawn_over_time_for_each_point() {
    let page = page(&testing::with_courses(400)).unwrap();
    for text in [
        "Over time, 2M records",
        "Throughput over time, million inserts a second",
        "Latency over time of native, us: p50, p95, p99 from below",
        "Latency over time of rosetta",
        "CPU over time, % of a core",
        "Resident memory over time, MB",
        "Tuples and indexes over time, MB",
        "A point stands for 3 intervals",
        ">seconds<",
        "Course of the median repetition",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<figure>").count(), 5 + 6);
    assert_eq!(page.matches("<details class=\"course\" open>").count(), 1);
    // Lines of a course have no marks: those are of the charts above.
    let (_, course) = page.split_once("<details class=\"course\"").unwrap();
    let (course, _) = course.split_once("</details>").unwrap();
    assert!(!course.contains("<polygon"));
    assert_eq!(
        course.matches("<polyline class=\"line ").count(),
        2 + 3 + 3 + 2 + 2 + 2
    );
}

#[test]
fn the_page_asks_for_nothing_and_runs_nothing() {
    let page = page(&testing::two_arms()).unwrap();
    for word in [
        "http:", "https:", "<script", "<link", "<img", "url(", "@import", "src=",
    ] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn names_from_files_are_text() {
    let hostile = "<script>alert(1)</script>\"'&\u{202e}\u{1b}[31m";
    let page = page(&testing::named(hostile)).unwrap();
    assert!(!page.contains("<script"));
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
}
