#!/usr/bin/env python3
"""How fast burin predicts: CPU time, memory and warp instructions a second, of the accuracy launches.

    predict_speed.py                all launches, each in a process of its own on one thread
    predict_speed.py --match nbody  those whose name the expression finds
    predict_speed.py --slowest 20   so many of the slowest and of the largest are listed

A warp instruction counts where it was executed for what it does, and once more where it was replayed
for when; all of a process's CPU time counts, reading the file included. CPU time and not the clock's,
so that other programs on the computer do not count. Held-out kernels are in the sums, and not listed.
"""

import argparse
import pathlib
import re
import statistics
import sys

from accuracy.figures import percentile
from accuracy.holdout import held_out
from accuracy.predict import predict_all
from common.corpus import KERNELS, cubin_folder
from common.launches import read_list

ROOT = pathlib.Path(__file__).resolve().parents[1]
SLOW_SECONDS, LARGE_BYTES, LEAST_RATE = 2.0, 1 << 30, 2e6
WORTH_A_RATE = 0.05  # CPU seconds: under them, starting a process is most of it


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--lists", type=pathlib.Path, default=ROOT / "bench/accuracy")
    parser.add_argument("--kernels", type=pathlib.Path, default=KERNELS)
    parser.add_argument("--cubins", type=pathlib.Path, help="default: those of KERNELS")
    parser.add_argument("--machine", default="h200")
    parser.add_argument("--match", default="", metavar="PATTERN")
    parser.add_argument("--slowest", type=int, default=10, metavar="N")
    parser.add_argument("--jobs", type=int, help="predictions at a time (default: one per core)")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a prediction")
    options = parser.parse_args()
    options.burin = options.burin.resolve()
    options.cubins = options.cubins or cubin_folder(options.kernels)
    return options


def instructions(prediction):
    return prediction.content["executed"] + prediction.content["replayed"]


def rate(prediction):
    return instructions(prediction) / prediction.cpu_seconds


def print_some(title, rows, key, count):
    shown = [row for row in rows if not held_out(row[0].kernel)]
    print(f"\n{title:34} {'CPU s':>7} {'MiB':>7} {'executed k':>11} {'replayed k':>11} {'M/s':>6}")
    for launch, p in sorted(shown, key=lambda row: -key(row[1]))[:count]:
        print(
            f"{launch.name:34} {p.cpu_seconds:7.2f} {p.peak_bytes / (1 << 20):7.0f} "
            f"{p.content['executed'] / 1e3:11.0f} {p.content['replayed'] / 1e3:11.0f} "
            f"{rate(p) / 1e6:6.1f}"
        )


def print_sums(predictions):
    cpu = [p.cpu_seconds for p in predictions]
    peaks = [p.peak_bytes for p in predictions]
    rates = [rate(p) for p in predictions if p.cpu_seconds > WORTH_A_RATE]
    print(
        f"{len(cpu)} launches: CPU seconds median {statistics.median(cpu):.2f}, "
        f"P90 {percentile(cpu, 0.9):.2f}, at most {max(cpu):.2f}; "
        f"{sum(s > SLOW_SECONDS for s in cpu)} over {SLOW_SECONDS:g}"
    )
    print(
        f"memory median {statistics.median(peaks) / (1 << 20):.0f} MiB, "
        f"at most {max(peaks) / (1 << 20):.0f} MiB; {sum(b > LARGE_BYTES for b in peaks)} over 1 GiB"
    )
    print(
        f"{sum(map(instructions, predictions)) / sum(cpu) / 1e6:.1f} million warp instructions a "
        f"second over all; of a launch median {statistics.median(rates) / 1e6:.1f}, "
        f"least {min(rates) / 1e6:.1f}; {sum(r < LEAST_RATE for r in rates)} of {len(rates)} "
        f"under {LEAST_RATE / 1e6:g}"
    )


def main():
    options = arguments()
    chosen = re.compile(options.match)
    launches = read_list(options.lists / "launches.txt", options.kernels)
    launches = [launch for launch in launches if chosen.search(launch.name)]
    if not launches:
        sys.exit(f"no launch of {options.lists} matches '{options.match}'")
    told = predict_all([(launch, ("--threads", "1")) for launch in launches], options)
    rows = [(launch, p) for launch, p in zip(launches, told) if p.content]
    for launch, p in zip(launches, told):
        if not p.content:
            print(f"{launch.name}: {p.problem}")
    if not rows:
        return 3
    print_sums([p for _, p in rows])
    print_some("the slowest", rows, lambda p: p.cpu_seconds, options.slowest)
    print_some("the largest", rows, lambda p: p.peak_bytes, options.slowest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
