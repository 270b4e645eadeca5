"""Searches in recorded examinations and compares with measured times; see bench/guided.py.

bench/guided/README.md explains the columns.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys

from guided.plot import TRIALS, plot
from guided.record import KERNELS, RECORDS, ROOT, SEARCHED
from tuning.spaces import find_spaces, held_out

SEEN_TRIALS = 20  # spaces where the ensemble alone needs fewer are left out of the ratio


def search(name, records, measured, whole, options):
    spec = KERNELS / f"{name.partition('.')[0]}.toml"
    command = [options.program, *options.options.split(), "--seeds", str(options.seeds)]
    if whole:
        command.append("--whole")
    if options.svg:
        command += ["--trajectory", str(TRIALS)]
    command += [spec, records, measured]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr.strip()}")
    row = json.loads(done.stdout)
    if "missing" in row:
        return None
    best = row["optimum_us"]
    row.update(
        space=name,
        held_out=held_out(name),
        base=best / row["base_us"],
        search=row["predicted_best_us"] / row["guided_predicted_us"],
        model=best / row["exhaustive_us"],
        together=best / row["guided_us"],
        first=best / row["first_us"],
        tenth=best / row["top_tenth_us"],
    )
    if whole:  # of what was examined alone
        row.update(search=None, model=None, tenth=None)
    return row


def mean(values):
    """Geometric."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


SHARES = ("base", "search", "model", "together", "first", "tenth")


def trials(row, which, percent):
    """Mean over the seeds, with or without what the guided search found."""
    return row.get(f"{which}_{percent}", {"trials": [0, 0, 0]})["trials"][1]


def pays_from(row):
    """Seconds of a trial from which on seeding saves time on the way to 99 %, if compiling and
    predicting take one core as long as they did; infinite if it saves no trial."""
    saved = trials(row, "without", "99") - trials(row, "with", "99")
    return row["examine_seconds"] / saved if saved > 0 else math.inf


def share_text(share):
    return f" {'–':>8}" if share is None or math.isnan(share) else f" {share:8.3f}"


def show(title, rows):
    if not rows:
        return
    print(f"\n{title}")
    print(f"{'points':>7} {'compiled':>8}" + "".join(f" {share:>8}" for share in SHARES)
          + f" {'trials to 95 %':>16} {'trials to 99 %':>16} {'pays from':>10}")
    for row in sorted(rows, key=lambda row: row["space"]):
        part = "" if row["points"] == row["of"] else f" ({row['points']} of {row['of']} configurations)"
        reached = "".join(f" {trials(row, 'without', p):7.1f} → {trials(row, 'with', p):6.1f}" for p in ("95", "99"))
        print(f"{row['points']:7} {row['examined']:8}" + "".join(share_text(row[share]) for share in SHARES)
              + f"{reached} {pays_from(row):8.1f} s  {row['space']}{part}")
    line = "".join(share_text(mean(row[share] for row in rows if row[share] is not None)) for share in SHARES)
    for percent in ("95", "99"):
        ratios = [trials(row, "without", percent) / trials(row, "with", percent) for row in rows
                  if trials(row, "without", percent) >= SEEN_TRIALS]
        text = f"{mean(ratios):.1f}× fewer ({len(ratios)})" if ratios else "–"
        line += f" {text:>16}"
    print(f"{'mean':>7} {'':8}{line}")


def write_times(rows):
    """Measured times of the start, of what guided found and of the optimum, and tuning times."""
    print(f"\n{'base':>10} {'guided':>10} {'best':>10}   seconds of trials to 99 %, least, mean and most of the seeds")
    for row in sorted(rows, key=lambda row: row["space"]):
        spans = " → ".join("{:.3g} {:.3g} {:.3g}".format(*row[f"{which}_99"]["seconds"])
                           for which in ("without", "with") if f"{which}_99" in row)
        print(f"{row['base_us']:10.1f} {row['guided_us']:10.1f} {row['optimum_us']:10.1f}   {spans:30}  {row['space']}")


def main(words):
    parser = argparse.ArgumentParser(prog="guided.py table")
    parser.add_argument("--records", type=pathlib.Path, help="(default: bench/guided/records and searched)")
    parser.add_argument("--tuning", action="store_true", help="without the held-out spaces")
    parser.add_argument("--whole", action="store_true",
                        help="search the whole space, although only what the search needs was examined")
    parser.add_argument("--seeds", type=int, default=30, help="searches with and without seeding; 0: none")
    parser.add_argument("--options", default="", help="for bench_guided_search: '--most 40'")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bench/bench_guided_search")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--times", action="store_true", help="also in microseconds and seconds")
    parser.add_argument("--svg", type=pathlib.Path, metavar="FILE", help="trajectories with and without the seed")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("spaces", nargs="*", help="names (default: all that are recorded)")
    options = parser.parse_args(words)
    measured = find_spaces([])
    records = {}  # name: file, and whether it has only what the search asked for
    folders = {SEARCHED: True, RECORDS: False} if options.records is None else {options.records: options.whole}
    for folder, asked in folders.items():
        for file in sorted(folder.glob("*.jsonl*")):
            records[file.name.split(".jsonl")[0]] = (file, asked)
    names = [name for name in options.spaces or records if name in records and name in measured]
    if options.tuning:
        names = [name for name in names if not held_out(name)]
    if not names:
        sys.exit("no examinations; guided.py record makes them")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda n: search(n, records[n][0], measured[n], records[n][1], options), names))
    rows = [row for row in rows if row]
    show("held out", [row for row in rows if row["held_out"]])
    show("tuning", [row for row in rows if not row["held_out"]])
    show("all", rows)
    if options.svg:
        options.svg.write_text(plot(rows), encoding="utf-8")
    if options.times:
        write_times(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0
