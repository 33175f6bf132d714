#!/usr/bin/env python3
"""Checks one saved result: a document of `lycosa run --json`, or the line that
`lua/workloads/run.lua` prints under Tarantool.

Documented keys are all there, counts and times fit each other, every repetition left the same
data behind. Across results, `--checksum-file` holds the checksum that all of them must share: the
first result writes it.
"""

import argparse
import json
import pathlib
import re
import sys

CONTEXT_KEYS = {
    "binary_arch", "cpu", "date", "git_revision", "host_arch", "host_name", "jit",
    "load_average", "lycosa_version", "os", "profile", "rustc", "translator",
}
# What a repetition has under Lycosa and under Tarantool.
SHARED_RUN_KEYS = {
    "arm", "bytes_per_record", "checksum", "cpu_s", "fibers", "index", "jit_aborts",
    "jit_traces", "ops", "ops_per_s", "ops_per_txn", "peak_rss_bytes", "records",
    "txn_latency_ns", "wall_s", "workload",
}
RUN_KEYS = SHARED_RUN_KEYS | {
    "cold", "driver", "jit", "memory_bytes", "repetition", "seed", "settings",
}
LATENCY_KEYS = {"count", "max", "p50", "p95", "p99", "p999"}
SUMMARY_KEYS = {"arm", "n", "ops_per_s", "records", "txn_latency_ns", "wall_s", "workload"}
WALL_KEYS = {"ci_high", "ci_low", "cv", "mad", "max", "median", "min"}


class Wrong(Exception):
    """What a result has that it must not have."""


def demand(condition, message):
    if not condition:
        raise Wrong(message)


def demand_keys(where, value, keys):
    demand(isinstance(value, dict), f"{where} is {value!r}, not an object")
    missing = sorted(keys - value.keys())
    demand(not missing, f"{where} lacks {', '.join(missing)}")


def check_run(where, run, keys, records):
    demand_keys(where, run, keys)
    demand_keys(f"{where}.txn_latency_ns", run["txn_latency_ns"], LATENCY_KEYS)
    demand(run["records"] == records, f"{where} has {run['records']} records, not {records}")
    demand(run["ops"] == records, f"{where} did {run['ops']} operations, not {records}")
    demand(run["wall_s"] > 0 and run["cpu_s"] > 0, f"{where} took no time")
    rate = run["ops"] / run["wall_s"]
    demand(abs(run["ops_per_s"] / rate - 1) < 1e-6, f"{where}.ops_per_s is not ops / wall_s")
    latency = run["txn_latency_ns"]
    transactions = -(-records // run["ops_per_txn"])
    demand(
        latency["count"] == transactions,
        f"{where} timed {latency['count']} transactions, not {transactions}",
    )
    percentiles = [latency[key] for key in ("p50", "p95", "p99", "p999", "max")]
    demand(percentiles == sorted(percentiles), f"{where}: percentiles fall: {percentiles}")
    demand(run["bytes_per_record"] > 0, f"{where}.bytes_per_record is not positive")
    demand(run["peak_rss_bytes"] > 0, f"{where}.peak_rss_bytes is not positive")
    demand(
        re.fullmatch("[0-9a-f]{16}", str(run["checksum"])),
        f"{where}.checksum is {run['checksum']!r}, not 16 hexadecimal digits",
    )


def check_document(document, records, repetitions, cold):
    """Answers with the repetitions."""
    demand_keys("the result", document, {"context", "runs", "status", "summary"})
    demand_keys("context", document["context"], CONTEXT_KEYS)
    demand(document["status"] == "complete", f"status is {document['status']!r}")
    runs = document["runs"]
    for position, run in enumerate(runs):
        check_run(f"runs[{position}]", run, RUN_KEYS, records)
    counted = [run["wall_s"] for run in runs if not run["cold"]]
    demand(len(counted) == repetitions, f"{len(counted)} runs count, not {repetitions}")
    demand(len(runs) - len(counted) == cold, f"{len(runs) - len(counted)} runs are cold, not {cold}")
    demand(len(document["summary"]) == 1, f"the summary has {len(document['summary'])} entries")
    summary = document["summary"][0]
    demand_keys("summary[0]", summary, SUMMARY_KEYS)
    demand_keys("summary[0].wall_s", summary["wall_s"], WALL_KEYS)
    demand(summary["n"] == repetitions, f"summary[0].n is {summary['n']}, not {repetitions}")
    wall = summary["wall_s"]
    demand(
        (wall["min"], wall["max"]) == (min(counted), max(counted)),
        "summary[0].wall_s does not span the runs",
    )
    demand(wall["min"] <= wall["median"] <= wall["max"], "the median lies outside its runs")
    return runs


def look_up(value, path):
    """The values at a dotted path; a list on the way means each of its entries."""
    values = [value]
    for key in filter(None, path.split(".")):
        values = [inner for entry in values
                  for inner in (entry if isinstance(entry, list) else [entry])]
        for entry in values:
            demand(isinstance(entry, dict) and key in entry, f"there is no {path}")
        values = [entry[key] for entry in values]
    return values


def check_expectation(document, expectation):
    path, _, wanted = expectation.partition("=")
    for found in look_up(document, path):
        text = found if isinstance(found, str) else json.dumps(found)
        demand(text == wanted, f"{path} is {text}, not {wanted}")


def check_checksums(runs, path):
    """All repetitions agree, and agree with the results before this one."""
    checksums = sorted({run["checksum"] for run in runs})
    demand(len(checksums) == 1, f"checksums differ: {', '.join(checksums)}")
    if path is None:
        return
    if path.exists():
        shared = path.read_text()
        demand(checksums[0] == shared, f"checksum is {checksums[0]}, elsewhere it was {shared}")
    else:
        path.write_text(checksums[0])


def check(arguments):
    document = json.loads(arguments.result.read_text())
    if "runs" in document:
        runs = check_document(
            document, arguments.records, arguments.repetitions, arguments.cold)
    else:
        runs = [document]
        check_run("the result", document, SHARED_RUN_KEYS, arguments.records)
    for expectation in arguments.expect:
        check_expectation(document, expectation)
    check_checksums(runs, arguments.checksum_file)
    print(f"{arguments.result.name}: {len(runs)} runs, checksum {runs[0]['checksum']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--records", type=int, required=True)
    parser.add_argument("--repetitions", type=int, default=1, help="that count")
    parser.add_argument("--cold", type=int, default=0, help="repetitions that do not count")
    parser.add_argument("--checksum-file", type=pathlib.Path)
    parser.add_argument("--expect", metavar="PATH=VALUE", action="append", default=[])
    arguments = parser.parse_args()
    try:
        check(arguments)
    except (Wrong, OSError, ValueError) as error:
        sys.exit(f"{arguments.result}: {error}")


if __name__ == "__main__":
    main()
