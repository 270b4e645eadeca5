#!/usr/bin/env python3
"""Does burin explain name what bounds a kernel, and what the next version gains?

    explain.py build                the cubins of these kernels, to build/corpus/cubins (needs nvcc;
                                    `scripts/corpus.py pack cubins` keeps them)
    explain.py measure              times and counters of an H200, kept in bench/explain/results
                                    (needs a GPU; ncu counts)
    explain.py table                what burin explain and predict say of each launch, beside what was
                                    measured (no GPU)
    explain.py selfcheck            the shares that explain prints against what --what-if predicts for
                                    the same changes, over these launches and accuracy's (no GPU)

The launches stand in bench/explain/*.txt; README.md beside them tells what they are for.
"""

import argparse
import hashlib
import pathlib
import sys

from common import build
from common.corpus import KERNELS, cubin_folder
from common.launches import read_list
from common.results import Results
from explain import measure, selfcheck, tables
from explain.explained import tell_all
from explain.lists import LISTS, WEAK_FP64, all_launches, built, for_arch, read_lists, versions

ROOT = pathlib.Path(__file__).resolve().parents[1]
STEPS = "times,counters"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["build", "measure", "table", "selfcheck"])
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--lists", type=pathlib.Path, default=ROOT / "bench/explain")
    parser.add_argument("--kernels", type=pathlib.Path, default=KERNELS)
    parser.add_argument("--cubins", type=pathlib.Path, help="default: those of KERNELS")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/explain/results")
    parser.add_argument("--jobs", type=int, help="processes at a time (default: one per core)")
    group = parser.add_argument_group("table")
    group.add_argument("--part", choices=[*LISTS, "all"], default="all")
    group.add_argument("--regions", action="store_true", help="explain splits shares over regions")
    group.add_argument("--limit", type=float, default=600, help="seconds for one launch")
    group = parser.add_argument_group("table and selfcheck")
    group.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes it all there")
    group = parser.add_argument_group("selfcheck")
    group.add_argument("--every", type=int, default=1, metavar="N", help="one launch of N")
    group.add_argument("--worst", type=int, default=20, help="rows shown, farthest first")
    group = parser.add_argument_group("measure and selfcheck")
    group.add_argument("--seconds", type=float, help="then the rest is for next time (measure: 500)")
    group = parser.add_argument_group("measure")
    group.add_argument("--steps", default=STEPS, help=f"some of {STEPS}")
    group.add_argument("--launches", type=int, default=20, help="timed, of which the median counts")
    group.add_argument("--ncu", default="ncu")
    group.add_argument("--recount", action="store_true", help="what is counted, once more")
    options = parser.parse_args()
    options.burin = options.burin.resolve()
    options.cubins = options.cubins or cubin_folder(options.kernels)
    options.steps = options.steps.split(",")
    return options


def print_table(lists, results, options):
    parts = LISTS if options.part == "all" else (options.part,)
    work, keys = [], []
    for part in parts:
        for launch in lists[part]:
            if not launch.name.endswith(("/first", "/last")):  # these are only measured
                work.append((launch, "h200"))
                keys.append(launch.name)
    if "contraction" in parts:
        for launch in versions(lists):
            other = for_arch(launch, WEAK_FP64[1])
            work.append((other, WEAK_FP64[0]))
            keys.append(other.cubin + launch.name)
    told = dict(zip(keys, tell_all(work, options)))
    found = {}
    if "bound" in parts:
        found["bound"] = tables.print_bound(lists, told, results)
    if "series" in parts:
        for name in tables.SERIES:
            found[name] = tables.print_series(lists, told, results, name)
    if "contraction" in parts:
        found["versions"] = tables.print_versions(lists, told, results)
        found["pairs"] = tables.print_pairs(lists, results)
    if "fusion" in parts:
        found["stages"] = tables.print_stages(lists, told, results)
    found["speed"] = tables.print_speed(told, options)
    if options.json:
        tables.write_json(options.json, found)
    return 0


def chosen_by_hash(launches, every):
    """One launch of so many, by a hash of its name."""
    return [
        launch
        for launch in launches
        if int(hashlib.sha256(launch.name.encode()).hexdigest(), 16) % every == 0
    ]


def main():
    options = arguments()
    lists = read_lists(options.lists, options.kernels)
    if options.what == "selfcheck":
        launches = all_launches(lists)
        launches += read_list(ROOT / "bench/accuracy/launches.txt", options.kernels)
        selfcheck.print_check(chosen_by_hash(launches, options.every), "h200", options)
        return 0
    if options.what == "build":
        return build.compile_all(built(lists), options)
    results = Results.read(options.results / "explain.h200.json.gz", "burin.explained/1")
    if options.what == "measure":
        return measure.measure_all(lists, results, options)
    return print_table(lists, results, options)


if __name__ == "__main__":
    sys.exit(main())
