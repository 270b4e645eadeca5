#!/usr/bin/env python3
"""How much of a tuning space does `burin carve` prune, and what does that cost?

  carving.py record --out FOLDER [--seconds N] [SPEC…]     compiles and counts every configuration
  carving.py take FOLDER                                   puts what was recorded into build/corpus/carving_counts,
                                                           which `scripts/corpus.py pack carving_counts` keeps
  carving.py predictions FOLDER                            adds predicted times, of `guided.py record --out FOLDER`
  carving.py table [--counts FOLDER] [OPTION…]             judges the selections; OPTIONs of `burin carve`

bench/carving/README.md says what the columns mean.
"""

import argparse
import pathlib
import sys

from carving.predictions import fill
from carving.record import record
from carving.table import table, take
from common.corpus import unpacked

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
    taking = steps.add_parser("take", help="put what was recorded beside what is kept")
    taking.add_argument("folder", type=pathlib.Path)
    predicting = steps.add_parser("predictions", help="add the predicted times of guided.py record")
    predicting.add_argument("folder", type=pathlib.Path)
    judging = steps.add_parser("table", help="judge carving on recorded spaces")
    judging.add_argument("--counts", type=pathlib.Path, help="default: those kept, unpacked")
    judging.add_argument("--jobs", type=int, default=2)
    judging.add_argument("--output", type=pathlib.Path, help="write all rows as JSON")
    arguments, more = parser.parse_known_args()
    if more and arguments.step != "table":
        parser.error(f"unknown arguments: {' '.join(more)}")
    if arguments.step == "record":
        failures = record(arguments.burin, arguments.out, arguments.specs, arguments.seconds,
                          arguments.compilers, not arguments.no_predict)
        return 1 if failures else 0
    if arguments.step == "take":
        take(arguments.folder, unpacked("carving_counts"))
        return 0
    if arguments.step == "predictions":
        return 0 if fill(arguments.folder, unpacked("carving_counts")) else 1
    counts = arguments.counts or unpacked("carving_counts")
    return table(arguments.burin, counts, more, arguments.jobs, arguments.output)


if __name__ == "__main__":
    sys.exit(main())
