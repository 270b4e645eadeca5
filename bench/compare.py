#!/usr/bin/env python3
"""Does `burin compare` name the faster of two kernels, and is its best pick good?

    compare.py table [--burin FILE] [--save FILE | --from FILE] [--only SOURCE]
    compare.py fit --from FILE [--spaces]

`table` holds predictions against measured times, the held-out half first. It needs no GPU; the source
`fixed` needs nvcc. `fit` prints how wide the interval of a ratio must be, from the other half
(src/timing/result/time_ratio.cc). bench/compare/README.md explains the columns.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "advice"))
from compare import sources, table  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("table", "fit"))
    parser.add_argument("--burin", type=pathlib.Path, default=sources.ROOT / "build/burin")
    parser.add_argument("--save", type=pathlib.Path, metavar="FILE", help="keep the predictions of this run")
    parser.add_argument("--from", dest="kept", type=pathlib.Path, metavar="FILE", help="use kept predictions")
    parser.add_argument("--only", choices=sources.NAMES)
    return parser.parse_args()


def main():
    options = arguments()
    groups = sources.read(options)
    if options.what == "fit":
        table.print_fit(groups)
    else:
        table.print_table(groups)
    return 0


if __name__ == "__main__":
    sys.exit(main())
