//! `lycosa report` from the outside: files of several machines in, every form out, and the page in a
//! real browser.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longest that a browser may take; a healthy one takes two seconds.
const BROWSER_TIME_MAX: Duration = Duration::from_mins(2);

fn lycosa(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lycosa"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("lycosa starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// A folder with a small real result, `real.json`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let output = lycosa(
        &[
            "run",
            "--records",
            "2k",
            "--repeat",
            "6",
            "--quiet",
            "--json",
            "real.json",
        ],
        folder.path(),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    folder
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("the file")).expect("JSON")
}

/// Writes `NAME.json`: native and rosetta on a machine of this name, over 20 sizes, 15 repetitions
/// and a cold one each, made out of the real result.
fn two_arms(folder: &Path, host: &str, factor: f64) {
    let mut document = read(&folder.join("real.json"));
    let pattern = document["runs"][1].clone();
    document["context"]["host_name"] = json!(host);
    document["context"]["profile"] = json!("release");
    let context = document["context"].clone();
    let mut translated = context.clone();
    translated["translator"] = json!("rosetta");
    document["arms"] = json!([
        {"name": "native", "command": ["lycosa"], "context": context},
        {"name": "rosetta", "command": ["lycosa"], "context": translated},
    ]);
    let mut runs = Vec::new();
    for size in 1..=20_u32 {
        for repetition in 0..=15_u32 {
            for (arm, slowdown) in [("native", 1.0), ("rosetta", 1.6)] {
                let noise = f64::from((repetition * 7 + size * 3) % 13) * 0.002;
                let wall_s = 0.1 * factor * slowdown * f64::from(size) * (1.0 + noise);
                let mut run = pattern.clone();
                run["arm"] = json!(arm);
                run["records"] = json!(size * 1_000_000);
                run["ops"] = json!(size * 1_000_000);
                run["wall_s"] = json!(wall_s);
                run["cpu_s"] = json!(wall_s);
                run["ops_per_s"] = json!(f64::from(size) * 1e6 / wall_s);
                run["cold"] = json!(repetition == 0);
                run["repetition"] = json!(repetition.max(1));
                if (arm, size, repetition) == ("rosetta", 7, 3) {
                    run["void"] = json!("thermal pressure rose from nominal to moderate");
                }
                runs.push(run);
            }
        }
    }
    document["runs"] = Value::Array(runs);
    let path = folder.join(format!("{host}.json"));
    fs::write(path, document.to_string()).expect("the file is written");
}

#[test]
fn a_file_without_counted_repetitions_is_named() {
    let folder = folder();
    let path = folder.path().join("real.json");
    let mut document = read(&path);
    for run in document["runs"].as_array_mut().expect("runs") {
        run["cold"] = json!(true);
    }
    fs::write(&path, document.to_string()).expect("the file");
    let output = lycosa(&["report", "real.json"], folder.path());
    let errors = text(&output.stderr);
    assert_eq!(
        errors,
        "warning: `real.json` holds no counted repetition; only --format csv shows what it holds\n"
    );
}

#[test]
fn files_of_two_machines_stand_side_by_side_in_every_form() {
    let folder = folder();
    two_arms(folder.path(), "m1", 1.0);
    two_arms(folder.path(), "m3", 0.7);
    let report = |arguments: &[&str]| {
        let output = lycosa(
            &[&["report", "m1.json", "m3.json"], arguments].concat(),
            folder.path(),
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "");
        text(&output.stdout).to_owned()
    };

    let terminal = report(&[]);
    for part in ["rosetta, m3", "0.700 [", "unpaired", "(geometric mean"] {
        assert!(terminal.contains(part), "{part}\n{terminal}");
    }
    for line in terminal.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }

    let markdown = report(&["--format", "markdown"]);
    assert!(
        markdown.contains("| records | arm | n | median |"),
        "{markdown}"
    );

    let csv = report(&["--format", "csv"]);
    assert_eq!(csv.lines().count(), 1 + 2 * 2 * 20 * 16);
    assert!(csv.starts_with("file,host_name,"), "{csv}");

    report(&["--output", "benchmark.json"]);
    let benchmark = read(&folder.path().join("benchmark.json"));
    let entries = benchmark["benchmarks"].as_array().expect("entries");
    // One repetition is void in each file.
    assert_eq!(entries.len(), 2 * 2 * 20 * (15 + 4) - 2);
    assert_eq!(entries[0]["time_unit"], "ms");

    let reference = report(&["--reference", "rosetta, m1"]);
    assert!(reference.contains("those of rosetta, m1"), "{reference}");
}

