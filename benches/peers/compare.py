#!/usr/bin/env python3
"""Measures lycosa against an installed Tarantool, with the same workload file under both.

    cargo build --release
    python3 benches/peers/compare.py                         1M and 10M records, TREE and HASH
    python3 benches/peers/compare.py --records 1M --repetitions 15 --json peers.json
    python3 benches/peers/compare.py --records 1M --scaling  also 20M against 1M, lycosa alone

A repetition is a fresh process, and the two alternate (A B B A ...), so that a machine that
drifts or heats up does so under both. `benches/README.md` says how to read the table.
"""

import argparse
import datetime
import json
import math
import pathlib
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKLOADS = ROOT / "lua" / "workloads"
LYCOSA, TARANTOOL = "lycosa", "tarantool"
RESAMPLES = 10_000
SCALING_SIZES = (1_000_000, 20_000_000)


class Failed(Exception):
    """A run that gave no figure; the message says why."""


# --- Statistics ------------------------------------------------------------------------------

def median_interval(values, confidence=0.95):
    """Exact interval for the median from order statistics; None where there are too few values.

    The median lies below the k-th smallest of n values with the probability that a fair coin
    shows fewer than k heads in n throws, and above the k-th largest with the same.
    """
    ordered, n = sorted(values), len(values)
    below, rank = 0.0, 0
    for k in range(n // 2):
        below += math.comb(n, k) / 2 ** n
        if 2 * below > 1 - confidence:
            break
        rank = k + 1
    return (ordered[rank - 1], ordered[n - rank]) if rank else None


def ratio_interval(left, right, confidence=0.95):
    """Percentile bootstrap interval for the ratio of the medians; the seed is fixed."""
    draw = random.Random(1)
    ratios = sorted(
        statistics.median(draw.choices(left, k=len(left)))
        / statistics.median(draw.choices(right, k=len(right)))
        for _ in range(RESAMPLES)
    )
    cut = round(RESAMPLES * (1 - confidence) / 2)
    return ratios[cut], ratios[-1 - cut]


# --- Runs ------------------------------------------------------------------------------------

def run_program(command, directory=None):
    """Standard output of a program that succeeded."""
    try:
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, cwd=directory)
    except OSError as error:
        raise Failed(f"cannot start {command[0]}: {error}") from error
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it printed nothing"]
        raise Failed(f"{command[0]} left with {done.returncode}: " + "\n  ".join(lines[-5:]))
    return done.stdout


class Peers:
    """Starts repetitions of either program."""

    def __init__(self, arguments, directory):
        self.arguments = arguments
        self.saved = pathlib.Path(directory) / "repetition.json"

    def common_options(self, records):
        return ["--workload", WORKLOADS / "insert.lua", "--records", records,
                "--fibers", self.arguments.fibers, "--ops-per-txn", self.arguments.ops_per_txn]

    def repetition(self, peer, records, index):
        """One repetition in a process of its own, as both programs describe it."""
        memory_bytes = self.arguments.memory
        if peer == LYCOSA:
            run_program([
                self.arguments.lycosa, "run", "--quiet", "--repeat", 1, "--cold", 0,
                "--json", self.saved, "--index", index.lower(), "--memory", f"{memory_bytes}B",
                *self.common_options(records)])
            return json.loads(self.saved.read_text())["runs"][0]
        output = run_program([
            self.arguments.tarantool, WORKLOADS / "run.lua", "--index", index,
            "--memory", memory_bytes, *self.common_options(records)])
        return json.loads(output.strip().splitlines()[-1])

    def versions(self):
        context = json.loads(run_program([self.arguments.lycosa, "env", "--json"]))
        version = run_program([self.arguments.tarantool, "--version"]).splitlines()[0]
        return {LYCOSA: context, TARANTOOL: version}


def interleave(peers, repetitions):
    """A B B A A B B A ...: each peer `repetitions` times."""
    for pair in range(repetitions):
        yield from peers if pair % 2 == 0 else reversed(peers)


