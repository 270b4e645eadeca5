#!/usr/bin/env python3
"""How much of the gap between a naive kernel and an expert's does following `burin advise` close?

    paths.py table [KERNEL…]             naive, steps and reference; the held-out set first (no GPU)
    paths.py measure [KERNEL…]           checks and times every version; needs a GPU and nvcc
    paths.py build [KERNEL…]             only compiles everything (nvcc, no GPU)
    paths.py options KERNEL [VERSION]    the launch, as options of `burin predict` and `burin advise`
    paths.py fix [KERNEL…]               lets `burin advise --fix` change the kernels, to bench/advice/paths/fixed
    paths.py replay [KERNEL…]            today's advice on the versions of the kept steps against what these gained (no GPU)
    paths.py speed [KERNEL…]             seconds of `burin advise` on each naive kernel, on two cores (no GPU)
    paths.py table --fixed [KERNEL…]     what that gains; likewise measure and build

bench/advice/paths/README.md says what a version is and how to follow the advice. While developing rules, use
`table --tuning`, which leaves the held-out set out.
"""

import argparse
import os
import pathlib
import shlex
import sys

from paths.build import build_all
from paths.cases import FIXED, ROOT, STEPS, burin_options, read_cases
from paths.fix import fix
from paths.measure import measure, read_results, results_of
from paths.replay import print_replay
from paths.speed import print_speed
from paths.table import print_table


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_subparsers(dest="what", required=True)
    table = what.add_parser("table", help="naive, steps and reference")
    table.add_argument("--tuning", action="store_true", help="without the held-out set")
    measuring = what.add_parser("measure", help="check and time every version; needs a GPU")
    measuring.add_argument("--launches", type=int, default=20, help="timed per version (default: 20)")
    measuring.add_argument("--limit", type=float, default=20, help="seconds for a version (default: 20)")
    building = what.add_parser("build", help="only compile")
    for step in (table, measuring):
        step.add_argument("--results", type=pathlib.Path, help="default: in bench/advice/paths/results")
    for step in (measuring, building):
        step.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at a time (default: all cores)")
    fixing = what.add_parser("fix", help="let burin change the kernels")
    fixing.add_argument("--try-time", type=float, default=30, help="seconds for trying changes (default: 30)")
    replaying = what.add_parser("replay", help="today's advice against what the kept steps gained")
    replaying.add_argument("--held-out", action="store_true", help="the held-out set instead of the others")
    replaying.add_argument("--try", action="store_true", dest="tries", help="with --try")
    timing = what.add_parser("speed", help="seconds of burin advise, on two cores")
    for step in (fixing, replaying, timing):
        step.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    for step in (table, measuring, building):
        step.add_argument("--fixed", action="store_true", help="what `fix` made, instead of what a follower wrote")
    for step in (table, measuring, building, fixing, replaying, timing):
        step.add_argument("kernels", nargs="*", help="names of kernels (default: all)")
    printing = what.add_parser("options", help="the launch, as options of burin")
    printing.add_argument("kernel")
    printing.add_argument("version", nargs="?", default="naive")
    options = parser.parse_args()
    if "results" in options and options.results is None:
        options.results = results_of(options.fixed)
    return options


def print_options(options):
    (case,) = read_cases([options.kernel])
    for version in case.versions:
        if version.name == options.version:
            if version.is_library:
                sys.exit(f"{version.source.name} is a host function, not one launch")
            print(shlex.join(burin_options(case, version)))
            return 0
    sys.exit(f"{case.name} has no {options.version}; it has {', '.join(v.name for v in case.versions)}")


def main():
    options = arguments()
    if options.what == "options":
        return print_options(options)
    if options.what == "fix":
        return 1 if fix(read_cases(options.kernels), options.burin, FIXED, options.try_time) else 0
    if options.what == "speed":
        return print_speed(read_cases(options.kernels), options.burin)
    if options.what == "replay":
        chosen = [case for case in read_cases(options.kernels) if case.held_out == options.held_out]
        return print_replay(chosen, read_results(results_of(False)), options.burin, ["--try"] if options.tries else [])
    cases = read_cases(options.kernels, FIXED if options.fixed else STEPS)
    if options.what == "build":
        return 1 if build_all(cases, options.jobs) else 0
    if options.what == "measure":
        return measure(cases, options)
    return print_table(cases, read_results(options.results), options.tuning)


if __name__ == "__main__":
    sys.exit(main())
