#!/usr/bin/env python3
"""How much of a tuning space does `burin carve` prune, and what does that cost?

  carving.py record --out FOLDER [--seconds N] [SPEC…]     compiles and counts every configuration
"""

import argparse
import pathlib
import sys

from carving.record import record

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
    arguments = parser.parse_args()
    if arguments.step == "record":
        failures = record(arguments.burin, arguments.out, arguments.specs, arguments.seconds,
                          arguments.compilers, not arguments.no_predict)
        return 1 if failures else 0
    return 2


if __name__ == "__main__":
    sys.exit(main())
