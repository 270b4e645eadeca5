#!/usr/bin/env python3
"""Are the launches of a capture replayed bit for bit?

    replay.py CAPTURE…      runs every launch whose memory was recorded, with --check, and prints a
                            row for each kernel: how many of its launches leave what the GPU left,
                            and what there is to say about the others
    replay.py --show        prints the rows that are kept

The rows go to --results FILE where it is given (bench/record/results/replay.h200.json is kept), with the
GPU and the driver they were recorded with. `--jobs N` runs so many launches at a time. Exits 1
where a launch differs.
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "bench/record/results/replay.h200.json"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("captures", nargs="*", type=pathlib.Path, metavar="CAPTURE")
    parser.add_argument("--burin", default=str(ROOT / "build/burin"))
    parser.add_argument("--limit", type=float, default=120, help="seconds for a launch (120)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--show", action="store_true")
    return parser.parse_args()


def inspect(burin, capture):
    listed = subprocess.run(
        [burin, "inspect", str(capture), "--json"], capture_output=True, text=True, check=True
    )
    return json.loads(listed.stdout)


def replay(burin, capture, number, limit):
    """(whether it leaves what the GPU left, a sentence about it or "")."""
    command = [burin, "run", f"{capture}:{number}", "--check", "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return False, f"did not end in {limit:g} seconds"
    said = done.stderr.strip().split("\n")[-1].removeprefix("burin: ")
    if not done.stdout:
        return False, said or f"burin run ended with status {done.returncode}"
    report = json.loads(done.stdout)
    equal = bool(report["checks"]) and all(check["passed"] for check in report["checks"])
    kinds = collections.Counter(fault["kind"] for fault in report["faults"])
    found = ", ".join(f"{count} × {kind}" for kind, count in kinds.items())
    return equal, f"equal, and burin finds {found}" if equal and found else said


def rows_of(report, outcomes):
    """A row for each kernel, in the order of launching; `outcomes` are by the launch's number."""
    names = {kernel["id"]: kernel["demangled"] for kernel in report["kernels"]}
    rows = {}
    for launch in report["launches"]:
        if launch["id"] not in outcomes:
            continue
        row = rows.setdefault(
            names[launch["kernel"]],
            {"kernel": names[launch["kernel"]], "launches": 0, "equal": 0, "notes": {}},
        )
        equal, sentence = outcomes[launch["id"]]
        row["launches"] += 1
        row["equal"] += equal
        if sentence:
            row["notes"][str(launch["id"])] = sentence
    return list(rows.values())


def replay_all(capture, options):
    report = inspect(options.burin, capture)
    numbers = [launch["id"] for launch in report["launches"] if launch["memory"]]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = pool.map(
            lambda number: replay(options.burin, capture, number, options.limit), numbers
        )
        rows = rows_of(report, dict(zip(numbers, outcomes)))
    process = report["processes"][0]
    return {
        "program": " ".join(pathlib.Path(word).name for word in process["command"]),
        "gpu": report["gpus"][0]["name"],
        "cuda": process["driver_version"],
        "replayed": datetime.date.today().isoformat(),
        "launches": len(report["launches"]),
        "rows": rows,
    }


def show(name, entry):
    tried = sum(row["launches"] for row in entry["rows"])
    equal = sum(row["equal"] for row in entry["rows"])
    print(f"{name}: {entry['program']} on {entry['gpu']}, {entry['launches']} launches")
    print(f"{'launches':>8} {'equal':>6}  kernel")
    for row in entry["rows"]:
        print(f"{row['launches']:>8} {row['equal']:>6}  {row['kernel'][:100]}")
        for number, sentence in row["notes"].items():
            print(f"{'':>16}  {number}: {sentence[:160]}")
    print(f"{equal} of {tried} launches leave what the GPU left, bit for bit\n")
    return equal == tried


def main():
    options = arguments()
    kept = {"schema": "burin.bench.replay/1", "captures": {}}
    if options.show:
        options.results = options.results or KEPT
    if options.results and options.results.exists():
        kept = json.loads(options.results.read_text())
    if options.show:
        return 0 if all([show(*each) for each in kept["captures"].items()]) else 1
    all_equal = True
    for capture in options.captures:
        entry = replay_all(capture, options)
        all_equal = show(capture.name, entry) and all_equal
        kept["captures"][capture.stem] = entry
        if options.results:
            options.results.write_text(json.dumps(kept, indent=1) + "\n")
    return 0 if all_equal else 1


if __name__ == "__main__":
    sys.exit(main())
