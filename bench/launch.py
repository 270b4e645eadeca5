#!/usr/bin/env python3
"""Does burin choose the right block shape for a size it has not seen?

  launch.py record --out FOLDER [--seconds N] [KERNEL…]     times every shape at every size; needs a GPU
  launch.py record --device emulator:h200 --out FOLDER …    predicts them instead
  launch.py record-others --out FOLDER [KERNEL…]            the same at the sizes that `burin fit` adds; needs a GPU
  launch.py table [--trials measured|emulated] [KERNEL…]    chosen shapes against the optimum; held-out kernels first
  launch.py trials --out FOLDER [KERNEL…]                   the trained sizes as CSV files for `burin fit --trials`

bench/launch/README.md says what is trained, what is judged, and what the columns mean. While developing,
use --tuning, which leaves the held-out kernels alone.
"""

import argparse
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

from common.corpus import unpacked
from launch.choosers import SIMPLE, CannotChoose, predicted
from launch.fitted import Fitted, added_sizes, programs, small_spec, write_trials
from launch.judge import emulated_training, judge
from launch.spaces import EMULATED, KERNELS, KLARAPTOR, OTHERS, SPACES, read_kernels, size_text
from launch.tables import as_rows, groups, print_cases, print_costs, print_problems, print_summaries

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    steps = parser.add_subparsers(dest="step", required=True)
    recording = steps.add_parser("record", help="time every shape at every size")
    recording.add_argument("--out", type=pathlib.Path, required=True)
    recording.add_argument("--device", default="cuda:0")
    recording.add_argument("--seconds", type=float, help="begin nothing new after this time")
    recording.add_argument("--launches", type=int, default=5, help="timed for each shape, at most")
    others = steps.add_parser("record-others", help="time every shape at the sizes that burin fit adds to the trained ones")
    others.add_argument("--out", type=pathlib.Path, required=True)
    others.add_argument("--device", default="cuda:0")
    others.add_argument("--seconds", type=float, help="begin nothing new after this time")
    others.add_argument("--launches", type=int, default=5, help="timed for each shape, at most")
    judging = steps.add_parser("table", help="chosen shapes against the optimum")
    writing = steps.add_parser("trials", help="the trained sizes as CSV files")
    writing.add_argument("--out", type=pathlib.Path, required=True)
    for step in (judging, writing):
        step.add_argument("--spaces", type=pathlib.Path, help="folder of the measured times (default: those kept)")
        step.add_argument("--emulated", type=pathlib.Path, help="folder of the predicted times (default: those kept)")
        step.add_argument("--others", type=pathlib.Path,
                          help="folder of the times at the sizes that burin fit adds (default: those kept)")
        step.add_argument("--trials", choices=["measured", "emulated"], default="measured",
                          help="what the choosers learn from (default: measured)")
        step.add_argument("--tuning", action="store_true", help="without the held-out kernels")
    judging.add_argument("--from-spec", action="store_true",
                         help="`burin fit SPEC`: with the measured trials, or sampling the emulator instead of them")
    judging.add_argument("--fit", action="append", metavar="NAME=OPTIONS",
                         help="a variant of burin fit with more options, in its own row; may be repeated")
    judging.add_argument("--samples", type=int, default=100, metavar="N",
                         help="of the measured times, those that burin fit would take itself; 0: all (default: 100)")
    judging.add_argument("--given-sizes", action="store_true",
                         help="with measured trials: the trained sizes alone, none of those that burin fit adds")
    judging.add_argument("--programs", type=pathlib.Path, metavar="FOLDER",
                         help="judge the rational programs of an earlier run (--keep) in place of fitting; kernels "
                              "without one are left out")
    judging.add_argument("--no-fit", action="store_true", help="without burin fit")
    judging.add_argument("--cases", metavar="CHOOSER", help="whose shapes are listed case by case (default: burin fit)")
    judging.add_argument("--costs", action="store_true", help="what fitting costs, and when it is repaid")
    judging.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keep the rational programs there")
    judging.add_argument("--jobs", type=int, default=1, help="kernels at a time (default: 1)")
    judging.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every case there")
    for step in (recording, others, judging, writing):
        step.add_argument("kernels", nargs="*", help="names of kernels (default: all)")
    return parser.parse_args()


def record(options, specs=KERNELS):
    command = [sys.executable, ROOT / "bench/tuning/record.py", "--burin", options.burin, "--specs", specs,
               "--launches", options.launches, "--device", options.device, "--out", options.out]
    if options.seconds is not None:
        command += ["--seconds", options.seconds]
    return subprocess.run([str(word) for word in [*command, *options.kernels]], check=False).returncode


