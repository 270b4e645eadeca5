#!/usr/bin/env python3
"""Does burin advise name the planted inefficiency, its line, and what mending it gains?

    advice.py build                 the cubins of the pairs, to build/corpus/cubins (needs nvcc;
                                    `scripts/corpus.py pack cubins` keeps them)
    advice.py measure               times of slow and fixed kernels, and samples of the slow ones
                                    (needs a GPU and nvcc; `scripts/corpus.py pack captures` keeps these)
    advice.py table                 what burin advise says of each slow kernel, from emulation and from
                                    the samples, beside what the fix gained (no GPU)
    advice.py speed                 the time of burin advise on a kernel of 20,000 instructions (ptxas)
    advice.py parts                 of each pair, what its estimate is made of: predictions of both kernels,
                                    emulated again, by the equations, believed; rank and line (no GPU)

The pairs stand in bench/advice/pairs.txt, kernels near the roofline in roofline.txt; README.md beside
them tells more. Some pairs are held out: of them `table` shows the figures alone.
"""

import argparse
import pathlib
import re
import sys

from advice import measure, parts, speed, table
from advice.pairs import launches_of, read_pairs
from common import build
from common.corpus import KERNELS, cubin_folder, unpacked
from common.launches import read_list
from common.results import Results

ROOT = pathlib.Path(__file__).resolve().parents[1]
STEPS = "times,samples,roofline"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["build", "measure", "table", "parts", "speed"])
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--lists", type=pathlib.Path, default=ROOT / "bench/advice")
    parser.add_argument("--kernels", type=pathlib.Path, default=KERNELS)
    parser.add_argument("--cubins", type=pathlib.Path, help="default: those of KERNELS")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/advice/results")
    parser.add_argument("--captures", type=pathlib.Path, help="default: those kept, unpacked")
    parser.add_argument("--jobs", type=int, help="processes at a time (default: one per core)")
    parser.add_argument(
        "--match", default="", metavar="PATTERN", help="pairs whose rule or name it finds"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--held-out", action="store_true", help="only the held-out pairs")
    which.add_argument("--tuning", action="store_true", help="only the others")
    group = parser.add_argument_group("table")
    group.add_argument("--source", choices=["emulated", "samples", "both"], default="both")
    group.add_argument("--machine", default="h200")
    group.add_argument("--limit", type=float, default=120, help="seconds for one advice")
    group.add_argument("--no-roofline", action="store_true", help="the pairs alone")
    group.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes it all there")
    group = parser.add_argument_group("speed")
    group.add_argument("--statements", type=int, default=18000, help="of the kernel that is made")
    group = parser.add_argument_group("measure")
    group.add_argument("--steps", default=STEPS, help=f"some of {STEPS}")
    group.add_argument("--seconds", type=float, default=300, help="then the rest is for next time")
    group.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/advice")
    options = parser.parse_args()
    options.burin = options.burin.resolve()
    options.cubins = options.cubins or cubin_folder(options.kernels)
    options.captures = options.captures or unpacked("captures")
    options.steps = options.steps.split(",")
    return options


def chosen(pairs, options):
    found = re.compile(options.match)
    return [
        pair
        for pair in pairs
        if (found.search(pair.rule) or found.search(pair.name))
        and not (options.held_out and not pair.held_out)
        and not (options.tuning and pair.held_out)
    ]


def main():
    options = arguments()
    if options.what == "speed":
        return speed.print_speed(options)
    every = read_pairs(options.lists / "pairs.txt", options.kernels)
    roofline = read_list(options.lists / "roofline.txt", options.kernels)
    pairs = chosen(every, options)
    if not pairs:
        sys.exit(f"no pair of {options.lists / 'pairs.txt'} matches '{options.match}'")
    if options.what == "build":
        own = [launch for launch in roofline if launch.source.parent.name == "advice"]
        return build.compile_all(launches_of(pairs) + own, options)
    results = Results.read(options.results / "advice.h200.json.gz", "burin.advice/1")
    if options.what == "measure":
        results.keep_only({pair.name for pair in every})
        return measure.measure_all(pairs, roofline, results, options)
    if options.what == "parts":
        tuned = [pair for pair in pairs if not pair.held_out]
        return parts.print_parts(tuned, results, options)
    return table.print_table(pairs, roofline, results, options)


if __name__ == "__main__":
    sys.exit(main())
