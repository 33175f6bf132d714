//! Sweeps over anything but sizes, arms with options of their own, and costs: real processes.

use std::fs;

use serde_json::Value;

use bench::Bench;
use kills::kill_again_and_again;

#[path = "support/bench.rs"]
mod bench;
#[path = "support/kills.rs"]
mod kills;

impl Bench {
    /// What a command that succeeds writes to its standard output.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let shown = text(&output.stdout).to_owned();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{shown}{}",
            text(&output.stderr)
        );
        shown
    }

    /// The message of a command that is refused before anything is measured.
    fn refusal(&self, arguments: &[&str]) -> String {
        let output = self.output(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
        let (_, message) = message.split_once("error: ").unwrap();
        message.to_owned()
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The cells of the rows below a heading, up to an empty line.
fn rows<'a>(shown: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    shown
        .lines()
        .skip_while(|line| !line.trim_start().starts_with(heading))
        .skip(1)
        .take_while(|line| !line.is_empty())
        // Warnings between rows go on below their labels, which are 14 wide.
        .filter(|line| line.starts_with(' ') && !line.starts_with(&" ".repeat(14)))
        .map(|line| line.split_whitespace().collect())
        .collect()
}

/// A key of every run, without quotes.
fn of_runs(document: &Value, key: &str) -> Vec<String> {
    let runs = document["runs"].as_array().unwrap();
    let texts = runs.iter().map(|run| run[key].to_string());
    texts.map(|text| text.replace('"', "")).collect()
}

#[test]
fn a_sweep_over_fibers_shows_a_row_each_the_best_and_the_knee() {
    let bench = Bench::new();
    let arguments = "sweep --fibers 4,1,2 --records 2k --repeat 6 --cold 0 --json f.json";
    let shown = bench.done(&arguments.split(' ').collect::<Vec<_>>());
    let first: Vec<&str> = rows(&shown, "fibers ").iter().map(|row| row[0]).collect();
    assert_eq!(first, ["1", "2", "4"], "{shown}");
    assert!(shown.contains("\nbest          fibers "), "{shown}");
    assert!(shown.contains("\nknee  "), "{shown}");
    assert!(shown.contains("checksums of each point agree"), "{shown}");
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let document = bench.json("f.json");
    assert_eq!(document["plan"]["axes"][0], "fibers");
    assert_eq!(
        of_runs(&document, "fibers").join(" "),
        "1 1 1 1 1 1 2 2 2 2 2 2 4 4 4 4 4 4"
    );
    assert!(
        of_runs(&document, "records")
            .iter()
            .all(|text| text == "2000")
    );
}

#[test]
fn every_option_and_a_setting_can_be_an_axis() {
    let bench = Bench::new();
    for (number, (axis, value, key, expected)) in [
        ("--records", "1k,2k", "records", "1000 2000"),
        ("--ops-per-txn", "1,10", "ops_per_txn", "1 10"),
        (
            "--memory",
            "64MiB,1GiB",
            "memory_bytes",
            "67108864 1073741824",
        ),
        ("--index", "tree,hash", "index", "tree hash"),
        ("--jit", "on,off", "jit_requested", "true false"),
        ("--driver", "rust,lua", "driver", "rust lua"),
        ("--seed", "0,7", "seed", "0 7"),
        ("--axis", "seed=3,4", "seed", "3 4"),
        (
            "--axis",
            "set.payload=long,short",
            "settings",
            "{payload:long} {payload:short}",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let file = format!("{number}.json");
        let mut arguments = vec!["sweep", axis, value, "--repeat", "1", "--cold", "0"];
        arguments.extend(["--quiet", "--json", &file]);
        if axis != "--records" {
            arguments.extend(["--records", "1k"]);
        }
        bench.done(&arguments);
        assert_eq!(of_runs(&bench.json(&file), key).join(" "), expected);
    }
}

#[test]
fn two_axes_make_a_matrix_in_every_form() {
    let bench = Bench::new();
    let arguments = "sweep --index hash,tree --fibers 1..3:1 --records 1k --repeat 2 --json m.json";
    let shown = bench.done(&arguments.split(' ').collect::<Vec<_>>());
    let places: Vec<String> = rows(&shown, "fibers  index")
        .iter()
        .map(|row| row[..2].join(" "))
        .collect();
    let expected = ["1 hash", "1 tree", "2 hash", "2 tree", "3 hash", "3 tree"];
    assert_eq!(places, expected, "{shown}");
    let matrix = rows(&shown, "fibers \\ index");
    assert_eq!(matrix.len(), 3, "{shown}");
    assert_eq!(
        shown.matches("* ").count() + shown.matches("*\n").count(),
        2,
        "{shown}"
    );

    let report = bench.done(&["report", "m.json"]);
    assert_eq!(rows(&report, "fibers \\ index").len(), 3, "{report}");
    let markdown = bench.done(&["report", "m.json", "--format", "markdown"]);
    assert!(markdown.contains("\n| fibers \\\\ index | hash | tree |\n|---:|---:|---:|\n| 1 |"));
    let csv = bench.done(&["report", "m.json", "--format", "csv"]);
    assert!(
        csv.lines().nth(1).unwrap().contains(",\"fibers,index\","),
        "{csv}"
    );
    bench.done(&["report", "m.json", "-o", "m.html"]);
    let page = fs::read_to_string(bench.path("m.html")).unwrap();
    assert_eq!(page.matches("<figure class=\"heat\">").count(), 1);
    assert_eq!(page.matches("class=\"cell ").count(), 6);
    assert!(page.contains("the most at fibers "), "{page}");
}

#[test]
fn a_sweep_over_fibers_that_is_killed_again_and_again_goes_on() {
    let bench = Bench::new();
    let arguments = "sweep --fibers 1,2,5 --records 1k --repeat 4 --resume s.json";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    kill_again_and_again(
        || bench.command(&arguments),
        |_| bench.path("s.json").exists() && bench.json("s.json")["status"] == "complete",
    );
    let shown = bench.done(&arguments);
    assert_eq!(rows(&shown, "fibers ").len(), 3, "{shown}");
    let document = bench.json("s.json");
    let lasting = document["runs"].as_array().unwrap().iter();
    let mut places: Vec<String> = lasting
        .filter(|run| run["void"].is_null())
        .map(|run| format!("{} {} {}", run["fibers"], run["cold"], run["repetition"]))
        .collect();
    assert_eq!(places.len(), 13);
    places.sort();
    places.dedup();
    assert_eq!(places.len(), 13);

    let message = bench.refusal(&[
        "sweep",
        "--fibers",
        "1,2",
        "--records",
        "1k",
        "--repeat",
        "4",
        "--resume",
        "s.json",
    ]);
    assert!(
        message.contains("--fibers: 1, 2, 5 in the file, 1, 2 here"),
        "{message}"
    );
    let message = bench.refusal(&[
        "sweep",
        "--records",
        "1k,2k",
        "--repeat",
        "4",
        "--resume",
        "s.json",
    ]);
    assert!(
        message.contains("axes: fibers in the file, records here"),
        "{message}"
    );
}

#[test]
fn axes_that_are_none_are_refused_in_one_line() {
    let bench = Bench::new();
    let thousand: Vec<String> = (0..1_001).map(|number| format!("v{number}")).collect();
    let thousand = format!("set.payload={}", thousand.join(","));
    for (arguments, part) in [
        (&["--fibers", ""][..], "names no size"),
        (&["--fibers", "1,,2"], "names no size"),
        (&["--fibers", "0,1"], "must be at least 1"),
        (
            &["--fibers", "1..30_000:29_999"],
            "is too large; the most is 29999",
        ),
        (&["--index", "tree,,hash"], "names no value"),
        (&["--axis", "fibres=1,2"], "did you mean `fibers`?"),
        (&["--axis", "fibers"], "has no `=`"),
        (&["--axis", "=1"], "there is no ``"),
        (&["--axis", "set.payload="], "names no value"),
        (&["--axis", "set.=1"], "names no setting"),
        (&["--axis", "set.pyload=1,2"], "did you mean `payload`?"),
        (
            &["--axis", "fibers=1,2", "--fibers", "3"],
            "`fibers` is given twice",
        ),
        (
            &["--axis", "seed=1,2", "--axis", "seed=3"],
            "`seed` is given twice",
        ),
        (
            &["--axis", "set.payload=short,long", "--set", "payload=long"],
            "set by --set and by --axis",
        ),
        (
            &["--fibers", "1,2", "--jit", "on,off", "--seed", "1,2"],
            "has 2 axes at most",
        ),
        (
            &["--fibers", "1..100:1", "--ops-per-txn", "1..100:1"],
            "100 values of fibers by 100 values of ops-per-txn make 10000 points; the most",
        ),
        (&["--fibers", "1..10_000:1"], "the most is 1000"),
        (
            &["--axis", &thousand],
            "names 1001 values; the most is 1000",
        ),
        (
            &["--fibers", "1,2", "--points", "3"],
            "--points is for a range without a step",
        ),
        (
            &["--fibers", "1,2", "--memory", "6MiB", "--records", "400k"],
            "the quota is 6 MiB; raise it",
        ),
        (&["--fibers", "1,2", "--cost", "free"], "has no `/`"),
        (
            &["--driver", "lua,rust", "--workload", "none.lua"],
            "none.lua",
        ),
    ] {
        let message = bench.refusal(&[&["sweep"], arguments].concat());
        assert!(message.contains(part), "{arguments:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    // What was refused for its size alone had its file opened, and nothing written.
    assert_eq!(fs::read_dir(bench.path("")).unwrap().count(), 0);
}

#[test]
fn one_value_is_no_axis_and_values_named_twice_are_one() {
    let bench = Bench::new();
    let arguments = "sweep --records 1k --axis fibers=7,7 --index tree --repeat 1 --json o.json";
    let shown = bench.done(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(rows(&shown, "records ").len(), 1, "{shown}");
    let document = bench.json("o.json");
    assert_eq!(document["plan"]["axes"][0], "records");
    assert_eq!(of_runs(&document, "fibers").join(" "), "7 7");
}

/// Two arms of this binary with options of their own, small.
const ARMS: [&str; 10] = [
    "compare",
    "--arm",
    "small=--memory 64MiB",
    "--arm",
    "wide=native --fibers 5 --set payload=long",
    "--records",
    "1k,2k",
    "--repeat",
    "6",
    "--quiet",
];

#[test]
fn arms_have_options_of_their_own_and_results_tell_them_apart() {
    let bench = Bench::new();
    let mut arguments = ARMS.to_vec();
    arguments.pop();
    arguments.extend(["--json", "c.json"]);
    let shown = bench.done(&arguments);
    assert!(
        shown.contains("\nsmall         --memory 64MiB\n"),
        "{shown}"
    );
    assert!(
        shown.contains("\nwide          --fibers 5   --set payload=long\n"),
        "{shown}"
    );
    assert!(
        shown.contains("agree wherever the data must be equal"),
        "{shown}"
    );
    assert_eq!(rows(&shown, "records ").len(), 3, "{shown}");

    let document = bench.json("c.json");
    for run in document["runs"].as_array().unwrap() {
        let (memory, fibers) = (&run["memory_bytes"], &run["fibers"]);
        match run["arm"].as_str().unwrap() {
            "small" => assert_eq!((memory, fibers), (&(64 << 20).into(), &50.into())),
            _ => assert_eq!((memory, fibers), (&(4_u64 << 30).into(), &5.into())),
        }
        assert_eq!(run["shared"]["fibers"], 50);
    }
    let options = &document["plan"]["arm_options"];
    assert_eq!(options["wide"][1], "--set payload=long");
    assert_eq!(
        document["comparisons"][0]["points"]
            .as_array()
            .unwrap()
            .len(),
        2
    );

    let report = bench.done(&["report", "c.json"]);
    assert!(report.contains("small (--memory 64MiB)"), "{report}");
    assert!(
        report.contains("wide (--fibers 5 --set payload=long)"),
        "{report}"
    );
    assert!(!report.contains("checksums differ"), "{report}");
    let csv = bench.done(&["report", "c.json", "--format", "csv"]);
    assert!(
        csv.contains(",wide,--fibers 5 --set payload=long,"),
        "{csv}"
    );
}

#[test]
fn arms_of_other_options_are_others_on_resume_and_for_a_baseline() {
    let bench = Bench::new();
    let with = |more: &[&'static str]| [&ARMS[..], more].concat();
    bench.done(&with(&["--resume", "c.json", "--save-baseline", "tuned"]));
    let before = fs::read(bench.path("c.json")).unwrap();
    bench.done(&with(&["--resume", "c.json"]));
    assert_eq!(fs::read(bench.path("c.json")).unwrap(), before);

    let mut other = with(&["--resume", "c.json"]);
    other[2] = "small=--memory 128MiB";
    let message = bench.refusal(&other);
    assert!(
        message.contains("arms: small (--memory 64MiB), wide"),
        "{message}"
    );
    assert!(
        message.contains(" in the file, small (--memory 128MiB), wide"),
        "{message}"
    );

    let output = bench.output(&with(&["--baseline", "tuned", "--json", "d.json"]));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut other = with(&["--baseline", "tuned", "--json", "e.json"]);
    other[2] = "small=--memory 128MiB";
    let message = bench.refusal(&other);
    assert!(message.contains("memory"), "{message}");
}

#[test]
fn options_that_no_arm_can_have_are_refused() {
    let bench = Bench::new();
    for (arm, part) in [
        ("a=--records 1k", "is the same for all arms"),
        ("a=--fibres 3", "did you mean `fibers`?"),
        ("a=--fibers", "--fibers has no value"),
        ("a=--set pyload=1", "did you mean `payload`?"),
        ("a=native --fibers 1 --fibers 2", "fibers is given twice"),
        ("a=--memory 6MiB", "the quota is 6 MiB; raise it"),
        ("a=tarantool --driver rust", "arm `a`"),
    ] {
        let message = bench.refusal(&["compare", "--arm", "native", "--arm", arm]);
        assert!(message.contains(part), "{arm}: {message}");
    }
}

#[test]
fn a_cost_is_in_the_terminal_the_result_and_every_report() {
    let bench = Bench::new();
    let small = ["--records", "1k", "--repeat", "2"];
    let run = ["run", "--cost", "0.12USD/h", "--json", "r.json"];
    let shown = bench.done(&[&run[..], &small].concat());
    assert!(
        shown.contains(" inserts per USD (at 0.12USD/h)\n"),
        "{shown}"
    );
    let costs = &bench.json("r.json")["context"]["costs"]["native"];
    assert_eq!(
        (&costs["per_hour"], &costs["currency"]),
        (&0.12.into(), &"USD".into())
    );
    let report = bench.done(&["report", "r.json", "--format", "markdown"]);
    assert!(report.contains("| inserts per USD |"), "{report}");
    let csv = bench.done(&["report", "r.json", "--format", "csv"]);
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .contains(",cost_per_hour,cost_currency,ops_per_cost,")
    );
    assert!(csv.lines().nth(1).unwrap().contains(",0.12,USD,"), "{csv}");

    let compare = "compare --arm a={lycosa} --arm b={lycosa} --cost 1/h --cost b=2/h --json c.json";
    let compare: Vec<&str> = compare.split(' ').collect();
    let shown = bench.done(&[&compare[..], &small].concat());
    assert!(
        shown.contains(" inserts per unit of cost (at 1/h)\n"),
        "{shown}"
    );
    assert!(shown.contains("(at 2/h)\n"), "{shown}");
    let costs = &bench.json("c.json")["context"]["costs"];
    assert_eq!(
        (&costs["a"]["per_hour"], &costs["b"]["per_hour"]),
        (&1.0.into(), &2.0.into())
    );
    for (cost, part) in [("c=1/h", "there is no arm `c`"), ("b=1", "has no `/`")] {
        let twins = ["compare", "--arm", "a={lycosa}", "--arm", "b={lycosa}"];
        let message = bench.refusal(&[&twins[..], &["--cost", cost]].concat());
        assert!(message.contains(part), "{message}");
    }

    let sweep = [
        "sweep", "--fibers", "1,2", "--cost", "3/d", "--json", "s.json",
    ];
    let shown = bench.done(&[&sweep[..], &small].concat());
    assert!(
        shown.contains(" inserts per unit of cost (at 3/d, at fibers "),
        "{shown}"
    );
}

#[test]
fn a_sweep_over_rates_shows_both_latencies_of_each() {
    let bench = Bench::new();
    let arguments =
        "sweep --rate 1k,20k,1G --duration 100ms --ops-per-txn 1 --repeat 2 --json r.json";
    let shown = bench.done(&arguments.split(' ').collect::<Vec<_>>());
    assert!(
        shown.contains("transaction, from begin") && shown.contains("corrected, from due"),
        "{shown}"
    );
    let first = shown
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let rates: Vec<&str> = first.filter(|word| word.ends_with("/s")).collect();
    assert_eq!(rates, ["1k/s", "20k/s", "1G/s"], "{shown}");
    assert!(
        shown.contains("\nrate          1,000 M/s were asked for"),
        "{shown}"
    );
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let document = bench.json("r.json");
    assert_eq!(document["plan"]["axes"][0], "rate");
    assert_eq!(
        of_runs(&document, "rate_per_s").join(" "),
        "1000.0 1000.0 1000.0 20000.0 20000.0 1000000000.0 1000000000.0"
    );
    let report = bench.done(&["report", "r.json"]);
    assert!(
        report.contains("corrected p99") && report.contains("20k/s"),
        "{report}"
    );
    bench.done(&["report", "r.json", "-o", "r.html"]);
    // The same command goes on: nothing is left to do.
    let arguments = arguments.replace("--json", "--resume");
    let again = bench.done(&arguments.split(' ').collect::<Vec<_>>());
    assert!(again.contains("holds all 7 repetitions"), "{again}");
}

#[test]
fn times_and_limits_are_axes_and_what_contradicts_itself_is_refused() {
    let bench = Bench::new();
    for (number, (arguments, key, expected)) in [
        ("--duration 20ms,50ms", "duration_s", "0.02 0.05"),
        (
            "--duration 20ms --axis warmup=0s,30ms",
            "warmup_s",
            "0.0 0.03",
        ),
        (
            "--records 1k --limit-memory 1GiB,2GiB",
            "limit_memory_bytes",
            "1073741824 2147483648",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let file = format!("{number}.json");
        let mut all = vec!["sweep", "--repeat", "1", "--cold", "0", "--json", &file];
        all.extend(arguments.split(' '));
        let shown = bench.done(&all);
        assert_eq!(
            of_runs(&bench.json(&file), key).join(" "),
            expected,
            "{shown}"
        );
    }
    for (arguments, expected) in [
        ("sweep --duration 1s,2s --records 1k", "and so do --records"),
        ("sweep --duration 1s --records 1k,2k", "and so do --records"),
        (
            "sweep --warmup 1s,2s",
            "--warmup is the time before --duration",
        ),
        ("sweep --rate 1k,0", "must be at least"),
        ("sweep --rate 1k --axis rate=2k", "`rate` is given twice"),
        (
            "sweep --driver rust --rate 1k,2k",
            "--driver rust runs over",
        ),
        ("sweep --limit-memory 1MiB,4GiB", "1 MiB"),
        (
            "sweep --duration 10000s,1s --report-interval 100ms",
            "--report-interval cuts",
        ),
        ("run --warmup 1s", "--duration"),
    ] {
        let message = bench.refusal(&arguments.split(' ').collect::<Vec<_>>());
        assert!(message.contains(expected), "{arguments}: {message}");
    }
}

#[test]
fn an_arm_has_a_rate_a_time_and_a_limit_of_its_own() {
    let bench = Bench::new();
    let common = ["compare", "--arm", "native", "--repeat", "1", "--cold", "0"];
    let with = |arm: &str, others: &[&'static str], file: &'static str| {
        let arm = format!("own={arm}");
        let mut arguments = common.to_vec();
        arguments.extend(["--arm", &arm, "--json", file]);
        arguments.extend(others);
        bench.output(&arguments)
    };
    let output = with("--rate 20000/s", &["--records", "2k"], "rate.json");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("--rate 20k/s"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(
        of_runs(&bench.json("rate.json"), "rate_per_s").join(" "),
        "null 20000.0"
    );
    let options = "--duration 50ms --limit-memory 2GiB";
    let output = with(options, &["--duration", "20ms"], "time.json");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document = bench.json("time.json");
    assert_eq!(of_runs(&document, "duration_s").join(" "), "0.02 0.05");
    assert_eq!(document["runs"][1]["limit_memory_bytes"], 2_147_483_648_u64);

    for (arm, expected) in [
        ("--duration 1s", "takes one for all arms"),
        ("--warmup 1s", "--warmup is the time before --duration"),
        ("--rate 1k --driver rust", "--driver rust runs over"),
        ("--limit-memory 1MiB", "1 MiB"),
    ] {
        let output = with(arm, &["--records", "1k"], "refused.json");
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arm}: {message}");
        assert!(
            message.contains("arm `own`: ") && message.contains(expected),
            "{arm}: {message}"
        );
    }
}
