#!/usr/bin/env python3
"""How far is the time that burin predicts from the time that a GPU takes?

    accuracy.py table               predicts every launch that was measured, and compares (no GPU)
    accuracy.py counts              are the blocks that a prediction executes a fair sample (no GPU)
    accuracy.py measure             times, sweeps and counters of an H200, kept in bench/accuracy/results
                                    (needs a GPU; ncu counts)

The launches stand in bench/accuracy/launches.txt and sweeps.txt; README.md beside them tells more.
A third of the kernels is held out: without --all, nothing of it is shown. While tuning:

    accuracy.py table --match stencil --part launches --worst 20
"""

import argparse
import pathlib
import re
import sys

from accuracy import compare, counts, measure, shape_choice, table
from accuracy.sweeps import read_sweeps
from common.corpus import KERNELS, cubin_folder
from common.launches import read_list
from common.results import Results

ROOT = pathlib.Path(__file__).resolve().parents[1]
STEPS = "times,sweeps,counters"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["table", "counts", "measure"])
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--lists", type=pathlib.Path, default=ROOT / "bench/accuracy")
    parser.add_argument("--kernels", type=pathlib.Path, default=KERNELS)
    parser.add_argument("--cubins", type=pathlib.Path, help="default: those of KERNELS")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/accuracy/results")
    parser.add_argument(
        "--match", default="", metavar="PATTERN", help="those whose name the expression finds"
    )
    group = parser.add_argument_group("table")
    group.add_argument("--part", choices=["launches", "sweeps", "all"], default="all")
    which = group.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="the held-out kernels too")
    which.add_argument("--tuning-only", action="store_true", help="without them (default)")
    group.add_argument(
        "--models",
        default="ours,roofline",
        help=f"some of {','.join(compare.ALL_MODELS)}, or all (default: ours,roofline)",
    )
    group.add_argument("--caches", choices=["cold", "warm"], default="cold")
    group.add_argument("--machine", default="h200")
    group.add_argument("--worst", type=int, metavar="N", help="only the N worst launches")
    group.add_argument("--details", action="store_true", help="counters of each launch too")
    group.add_argument(
        "--misses", action="store_true", help="tuning launches whose traffic or hit rates disagree"
    )
    group.add_argument("--jobs", type=int, help="predictions at a time (default: one per core)")
    group.add_argument("--limit", type=float, default=60, help="seconds for a prediction")
    group.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes it all there")
    group = parser.add_argument_group("measure")
    group.add_argument("--steps", default=STEPS, help=f"some of {STEPS}")
    group.add_argument("--seconds", type=float, default=500, help="then the rest is for next time")
    group.add_argument("--launches", type=int, default=20, help="timed, of which the median counts")
    group.add_argument("--ncu", default="ncu")
    group.add_argument("--recount", action="store_true", help="what is counted, once more")
    options = parser.parse_args()
    options.burin = options.burin.resolve()
    options.cubins = options.cubins or cubin_folder(options.kernels)
    options.steps = options.steps.split(",")
    every = compare.ALL_MODELS
    options.models = every if options.models == "all" else options.models.split(",")
    unknown = [model for model in options.models if model not in every]
    if unknown:
        parser.error(f"there is no model {unknown[0]}; there are {', '.join(every)}")
    return options


def print_table(launches, sweeps, results, swept, options):
    rows, choices = [], []
    if options.part != "sweeps" and launches:
        rows = compare.compare_all(launches, results, options)
        table.print_launches(rows, options)
        table.print_left_out(launches, results)
    if options.part != "launches" and sweeps:
        choices, predictions = shape_choice.choose_all(sweeps, swept, options)
        table.print_choices(choices, predictions)
    if options.json:
        table.write_json(options.json, rows, choices)
    return 0


def main():
    options = arguments()
    chosen = re.compile(options.match)
    launches = read_list(options.lists / "launches.txt", options.kernels)
    launches = [launch for launch in launches if chosen.search(launch.name)]
    sweeps = read_sweeps(options.lists / "sweeps.txt", options.kernels)
    sweeps = [sweep for sweep in sweeps if chosen.search(sweep.name)]
    if not launches and not sweeps:
        sys.exit(f"no launch of {options.lists} matches '{options.match}'")
    results = Results.read(options.results / "accuracy.h200.json.gz", "burin.accuracy/1")
    swept = Results.read(options.results / "sweeps.h200.json.gz", "burin.sweeps/1")
    if options.what == "counts":
        return counts.print_counts(launches, options)
    if options.what == "measure":
        return measure.measure_all(launches, sweeps, results, swept, options)
    return print_table(launches, sweeps, results, swept, options)


if __name__ == "__main__":
    sys.exit(main())