def measure(programs, peers, records, index, repetitions):
    """One repetition of each that does not count, then the ones that do."""
    runs = {peer: [] for peer in peers}
    checksums = set()
    order = [(peer, True) for peer in peers]
    order += [(peer, False) for peer in interleave(peers, repetitions)]
    for position, (peer, cold) in enumerate(order):
        show(f"{records:>12,} {index:<5} {position + 1}/{len(order)} {peer}")
        run = programs.repetition(peer, records, index)
        run.update(arm=peer, cold=cold)
        checksums.add(run["checksum"])
        if len(checksums) > 1:
            raise Failed(f"checksums differ: {', '.join(sorted(checksums))}")
        runs[peer].append(run)
    show("")
    return runs


# --- Report ----------------------------------------------------------------------------------

def show(text):
    """A line that the next one replaces, where somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def summarize(runs):
    counted = [run for run in runs if not run["cold"]]
    rates = [run["ops_per_s"] for run in counted]
    interval = median_interval(rates)
    return {
        "n": len(counted),
        "inserts_per_s": statistics.median(rates),
        "ci_low": interval and interval[0],
        "ci_high": interval and interval[1],
        "bytes_per_record": statistics.median(run["bytes_per_record"] for run in counted),
        "checksum": counted[0]["checksum"],
    }


def compare(programs, records, index, repetitions):
    runs = measure(programs, (LYCOSA, TARANTOOL), records, index, repetitions)
    summary = {peer: summarize(of_peer) for peer, of_peer in runs.items()}
    rates = {peer: [run["ops_per_s"] for run in of_peer if not run["cold"]]
             for peer, of_peer in runs.items()}
    low, high = ratio_interval(rates[LYCOSA], rates[TARANTOOL])
    entry = {
        "records": records, "index": index, **summary,
        "ratio": summary[LYCOSA]["inserts_per_s"] / summary[TARANTOOL]["inserts_per_s"],
        "ratio_ci_low": low, "ratio_ci_high": high,
    }
    return entry, [run for of_peer in runs.values() for run in of_peer]


def scaling(programs, index, repetitions):
    """Lycosa's time of one insert in a large space over that in a small one."""
    nanoseconds, everything = {}, []
    for records in SCALING_SIZES:
        runs = measure(programs, (LYCOSA,), records, index, repetitions)[LYCOSA]
        nanoseconds[records] = 1e9 / summarize(runs)["inserts_per_s"]
        everything += runs
    small, large = SCALING_SIZES
    entry = {
        "index": index, "records_small": small, "records_large": large,
        "insert_small_ns": nanoseconds[small], "insert_large_ns": nanoseconds[large],
        "ratio": nanoseconds[large] / nanoseconds[small],
    }
    return entry, everything


def millions(rate):
    return "-" if rate is None else f"{rate / 1e6:.2f}"


HEADER = ("| records | index | lycosa, M inserts/s | Tarantool, M inserts/s | ratio "
          "| bytes a record: lycosa | Tarantool |\n|---|---|---|---|---|---|---|")


def row(entry):
    def rate(peer):
        of_peer = entry[peer]
        return (f"{millions(of_peer['inserts_per_s'])} "
                f"[{millions(of_peer['ci_low'])}, {millions(of_peer['ci_high'])}]")
    return (f"| {entry['records']:,} | {entry['index']} | {rate(LYCOSA)} | {rate(TARANTOOL)} "
            f"| {entry['ratio']:.2f} [{entry['ratio_ci_low']:.2f}, {entry['ratio_ci_high']:.2f}] "
            f"| {entry[LYCOSA]['bytes_per_record']:.1f} "
            f"| {entry[TARANTOOL]['bytes_per_record']:.1f} |")


