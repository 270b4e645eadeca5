#!/usr/bin/env python3
"""How much of a tuning space does `burin carve` prune, and what does that cost?

  carving.py record --out FOLDER [--seconds N] [SPEC…]     compiles and counts every configuration
  carving.py pack FOLDER                                   puts what was recorded into bench/carving/counts
  carving.py predictions FOLDER                            adds predicted times, of `guided.py record --out FOLDER`
  carving.py table [--counts FOLDER] [OPTION…]             judges the selections; OPTIONs of `burin carve`

bench/carving/README.md says what the columns mean.
"""

import argparse
import pathlib
import sys

from carving.predictions import fill
from carving.record import record
from carving.table import COUNTS, pack, table

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--burin", default=ROOT / "build" / "burin", type=pathlib.Path)
    steps = parser.add_subparsers(dest="step", required=True)
    recording = steps.add_parser("record", help="compile and count every configuration")
    recording.add_argument("--out", type=pathlib.Path, required=True)
    recording.add_argument("--seconds", type=float, default=1e9, help="begin nothing new after this time")
    recording.add_argument("--compilers", type=int, default=0, help="processes (default: one per core)")
    recording.add_argument("--no-predict", action="store_true", help="without the emulator's times")
    recording.add_argument("specs", nargs="*", help="names of specs (default: all)")
    packing = steps.add_parser("pack", help="compress what was recorded into bench/carving/counts")
    packing.add_argument("folder", type=pathlib.Path)
    predicting = steps.add_parser("predictions", help="add the predicted times of guided.py record")
    predicting.add_argument("folder", type=pathlib.Path)
    judging = steps.add_parser("table", help="judge carving on recorded spaces")
    judging.add_argument("--counts", type=pathlib.Path, default=COUNTS)
    judging.add_argument("--jobs", type=int, default=2)
    judging.add_argument("--output", type=pathlib.Path, help="write all rows as JSON")
    arguments, more = parser.parse_known_args()
    if more and arguments.step != "table":
        parser.error(f"unknown arguments: {' '.join(more)}")
    if arguments.step == "record":
        failures = record(arguments.burin, arguments.out, arguments.specs, arguments.seconds,
                          arguments.compilers, not arguments.no_predict)
        return 1 if failures else 0
    if arguments.step == "pack":
        pack(arguments.folder, COUNTS)
        return 0
    if arguments.step == "predictions":
        return 0 if fill(arguments.folder, COUNTS) else 1
    return table(arguments.burin, arguments.counts, more, arguments.jobs, arguments.output)


if __name__ == "__main__":
    sys.exit(main())
