#!/usr/bin/env python3
"""Checks a document of `lycosa compare --json`: an arm beside `native`, which it must be slower than
beyond doubt unless told otherwise, under the translator and for the architecture that it claims, with
the same data.
"""

import argparse
import json
import pathlib
import sys


def faults(document, arguments):
    """What the document has that it must not have, as sentences."""
    arm = arguments.arm
    if document["status"] != "complete":
        yield f"it is {document['status']}"
    own = [run for run in document["runs"] if run["arm"] == arm]
    if not own:
        yield f"arm {arm} did not run"
    for key, expected in [("translator", arguments.translator), ("binary_arch", arguments.arch)]:
        found = {run[key] for run in own}
        if expected is not None and found != {expected}:
            yield f"arm {arm} has {key} {sorted(map(str, found))}, not {expected}"
    checksums = {}
    for run in document["runs"]:
        data = (run["workload"], run["records"], run["fibers"], run["index"])
        checksums.setdefault(data, set()).add(run["checksum"])
    for data, found in checksums.items():
        if len(found) != 1 or "" in found:
            yield f"{data} has checksums {sorted(found)}"
    compared = [entry for entry in document["comparisons"] if entry["arm"] == arm]
    if not compared:
        yield f"arm {arm} is not compared"
    for entry in [] if arguments.any_ratio else compared:
        for point in entry["points"]:
            where = f"{point['driver']}, {point['records']} records"
            if point["verdict"] != "difference" or not point["ci_low"] > 1:
                yield (f"{where}: ratio {point['ratio']} [{point['ci_low']}, {point['ci_high']}] is "
                       f"called {point['verdict']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--arm", required=True)
    parser.add_argument("--translator", help="by the worker's own account")
    parser.add_argument("--arch", help="of the binary, by the worker's own account")
    parser.add_argument("--any-ratio", action="store_true",
                        help="does not ask which is slower: there are too few repetitions to tell")
    arguments = parser.parse_args()
    found = list(faults(json.loads(arguments.document.read_text()), arguments))
    for fault in found:
        print(f"{arguments.document.name}: {fault}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