#[test]
fn damaged_and_later_files_are_named_and_skipped() {
    let folder = folder();
    fs::write(folder.path().join("damaged.json"), "{\"runs\": [").expect("written");
    fs::write(folder.path().join("later.json"), "{\"format\": 99}").expect("written");
    let files = [
        "report",
        "damaged.json",
        "real.json",
        "later.json",
        "none.json",
    ];
    let output = lycosa(&files, folder.path());
    assert_eq!(output.status.code(), Some(0));
    let warnings = text(&output.stderr);
    assert_eq!(
        warnings.matches("warning: skipped: ").count(),
        3,
        "{warnings}"
    );
    for name in ["damaged.json", "later.json", "none.json"] {
        assert!(warnings.contains(name), "{warnings}");
    }
    assert!(text(&output.stdout).contains("2k"));

    let output = lycosa(&["report", "damaged.json"], folder.path());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "");
}

#[test]
fn what_cannot_be_written_as_asked_is_refused() {
    let folder = folder();
    let before = fs::read(folder.path().join("real.json")).expect("the file");
    fs::write(folder.path().join("other.json"), &before).expect("a file");
    for (arguments, message) in [
        (&["--output", "real.json"][..], "is a result to report on"),
        (
            &["--format", "html", "--output", "other.json"],
            "`other.json` is a result of lycosa",
        ),
        (&["--output", "page.pdf"], "names no form"),
        (&["--reference", "nobody"], "nothing here is named `nobody`"),
    ] {
        let output = lycosa(
            &[&["report", "real.json"], arguments].concat(),
            folder.path(),
        );
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(message),
            "{}",
            text(&output.stderr)
        );
    }
    assert_eq!(
        fs::read(folder.path().join("real.json")).expect("the file"),
        before
    );
}

/// A browser of this machine.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

/// Opens a page; what became of it after its scripts ran, and what the console said.
fn open(browser: &Path, page: &Path) -> (String, Vec<String>) {
    let profile = tempfile::tempdir().expect("a folder");
    let files = tempfile::tempdir().expect("a folder");
    let (out, err) = (files.path().join("out"), files.path().join("err"));
    let mut child = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
        ])
        .args([
            "--enable-logging=stderr",
            "--v=0",
            "--virtual-time-budget=3000",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out).expect("a file"))
        .stderr(fs::File::create(&err).expect("a file"))
        .spawn()
        .expect("the browser starts");
    let is_done = wait(&mut child);
    let log = fs::read(&err).expect("the log");
    let log = String::from_utf8_lossy(&log);
    assert!(is_done, "the browser did not end:\n{log}");
    let console = log
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .map(str::to_owned)
        .collect();
    let page = fs::read(&out).expect("the page");
    (String::from_utf8_lossy(&page).into_owned(), console)
}

