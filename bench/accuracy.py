#!/usr/bin/env python3
"""How far is the time that burin predicts from the time that a GPU takes?

    accuracy.py measure             times, sweeps and counters of an H200, kept in bench/results
                                    (needs a GPU; ncu counts)

The launches stand in bench/accuracy/launches.txt and sweeps.txt; README.md beside them tells more.
`--match PATTERN` takes those whose name the regular expression finds.
"""

import argparse
import pathlib
import re
import sys

from accuracy import measure
from accuracy.sweeps import read_sweeps
from exact.launches import read_list
from exact.results import Results

ROOT = pathlib.Path(__file__).resolve().parents[1]
STEPS = "times,sweeps,counters"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["measure"])
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--lists", type=pathlib.Path, default=ROOT / "bench/accuracy")
    parser.add_argument("--kernels", type=pathlib.Path, default=ROOT / "bench/kernels")
    parser.add_argument("--cubins", type=pathlib.Path, help="default: KERNELS/cubin")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results")
    parser.add_argument("--match", default="", metavar="PATTERN")
    group = parser.add_argument_group("measure")
    group.add_argument("--steps", default=STEPS, help=f"some of {STEPS}")
    group.add_argument("--seconds", type=float, default=500, help="then the rest is for next time")
    group.add_argument("--launches", type=int, default=20, help="timed, of which the median counts")
    group.add_argument("--ncu", default="ncu")
    return parser.parse_args()


def main():
    options = arguments()
    options.cubins = options.cubins or options.kernels / "cubin"
    options.steps = options.steps.split(",")
    chosen = re.compile(options.match)
    launches = read_list(options.lists / "launches.txt", options.kernels)
    launches = [launch for launch in launches if chosen.search(launch.name)]
    sweeps = read_sweeps(options.lists / "sweeps.txt", options.kernels)
    sweeps = [sweep for sweep in sweeps if chosen.search(sweep.name)]
    if not launches and not sweeps:
        sys.exit(f"no launch of {options.lists} matches '{options.match}'")
    results = Results.read(options.results / "accuracy.h200.json", "burin.accuracy/1")
    swept = Results.read(options.results / "sweeps.h200.json", "burin.sweeps/1")
    return measure.measure_all(launches, sweeps, results, swept, options)


if __name__ == "__main__":
    sys.exit(main())