def report(arguments, directory):
    programs = Peers(arguments, directory)
    document = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": platform.platform(), "programs": programs.versions(),
        "comparisons": [], "scaling": [], "runs": [],
    }
    try:
        print(HEADER)
        for records in arguments.records:
            for index in arguments.index:
                entry, runs = compare(programs, records, index, arguments.repetitions)
                document["comparisons"].append(entry)
                document["runs"] += runs
                print(row(entry), flush=True)
        for index in arguments.index if arguments.scaling else []:
            entry, runs = scaling(programs, index, arguments.repetitions)
            document["scaling"].append(entry)
            document["runs"] += runs
            print(f"\nlycosa, {index}: {entry['insert_large_ns']:.0f} ns an insert at "
                  f"{entry['records_large']:,} records over {entry['insert_small_ns']:.0f} ns at "
                  f"{entry['records_small']:,}: {entry['ratio']:.2f}", flush=True)
    finally:
        # Comparisons that were whole before a failure or an interruption are kept too.
        if arguments.json and document["runs"]:
            arguments.json.write_text(json.dumps(document, indent=2) + "\n")


# --- Arguments -------------------------------------------------------------------------------

def count(text):
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kM]?)", text.strip())
    value = found and float(found[1]) * {"": 1, "k": 10**3, "M": 10**6}[found[2]]
    if not value or value != int(value):
        raise argparse.ArgumentTypeError(f"`{text}` is no count; write 250k, 1M or 1000000")
    return int(value)


def counts(text):
    return [count(part) for part in text.split(",")]


def indexes(text):
    names = [part.strip().upper() for part in text.split(",")]
    if not set(names) <= {"TREE", "HASH"}:
        raise argparse.ArgumentTypeError(f"`{text}` is none of TREE, HASH, TREE,HASH")
    return names


def size(text):
    found = re.fullmatch(r"(\d+)([MG]iB)", text.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"`{text}` is no size; write 512MiB or 4GiB")
    return int(found[1]) * {"MiB": 1 << 20, "GiB": 1 << 30}[found[2]]


def program(text):
    found = shutil.which(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"there is no program `{text}`")
    # Some are started in another folder.
    return str(pathlib.Path(found).resolve())


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", metavar="N,...", type=counts, default="1M,10M",
                        help="sizes of the filled space (default: %(default)s)")
    parser.add_argument("--index", metavar="KIND,...", type=indexes, default="TREE,HASH",
                        help="kinds of its primary index (default: %(default)s)")
    parser.add_argument("--repetitions", metavar="N", type=count, default="11",
                        help="of each program, beside one that does not count "
                             "(default: %(default)s; below 6 there is no interval)")
    parser.add_argument("--fibers", metavar="N", type=count, default="50",
                        help="concurrent fibers (default: %(default)s)")
    parser.add_argument("--ops-per-txn", metavar="N", type=count, default="100",
                        help="inserts of one transaction (default: %(default)s)")
    parser.add_argument("--memory", metavar="SIZE", type=size, default="4GiB",
                        help="quota of both (default: %(default)s)")
    parser.add_argument("--scaling", action="store_true",
                        help="also lycosa's time of an insert at 20M records over that at 1M")
    add_common_arguments(parser)
    return parser.parse_args()


def add_common_arguments(parser):
    """What is saved, and which programs are compared."""
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path,
                        help="saves everything, raw repetitions included")
    parser.add_argument("--lycosa", metavar="PROGRAM", type=program,
                        default=str(ROOT / "target" / "release" / "lycosa"),
                        help="(default: this clone's release build)")
    parser.add_argument("--tarantool", metavar="PROGRAM", type=program, default="tarantool",
                        help="(default: the one on PATH)")


def end_with(main):
    """Runs a script's main function; a failure is one line, and Ctrl-C none."""
    try:
        main()
    except Failed as error:
        show("")
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        show("")
        sys.exit(130)


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as directory:
        report(arguments, directory)


if __name__ == "__main__":
    end_with(main)