/// Whether it ended by itself, and with success.
fn wait(child: &mut Child) -> bool {
    let started = Instant::now();
    while started.elapsed() < BROWSER_TIME_MAX {
        if let Some(status) = child.try_wait().expect("its status") {
            return status.success();
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("it is ended");
    child.wait().expect("its status");
    false
}

/// How wide a page is on a screen of `width` pixels: more than that, and it scrolls sideways.
fn width_on(browser: &Path, folder: &Path, page: &str, width: u32) -> u32 {
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    let frame = format!(
        "<!doctype html><iframe width={width} height=800 style=\"border:0\" srcdoc=\"{escaped}\">\
         </iframe><output></output><script>onload = () => {{ const page = \
         document.querySelector('iframe').contentDocument.documentElement; \
         document.querySelector('output').textContent = 'is ' + page.scrollWidth + ' wide'; }}\
         </script>"
    );
    let path = folder.join("frame.html");
    fs::write(&path, frame).expect("written");
    let (dom, _) = open(browser, &path);
    let (_, rest) = dom.split_once("<output>is ").expect("the script ran");
    let (number, _) = rest.split_once(" wide").expect("a width");
    number.parse().expect("a number")
}

#[test]
fn a_browser_shows_the_page_without_complaint_on_a_phone_too() {
    let Some(browser) = browser() else {
        println!("skipped: there is no chromium");
        return;
    };
    let folder = folder();
    two_arms(folder.path(), "m1", 1.0);
    two_arms(folder.path(), "machine-with-a-rather-long-name", 0.7);
    let files = ["report", "m1.json", "machine-with-a-rather-long-name.json"];
    let output = lycosa(&[&files[..], &["-o", "page.html"]].concat(), folder.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let path = folder.path().join("page.html");

    let (dom, console) = open(&browser, &path);
    assert_eq!(console, Vec::<String>::new());
    let charts: Vec<&str> = dom
        .split("<figure>")
        .skip(1)
        .filter_map(|part| part.split("</figure>").next())
        .collect();
    assert_eq!(charts.len(), 5);
    let lines = |chart: &str| chart.matches("<polyline class=\"line ").count();
    let numbers: Vec<usize> = charts.iter().map(|chart| lines(chart)).collect();
    // Wall time, throughput, ratio (the reference has none), single repetitions, latency.
    assert_eq!(numbers, [4, 4, 3, 0, 4]);
    for label in [
        ">5M</text>",
        ">20M</text>",
        ">records</text>",
        "Wall time, s",
    ] {
        assert!(charts[0].contains(label), "{label}");
    }
    let repetitions = charts[0].matches("<circle class=\"repetition ").count();
    assert_eq!(repetitions, 2 * 2 * 20 * 15 - 2);
    assert_eq!(charts[0].matches("<circle class=\"void ").count(), 2);

    let page = fs::read_to_string(&path).expect("the page");
    for width in [360, 1280] {
        // Less by the bar that scrolls it down.
        assert!(width_on(&browser, folder.path(), &page, width) <= width);
    }
}

#[test]
fn the_course_of_a_real_run_is_drawn_and_told_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = [
        "run",
        "--records",
        "300k",
        "--repeat",
        "3",
        "--report-interval",
        "10ms",
        "--quiet",
        "--json",
        "course.json",
    ];
    let output = lycosa(&run, folder.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report = |arguments: &[&str]| {
        let all = [&["report", "course.json"], arguments].concat();
        let output = lycosa(&all, folder.path());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let intervals: usize = read(&folder.path().join("course.json"))["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["series"].as_array().expect("a series").len())
        .sum();
    assert_eq!(
        report(&["--format", "csv-intervals"]).lines().count(),
        1 + intervals
    );
    assert!(report(&["--format", "markdown"]).contains("| size | arm | intervals |"));
    let terminal = report(&[]);
    assert!(terminal.contains("highest p95"), "{terminal}");
    for line in terminal.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    report(&["-o", "page.html"]);

    let Some(browser) = browser() else {
        println!("skipped: there is no chromium");
        return;
    };
    let path = folder.path().join("page.html");
    let (dom, console) = open(&browser, &path);
    assert_eq!(console, Vec::<String>::new());
    let (_, course) = dom.split_once("<details class=\"course\"").expect("a fold");
    let (course, _) = course.split_once("</details>").expect("its end");
    let figures = course.matches("<figure>").count();
    // Throughput, latency, CPU, resident memory, tuples and indexes.
    assert_eq!(figures, 5);
    assert!(
        course.matches("<polyline class=\"line ").count() >= 7,
        "{course}"
    );
    let page = fs::read_to_string(&path).expect("the page");
    assert!(width_on(&browser, folder.path(), &page, 360) <= 360);
}

#[test]
fn a_browser_shows_a_heat_map_without_complaint_on_a_phone_too() {
    let Some(browser) = browser() else {
        println!("skipped: there is no chromium");
        return;
    };
    let folder = folder();
    let sweep = "sweep --fibers 1..8:1 --index tree,hash --records 1k --repeat 1 --json m.json";
    let output = lycosa(&sweep.split(' ').collect::<Vec<_>>(), folder.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = lycosa(&["report", "m.json", "-o", "page.html"], folder.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let path = folder.path().join("page.html");
    let (dom, console) = open(&browser, &path);
    assert_eq!(console, Vec::<String>::new());
    assert_eq!(dom.matches("<rect class=\"cell h").count(), 16);
    for mark in ["<rect class=\"cell h9 best\"", "class=\"number best\""] {
        assert_eq!(dom.matches(mark).count(), 1, "{mark}");
    }
    for label in [
        ">tree</text>",
        ">8</text>",
        "role=\"img\"",
        "class=\"scale\"",
    ] {
        assert!(dom.contains(label), "{label}");
    }
    let page = fs::read_to_string(&path).expect("the page");
    for width in [360, 1280] {
        assert!(width_on(&browser, folder.path(), &page, width) <= width);
    }
}

#[test]
fn a_page_of_hostile_names_runs_nothing() {
    let Some(browser) = browser() else {
        println!("skipped: there is no chromium");
        return;
    };
    let folder = folder();
    let hostile =
        "</title></style></svg><script>document.title='run'</script><img src=x onerror=1>";
    let mut document = read(&folder.path().join("real.json"));
    for field in ["host_name", "cpu", "os", "git_revision"] {
        document["context"][field] = json!(hostile);
    }
    for run in document["runs"].as_array_mut().expect("runs") {
        for field in ["arm", "workload", "checksum"] {
            run[field] = json!(hostile);
        }
        run["settings"] = json!({ hostile: hostile });
    }
    fs::write(folder.path().join("hostile.json"), document.to_string()).expect("written");
    let output = lycosa(
        &["report", "hostile.json", "-o", "page.html"],
        folder.path(),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (dom, console) = open(&browser, &folder.path().join("page.html"));
    assert_eq!(console, Vec::<String>::new());
    assert!(!dom.contains("<script") && !dom.contains("<img"));

    // What would have been caught: the console tells of what the page's policy forbids.
    let page = fs::read_to_string(folder.path().join("page.html")).expect("the page");
    let broken = folder.path().join("broken.html");
    fs::write(&broken, page.replace("<main>", "<main><script>1</script>")).expect("written");
    let (_, console) = open(&browser, &broken);
    assert_eq!(console.len(), 1, "{console:?}");
}
