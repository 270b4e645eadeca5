#!/usr/bin/env python3
"""Does the blamer find who made an instruction wait?

    blame.py launches [--all]        the launches of bench/accuracy: their emulated stalls are blamed as
                                     if they were samples, and held against the causes that the
                                     emulator knew
    blame.py samples [CAPTURE…]      kernels with PC samples; against the emulator where the capture
                                     has the memory to repeat a launch, or is named as one of the
                                     pairs of bench/advice (default: the captures of these)

Coverage is the share of instructions with at most one source for each stall, before and after
pruning; `same` is the share of the stalls' weight that has the same cause. Without --all the kernels
and pairs that are held out are left alone. Needs build/bench/bench_blame, no GPU.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import sys

from accuracy.holdout import held_out
from accuracy.predict import run
from advice.pairs import read_pairs
from common.corpus import KERNELS, cubin_folder, unpacked
from common.launches import read_list

ROOT = pathlib.Path(__file__).resolve().parents[1]
SINGLE = 0.8  # coverage that most kernels should have


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["launches", "samples"])
    parser.add_argument("captures", nargs="*", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bench/bench_blame")
    parser.add_argument("--kernels", type=pathlib.Path, default=KERNELS)
    parser.add_argument("--list", type=pathlib.Path, default=ROOT / "bench/accuracy/launches.txt")
    parser.add_argument("--pairs", type=pathlib.Path, default=ROOT / "bench/advice/pairs.txt")
    parser.add_argument("--all", action="store_true", help="the held-out kernels too")
    parser.add_argument("--match", default="", metavar="REGEX", help="only launches named so")
    parser.add_argument("--jobs", type=int, help="processes at a time (default: one per core)")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one launch")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes it all there")
    options = parser.parse_args()
    options.cubins = cubin_folder(options.kernels)
    return options


def ask(name, words, options):
    """[what the program says], each with the name; what cannot be done is told on stderr."""
    status, text, said, _, _ = run([options.program.resolve(), *words], options.limit)
    if status != 0:
        print(f"{name}: {said.splitlines()[-1] if said else 'no end'}", file=sys.stderr)
        return []
    rows = [json.loads(line) for line in text.splitlines()]
    return [{"name": name if len(rows) == 1 else row["kernel"], **row} for row in rows]


def ask_launches(options):
    launches = [
        launch
        for launch in read_list(options.list, options.kernels)
        if re.search(options.match, launch.name) and (options.all or not held_out(launch.kernel))
    ]

    def one(launch):
        words = ["launch", options.cubins / launch.cubin, "--kernel", launch.kernel]
        return ask(launch.name, [*words, *launch.options, "--machine", "h200"], options)

    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        return [row for rows in pool.map(one, launches) for row in rows]


def ask_samples(options):
    pairs = read_pairs(options.pairs, options.kernels)
    slow = {pair.name: pair.slow for pair in pairs if pair.slow}
    hidden = {pair.name for pair in pairs if pair.held_out and not options.all}
    captures = options.captures or [
        file for file in sorted(unpacked("captures").glob("*.burin")) if file.stem not in hidden
    ]

    def repeated(launch):
        cubin = options.cubins / launch.cubin
        return [cubin, "--kernel", launch.kernel, *launch.options, "--machine", "h200"]

    def one(file):
        words = repeated(slow[file.stem]) if file.stem in slow else []
        return ask(file.stem, ["samples", file, *words], options)

    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        return [row for rows in pool.map(one, captures) for row in rows]


def by_stall(rows):
    """(stall, share of all, share compared, share with the same cause), the heaviest first."""
    sums = collections.defaultdict(lambda: [0.0, 0.0, 0.0])
    for row in rows:
        for stall, (weight, compared, same) in row.get("stalls", {}).items():
            sums[stall][0] += weight
            sums[stall][1] += weight * compared
            sums[stall][2] += weight * compared * same
    every = sum(weight for weight, _, _ in sums.values())
    for stall, (weight, compared, same) in sorted(sums.items(), key=lambda item: -item[1][0]):
        yield stall, weight / every, compared / weight, same / compared if compared else 0


def show(rows):
    print(f"{'instructions':>12} {'before':>7} {'after':>7} {'compared':>9} {'same':>7}  name")
    for row in rows:
        agreed = [f"{100 * row[k]:.1f} %" if k in row else "-" for k in ("compared", "same")]
        print(
            f"{row['instructions']:12} {row['coverage_before']:7.3f} {row['coverage_after']:7.3f}"
            f" {agreed[0]:>9} {agreed[1]:>7}  {row['name'][:60]}"
        )
    if not rows:
        return
    for when in ("before", "after"):
        single = sum(row[f"coverage_{when}"] > SINGLE for row in rows)
        print(f"coverage above {SINGLE} {when} pruning: {single} of {len(rows)}")
    print(f"slowest: {1000 * max(row['seconds'] for row in rows):.0f} ms")
    compared = [row for row in rows if "same" in row]
    if not compared:
        return
    # Every launch counts for the share of its cycles that waits for others.
    weights = [row["searched"] * row["compared"] for row in compared]
    same = sum(w * row["same"] for w, row in zip(weights, compared)) / max(1e-30, sum(weights))
    print(f"the same cause: {100 * same:.1f} % of the weight of {len(compared)}")
    for stall, weight, share, agreed in by_stall(compared):
        print(f"  {stall:18} {100 * weight:5.1f} %  compared {100 * share:5.1f} %, same {100 * agreed:5.1f} %")


def main():
    options = arguments()
    if options.what == "launches":
        rows = ask_launches(options)
    else:
        rows = ask_samples(options)
    show(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
