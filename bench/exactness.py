#!/usr/bin/env python3
"""Is what burin's emulator computes what the GPU computes, bit for bit?

    exactness.py compile            every .cu of corpus/ to build/corpus/cubins (needs nvcc)
    exactness.py record [--part K/N] [--resume]
                                    runs every launch on the GPU and keeps hashes, counts and times
                                    in bench/exactness/results/exactness.h200.json.gz (needs a GPU; ncu counts)
    exactness.py replay             runs the same launches in the emulator and compares (no GPU)

The launches stand in corpus/**/launches.txt; README.md beside the first tells their format.
`--only TEXT` takes the launches whose name has TEXT in it. `replay` exits 1 where anything differs.
After `compile`, `scripts/corpus.py pack cubins` keeps the cubins.
"""

import argparse
import pathlib
import sys

from common import build
from common.corpus import KERNELS, cubin_folder
from common.launches import read_all
from common.results import Results
from exactness import record, replay

ROOT = pathlib.Path(__file__).resolve().parents[1]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["compile", "record", "replay"])
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--kernels", type=pathlib.Path, default=KERNELS)
    parser.add_argument("--cubins", type=pathlib.Path, help="default: those of KERNELS")
    parser.add_argument(
        "--results",
        type=pathlib.Path,
        default=ROOT / "bench/exactness/results/exactness.h200.json.gz",
    )
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--jobs", type=int, help="processes at a time (default: one per core)")
    group = parser.add_argument_group("record")
    group.add_argument("--part", default="1/1", metavar="K/N", help="the K-th of N parts")
    group.add_argument("--resume", action="store_true", help="leave out what is recorded")
    group.add_argument("--runs", type=int, default=20, help="GPU runs that must agree")
    group.add_argument("--ncu", default="ncu", help="'' counts no instructions")
    group.add_argument("--keep", type=pathlib.Path, help="a folder for all outputs of the GPU")
    group = parser.add_argument_group("replay")
    group.add_argument("--failures", action="store_true", help="show only what differs")
    return parser.parse_args()


def main():
    options = arguments()
    options.cubins = options.cubins or cubin_folder(options.kernels)
    launches = [l for l in read_all(options.kernels) if options.only in l.name]
    if not launches:
        sys.exit(f"no launch of {options.kernels} has '{options.only}' in its name")
    if options.what == "compile":
        return build.compile_all(launches, options)
    results = Results.read(options.results)
    if options.what == "record":
        return record.record_all(launches, results, options)
    return replay.replay_all(launches, results, options)


if __name__ == "__main__":
    sys.exit(main())