def record_others(options):
    specs = options.out / "specs"
    specs.mkdir(parents=True, exist_ok=True)
    def add_spec(kernel):
        try:
            sizes = added_sizes(options.burin, kernel, specs, options.device)
        except CannotChoose as problem:
            print(f"{kernel.name}: {problem}", flush=True)
            return
        print(f"{kernel.name}: {'; '.join(size_text(size) for size in sizes) or 'none'}", flush=True)
        if sizes:
            (specs / f"{kernel.name}.toml").write_text(small_spec(kernel.spec, sizes), encoding="utf-8")

    # Two at a time: this only decides how large the sizes are.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(add_spec, read_kernels(unpacked(SPACES), options.kernels)))
    options.kernels = sorted(spec.stem for spec in specs.glob("*.toml"))
    return record(options, specs) if options.kernels else 0


def read(options):
    options.spaces = options.spaces or unpacked(SPACES)
    options.others = options.others or unpacked(OTHERS)
    options.emulated = options.emulated or unpacked(EMULATED)
    kernels = read_kernels(options.spaces, options.kernels, others=options.others)
    if getattr(options, "programs", None):
        kernels = [kernel for kernel in kernels if (options.programs / f"{kernel.name}.rp").exists()]
    if options.tuning:
        kernels = [kernel for kernel in kernels if not kernel.held_out]
    if not kernels:
        sys.exit(f"no recorded times in {options.spaces}; `bench/launch.py record` makes them, with a GPU")
    unknown = set(options.kernels) - {kernel.name for kernel in kernels}
    if unknown:
        sys.exit(f"not recorded, or held out: {', '.join(sorted(unknown))}")
    emulated = {kernel.name: kernel for kernel in read_kernels(options.emulated, options.kernels)}
    training = emulated_training(kernels, emulated) if options.trials == "emulated" else None
    made = getattr(options, "from_spec", False) or getattr(options, "programs", None)
    if training is not None and not any(training.values()) and not made:
        sys.exit(f"no predicted times in {options.emulated}: `bench/launch.py record --device emulator:h200`")
    return kernels, emulated, training


def fits(options, folder):
    """{name of the row: Fitted}."""
    if options.no_fit:
        return {}
    variants = dict(text.partition("=")[::2] for text in options.fit or ["burin fit="])
    measured = options.trials == "measured"
    few = ["--max-trials", options.samples] if measured and options.samples else []
    return {
        name: Fitted(options.burin, folder / str(number), [*few, *shlex.split(more)], options.from_spec, measured,
                     others=measured and not options.given_sizes)
        for number, (name, more) in enumerate(variants.items())
    }


def table(options):
    with tempfile.TemporaryDirectory() as temporary:
        return table_in(options, options.keep or pathlib.Path(temporary))


def table_in(options, folder):
    kernels, emulated, training = read(options)
    fitted = {} if options.programs else fits(options, folder)
    choosers = {"burin fit": programs(options.burin, options.programs)} if options.programs else dict(fitted)
    if options.trials == "emulated":
        choosers["predicted directly"] = predicted(emulated)
    choosers["KLARAPTOR"] = programs(options.burin, KLARAPTOR)
    choosers |= SIMPLE
    judged = judge(kernels, choosers, training, options.jobs)
    print(f"share of the optimum at the judged sizes; trained on {options.trials} times of the small sizes")
    listed = options.cases or next(iter(choosers if options.programs else fitted), "nearest trained size")
    if listed not in judged:
        sys.exit(f"there is no chooser '{listed}': {', '.join(judged)}")
    for title, mine in groups(kernels):
        print_summaries(title, mine, judged)
    print_problems(judged)
    for title, mine in groups(kernels):
        print_cases(title, mine, judged[listed])
    if options.costs:
        for name, chooser in fitted.items():
            print_costs(kernels, judged[name], chooser.seconds)
    if options.json:
        options.json.write_text(json.dumps(as_rows(judged), indent=1) + "\n", encoding="utf-8")
    return 0


def trials(options):
    kernels, _, training = read(options)
    options.out.mkdir(parents=True, exist_ok=True)
    for kernel in kernels:
        recorded = kernel.trained if training is None else training[kernel.name]
        if recorded:
            write_trials(options.out / f"{kernel.name}.csv", recorded)
    return 0


if __name__ == "__main__":
    parsed = arguments()
    sys.exit({"record": record, "record-others": record_others, "table": table, "trials": trials}[parsed.step](parsed))
