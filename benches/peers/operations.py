#!/usr/bin/env python3
"""Measures single operations under lycosa and under an installed Tarantool, from the same Lua file.

    cargo build --release
    python3 benches/peers/operations.py                          every operation
    python3 benches/peers/operations.py --only get,select-10     some of them
    python3 benches/peers/operations.py --repetitions 11 --json operations.json

Each repetition is a fresh process of `operations.lua`, and the two programs alternate (A B B A ...).
Times are processor time of the thread that works; `benches/README.md` says how to read the table.
"""

import argparse
import json
import pathlib
import statistics
import tempfile
import time

from compare import (Failed, LYCOSA, TARANTOOL, add_common_arguments, count, end_with, interleave,
                     ratio_interval, run_program, show)

SCRIPT = pathlib.Path(__file__).with_name("operations.lua")
START = "start"
DELETED = "deleted"

# Rows of the table: what is measured, the operation of `operations.lua` and its settings.
ROWS = [
    ("insert, TREE", "insert", {"index": "TREE"}),
    ("insert, HASH", "insert", {"index": "HASH"}),
    ("insert, TREE, JIT off", "insert", {"index": "TREE", "jit": "off"}),
    ("replace over existing keys, TREE", "replace", {"index": "TREE"}),
    ("replace over existing keys, HASH", "replace", {"index": "HASH"}),
    ("replace, TREE, JIT off", "replace", {"index": "TREE", "jit": "off"}),
    ("get, random keys, TREE", "get", {"index": "TREE"}),
    ("get, random keys, HASH", "get", {"index": "HASH"}),
    ("get, TREE, JIT off", "get", {"index": "TREE", "jit": "off"}),
    ("a tuple of a select of 10", "select-10", {}),
    ("a tuple of a select of 1,000", "select-1000", {}),
    ("a tuple of pairs", "pairs", {}),
    ("update {'+', 2, 1}", "update", {}),
    ("delete", "delete", {}),
    ("upsert {'+', 2, 1}", "upsert", {}),
    ("fiber switch, 50 fibers", "switch", {"fibers": 50}),
    ("fiber switch, 10,000 fibers", "switch", {"fibers": 10000}),
    ("fiber.create to its end", "create", {}),
    ("start to the first insert (wall, whole process)", START, {}),
]

FIRST_INSERT = ("box.cfg({log_level = 2, wal_mode = 'none', checkpoint_interval = 0}) "
                "local s = box.schema.space.create('s') s:create_index('primary') "
                "s:insert({1, 'first'}) os.exit(0)")


def command(arguments, peer, *rest):
    if peer == LYCOSA:
        return [arguments.lycosa, "exec", *rest]
    return [arguments.tarantool, *rest]


def repetition(arguments, peer, operation, settings):
    """What one process says: `ns` of an operation, and its `check`."""
    # Tarantool leaves files where it runs.
    with tempfile.TemporaryDirectory() as directory:
        if operation == START:
            started = time.perf_counter()
            run_program(command(arguments, peer, "-e", FIRST_INSERT), directory)
            return {"ns": (time.perf_counter() - started) * 1e9, "check": None}
        given = {"records": arguments.records, **settings}
        options = [f"{key}={value}" for key, value in given.items()]
        output = run_program(command(arguments, peer, SCRIPT, operation, *options), directory)
        return json.loads(output.strip().splitlines()[-1])


def measure(arguments, row):
    label, operation, settings = row
    runs = {LYCOSA: [], TARANTOOL: []}
    order = list(interleave((LYCOSA, TARANTOOL), arguments.repetitions))
    checks = set()
    for position, peer in enumerate(order):
        show(f"{label}  {position + 1}/{len(order)} {peer}")
        run = repetition(arguments, peer, operation, settings)
        checks.add(json.dumps(run["check"]))
        runs[peer].append(run["ns"])
    show("")
    if len(checks) > 1:
        raise Failed(f"{label}: the results differ: {', '.join(sorted(checks))}")
    medians = {peer: statistics.median(of_peer) for peer, of_peer in runs.items()}
    low, high = ratio_interval(runs[TARANTOOL], runs[LYCOSA])
    return {"operation": label, "settings": settings, "runs_ns": runs, "median_ns": medians,
            "ratio": medians[TARANTOOL] / medians[LYCOSA], "ratio_ci_low": low, "ratio_ci_high": high}


def time_text(nanoseconds):
    if nanoseconds < 10_000:
        return f"{nanoseconds:.0f} ns"
    return f"{nanoseconds / 1e6:.1f} ms"


def line(entry):
    medians = entry["median_ns"]
    return (f"| {entry['operation']} | {time_text(medians[LYCOSA])} | {time_text(medians[TARANTOOL])} "
            f"| {entry['ratio']:.2f} [{entry['ratio_ci_low']:.2f}, {entry['ratio_ci_high']:.2f}] |")


def deleted(arguments):
    """What is left of a gibibyte of tuples that were deleted, under lycosa."""
    check = repetition(arguments, LYCOSA, DELETED, {"memory": arguments.memory})["check"]
    print(f"\nOf {check['bytes'] / 2**30:.2f} GiB of tuples and their index, deleted again, lycosa keeps "
          f"{100 * check['quota']:.1f} % of the quota and {100 * check['resident']:.1f} % of the resident memory.")
    return check


def report(arguments):
    wanted = [row for row in ROWS if not arguments.only or row[1] in arguments.only]
    document = {"records": arguments.records, "rows": []}
    try:
        if wanted:
            print("| operation | lycosa | Tarantool | ratio |\n|---|---|---|---|")
        for row in wanted:
            entry = measure(arguments, row)
            document["rows"].append(entry)
            print(line(entry), flush=True)
        if not arguments.only or DELETED in arguments.only:
            document["deleted"] = deleted(arguments)
    finally:
        if arguments.json and document["rows"]:
            arguments.json.write_text(json.dumps(document, indent=2) + "\n")


def names(text):
    known = {row[1] for row in ROWS} | {DELETED}
    found = text.split(",")
    unknown = set(found) - known
    if unknown:
        raise argparse.ArgumentTypeError(
            f"no operation `{sorted(unknown)[0]}`; there are {', '.join(sorted(known))}")
    return found


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME,...", type=names, default=[],
                        help="operations of `operations.lua` (default: all)")
    parser.add_argument("--records", metavar="N", type=count, default="1M",
                        help="operations, and tuples in the space (default: %(default)s)")
    parser.add_argument("--repetitions", metavar="N", type=count, default="6",
                        help="of each program (default: %(default)s)")
    parser.add_argument("--memory", metavar="BYTES", type=int, default=1 << 30,
                        help="of the tuples that are deleted again (default: 1 GiB)")
    add_common_arguments(parser)
    return parser.parse_args()


def main():
    report(parse_arguments())


if __name__ == "__main__":
    end_with(main)
