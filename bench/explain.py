#!/usr/bin/env python3
"""Does burin explain name what bounds a kernel, and what the next version gains?

    explain.py build                the cubins of these kernels, to bench/kernels/cubin (needs nvcc)
    explain.py measure              times and counters of an H200, kept in bench/results
                                    (needs a GPU; ncu counts)
    explain.py table                what burin explain and predict say of each launch, beside what was
                                    measured (no GPU)

The launches stand in bench/explain/*.txt; README.md beside them tells what they are for.
"""

import argparse
import pathlib
import re
import sys

from exact import build
from exact.results import Results
from explain import measure
from explain.lists import LISTS, all_launches, built, read_lists

ROOT = pathlib.Path(__file__).resolve().parents[1]
STEPS = "times,counters"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["build", "measure", "table"])
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--lists", type=pathlib.Path, default=ROOT / "bench/explain")
    parser.add_argument("--kernels", type=pathlib.Path, default=ROOT / "bench/kernels")
    parser.add_argument("--cubins", type=pathlib.Path, help="default: KERNELS/cubin")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results")
    parser.add_argument(
        "--match", default="", metavar="PATTERN", help="those whose name the expression finds"
    )
    parser.add_argument("--jobs", type=int, help="processes at a time (default: one per core)")
    group = parser.add_argument_group("table")
    group.add_argument("--part", choices=[*LISTS, "all"], default="all")
    group.add_argument("--limit", type=float, default=120, help="seconds for one launch")
    group.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes it all there")
    group = parser.add_argument_group("measure")
    group.add_argument("--steps", default=STEPS, help=f"some of {STEPS}")
    group.add_argument("--seconds", type=float, default=500, help="then the rest is for next time")
    group.add_argument("--launches", type=int, default=20, help="timed, of which the median counts")
    group.add_argument("--ncu", default="ncu")
    group.add_argument("--recount", action="store_true", help="what is counted, once more")
    options = parser.parse_args()
    options.burin = options.burin.resolve()
    options.cubins = options.cubins or options.kernels / "cubin"
    options.steps = options.steps.split(",")
    options.machine = "h200"
    return options


def main():
    options = arguments()
    lists = read_lists(options.lists, options.kernels)
    if options.what == "build":
        return build.compile_all(built(lists), options)
    results = Results.read(options.results / "explain.h200.json", "burin.explained/1")
    if options.what == "measure":
        return measure.measure_all(lists, results, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
