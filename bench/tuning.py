#!/usr/bin/env python3
"""How good are the search strategies, by the published method of Willemsen et al. (FGCS 2024)?

    tuning.py score [--strategy NAME]… [--seeds 100] [SPACE…]
    tuning.py faults [--device opencl:0] [--trials 1000] [--kills 10]    see bench/tuning/faults.py
    tuning.py overhead [--device opencl:0]…                              see bench/tuning/overhead.py
    tuning.py repeat [--device cuda:0]                                   see bench/tuning/repeat.py

SPACE is a recorded space (T4 or a cache file of Kernel Tuner, plain or .gz) or a folder of them;
default: bench/tuning/spaces. The score is 0 for random search and 1 for who has the optimum at once;
bench/tuning/score.h defines it. A third of the spaces is held out: while choosing constants, use
--tuning, which leaves them alone. Needs build/bench/bench_tuning_score, no GPU.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

from tuning import faults, overhead, repeat
from tuning.spaces import find_spaces, held_out

ROOT = pathlib.Path(__file__).resolve().parents[1]
SMALL = 500  # points; smaller spaces are listed separately


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["score"])
    parser.add_argument("spaces", nargs="*", type=pathlib.Path)
    parser.add_argument("--strategy", action="append", metavar="NAME", help="default: ensemble")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--ahead", type=int, default=1, help="points measured at once")
    parser.add_argument("--tuning", action="store_true", help="without the held-out spaces")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bench/bench_tuning_score")
    parser.add_argument("--jobs", type=int, help="processes at a time (default: one per core)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes it all there")
    options = parser.parse_intermixed_args()
    options.strategy = options.strategy or ["ensemble"]
    return options


def score(name, file, options):
    """[one row for each strategy] of one space."""
    command = [options.program, "--seeds", str(options.seeds), "--ahead", str(options.ahead)]
    for strategy in options.strategy:
        command += ["--strategy", strategy]
    done = subprocess.run([*command, file], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"{name}: {options.program.name} ended with {done.returncode}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [{"space": name, "held_out": held_out(name), **row} for row in rows]


def show(title, rows, strategies):
    """A line for each space of a group, and their mean."""
    if not rows:
        return
    spaces = {}
    for row in rows:
        spaces.setdefault(row["space"], {})[row["strategy"]] = row
    print(f"\n{title}")
    print(f"{'points':>8} {'valid':>7} {'random':>7}" + "".join(f" {s[:12]:>12}" for s in strategies))
    for name, by_strategy in sorted(spaces.items()):
        any_row = next(iter(by_strategy.values()))
        scores = "".join(f" {by_strategy[s]['score']:12.3f}" for s in strategies)
        print(f"{any_row['points']:8} {any_row['valid']:7} {any_row['evaluations']:7.0f}{scores}  {name}")
    means = [sum(by[s]["score"] for by in spaces.values()) / len(spaces) for s in strategies]
    print(f"{'mean of ' + str(len(spaces)):>24}" + "".join(f" {mean:12.3f}" for mean in means))


OTHERS = {"faults": faults.main, "overhead": overhead.main, "repeat": repeat.main}  # each with options of its own


def main():
    if len(sys.argv) > 1 and sys.argv[1] in OTHERS:
        return OTHERS[sys.argv[1]](sys.argv[2:])
    options = arguments()
    spaces = find_spaces(options.spaces)
    if options.tuning:
        spaces = {name: file for name, file in spaces.items() if not held_out(name)}
    if not spaces:
        sys.exit("no recorded spaces: name some, or record them into bench/tuning/spaces")
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        found = pool.map(lambda item: score(*item, options), spaces.items())
        rows = [row for rows in found for row in rows]
    large = [row for row in rows if row["points"] >= SMALL]
    small = [row for row in rows if row["points"] < SMALL]
    print(f"Score of {options.seeds} runs each; random: evaluations of random search until the cut-off.")
    for words, group in ((f"of {SMALL} points or more", large), (f"of fewer than {SMALL} points", small)):
        show(f"held out, {words}", [row for row in group if row["held_out"]], options.strategy)
        show(f"tuning, {words}", [row for row in group if not row["held_out"]], options.strategy)
    if len(spaces) > 1:
        show("all", rows, options.strategy)
    print("\ntrials a second, on one core:")
    for strategy in options.strategy:
        mine = [row for row in rows if row["strategy"] == strategy]
        seconds = sum(row["trials"] / max(1, row["trials_per_second"]) for row in mine)
        print(f"{sum(row['trials'] for row in mine) / max(1e-9, seconds):12,.0f}  {strategy}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
