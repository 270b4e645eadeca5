#!/usr/bin/env python3
"""How accurate are predictions for GPUs that nobody here has?

    other_gpus.py predict RECORD --kernel NAME --source FILE… --machine NAME --rows FILE
    other_gpus.py table [ROWS…]

`predict` compares a machine file with a recorded tuning space (T4 or a Kernel Tuner cache file, .json
or .json.gz): it compiles a sample of the configurations for the machine's architecture, predicts
each with `burin predict --warm`, and keeps the rows in a file, which a second run continues. It needs
nvcc, no GPU, and the kernel's source, which is not ours: bench/other_gpus/kernels/NAME.json says where
to find it, and how it is launched. `table` prints the figures of kept rows, those of configurations held
out first. bench/other_gpus/README.md explains the columns.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from other_gpus import predictions, table  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "bench/other_gpus/rows"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("predict", help="predict a sample of a recorded tuning space")
    step.add_argument("record", type=pathlib.Path, metavar="RECORD", help="the recorded tuning space")
    step.add_argument("--kernel", required=True, metavar="NAME", help="a file of bench/other_gpus/kernels, or a path")
    step.add_argument("--source", type=pathlib.Path, action="append", required=True, metavar="FILE",
                      help="source of the kernel; several are included in this order")
    step.add_argument("--machine", required=True, metavar="NAME", help="name or path of the machine file")
    step.add_argument("--rows", type=pathlib.Path, required=True, metavar="FILE", help="where the rows are kept")
    step.add_argument("--gpu", metavar="NAME", help="the GPU of the record, where the record does not name it")
    step.add_argument("--clock", type=float, metavar="MHZ", help="the SM clock that the record ran at")
    step.add_argument("--sample", type=int, default=80, metavar="N", help="configurations (80)")
    step.add_argument("--half", choices=("tuning", "held out"), help="only this half")
    step.add_argument("--again", action="store_true", help="predict rows anew that are kept")
    step.add_argument("--limit", type=float, default=120, metavar="S", help="seconds for one prediction (120)")
    step.add_argument("--seconds", type=float, default=1e9, metavar="S", help="begin nothing new after this time")
    step.add_argument("--jobs", type=int, default=1, metavar="N", help="predictions at a time (1)")
    step.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    step = steps.add_parser("table", help="print the figures of kept rows")
    step.add_argument("rows", nargs="*", type=pathlib.Path, metavar="ROWS", help="files (default: those kept)")
    step.add_argument("--limits", action="store_true", help="also by what limits a configuration")
    step.add_argument("--markdown", action="store_true", help="the table of docs/validation.md")
    step.add_argument("--worst", type=int, default=0, metavar="N", help="also the N worst of the tuning half")
    return parser.parse_args()


def main():
    options = arguments()
    if options.step == "predict":
        predictions.predict(options)
        table.print_table([options.rows], True, 0)
        return 0
    rows = options.rows or sorted(KEPT.glob("*.json"))
    if options.markdown:
        table.print_markdown(rows)
    else:
        table.print_table(rows, options.limits, options.worst)
    return 0


if __name__ == "__main__":
    sys.exit(main())
