#!/usr/bin/env python3
"""Is a kernel that was tuned at a small problem size good at the large one?

    saturation.py table                 what tuning at the saturation point keeps and saves
    saturation.py thresholds            the paper's rule with thresholds of 0 to 15 % (its Fig. 7)
    saturation.py curves [KERNEL…]      throughput per coarsening factor, winner of each size (Figs. 3, 5)
    saturation.py emulator [KERNEL…]    saturation points predicted by the emulator against measured ones
    saturation.py machines [KERNEL…]    saturation points of several GPUs, emulated
    saturation.py counters [KERNEL…]    --svg: throughput beside the busy share of memory, emulated (Fig. 4)
    saturation.py counted [KERNEL…]     the same, measured; --again needs a GPU and ncu

The recorded spaces (bench/coarsening/spaces) have every configuration of block size, coarsening and
unrolling of a kernel at several problem sizes; the largest is the target. "kept" is the share of the
best performance at the target that the chosen configuration reaches, "saved" the kernel time of tuning
at the target divided by that of everything that was run instead: curve, search, verification. A third
of the kernels is held out (bench/tuning/spaces.py): with --tuning they are left alone. Needs
build/bench/bench_saturation_score; what was emulated is kept (bench/saturation/emulated.json), to do so --again
needs build/burin and nvcc or NVRTC. No GPU.
"""

import argparse
import json
import pathlib
import subprocess
import sys

from saturation.counted import counted
from saturation.emulated import compare, emulated, memory_correlation
from saturation.plot import plot
from saturation.plot_emulated import plot_machines, plot_memory
from saturation.tables import print_curves, print_table, print_thresholds
from tuning.spaces import held_out

MACHINES = ("h200", "a100", "rtx3090", "rtx4090")
ROOT = pathlib.Path(__file__).resolve().parents[1]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["table", "thresholds", "curves", "emulator", "machines", "counters", "counted"])
    parser.add_argument("kernels", nargs="*", help="names of specs (default: all that are recorded)")
    parser.add_argument("--spaces", type=pathlib.Path, default=ROOT / "bench/coarsening/spaces")
    parser.add_argument("--specs", type=pathlib.Path, default=ROOT / "bench/coarsening/kinds")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bench/bench_saturation_score")
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--machine", default="h200", help="emulator: the GPU that is emulated (h200)")
    parser.add_argument("--again", action="store_true", help="emulate or count again what is kept")
    parser.add_argument("--ncu", default="ncu", help="counted: Nsight Compute (ncu)")
    parser.add_argument("--threshold", type=float, default=10, metavar="PERCENT")
    parser.add_argument("--start", type=float, metavar="SHARE", help="of the ladder (0.2)")
    parser.add_argument("--step", type=float, metavar="FACTOR", help="of the ladder (3)")
    parser.add_argument("--finalists", type=int, metavar="N", help="of the ladder (5)")
    parser.add_argument("--tuning", action="store_true", help="without the held-out kernels")
    parser.add_argument("--svg", type=pathlib.Path, metavar="FILE", help="curves, machines, counters, counted: a picture of all kernels")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes it all there")
    return parser.parse_intermixed_args()


def recorded_kernels(options):
    names = {file.name.split(".")[0] for file in options.spaces.glob("*.json*")}
    names = sorted(name for name in names if (options.specs / f"{name}.toml").exists())
    if options.kernels:
        unknown = set(options.kernels) - set(names)
        if unknown:
            sys.exit(f"not recorded in {options.spaces}: {', '.join(sorted(unknown))}")
        names = [name for name in names if name in options.kernels]
    if options.tuning:
        names = [name for name in names if not held_out(name)]
    if not names:
        sys.exit(f"no recorded spaces in {options.spaces}")
    return names


def score(options, names, threshold):
    """One dictionary for each kernel, as bench_saturation_score prints it."""
    command = [options.program, "--spaces", options.spaces, "--threshold", str(threshold / 100)]
    for option in ("start", "step", "finalists"):
        value = getattr(options, option)
        if value is not None:
            command += [f"--{option}", str(value)]
    command += [options.specs / f"{name}.toml" for name in names]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"{options.program.name} ended with {done.returncode}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [{**row, "held_out": held_out(row["kernel"])} for row in rows]


def machines(options, names):
    """A table of the saturation points; the rows, and a picture."""
    measured = score(options, names, options.threshold)
    found = {machine: emulated(options, machine, names) for machine in MACHINES}
    text = {None: "target"}
    print(f"| kernel | H200, measured | {' | '.join(MACHINES)} |\n|---|---|{'---|' * len(MACHINES)}")
    for row in measured:
        points = [found[machine][row["kernel"]] for machine in MACHINES]
        points = [of if isinstance(of, str) else of["saturation_point"] for of in points]
        cells = [str(text.get(point, point)) for point in (row["saturation_point"], *points)]
        print(f"| {row['kernel']} | {' | '.join(cells)} |")
    return found, plot_machines(found, measured)


def counters(options, names):
    found = emulated(options, options.machine, names)
    for name, of in found.items():
        memory = None if isinstance(of, str) else memory_correlation(of["samples"])
        print(f"{name:17}{'–' if memory is None else f'{memory:.2f}':>6}")
    return found, plot_memory(found)


def measured_counters(options, names):
    """Recorded throughput and counted busy shares, in the form of what is emulated."""
    busy = counted(options, names)
    found = {}
    for row in score(options, list(busy), options.threshold) if busy else []:
        shares = busy[row["kernel"]]
        samples = [[size["size"], size["throughput"], shares[size["size"]]]
                   for size in row["sizes"] if size["size"] in shares]
        found[row["kernel"]] = {"saturation_point": row["saturation_point"], "samples": samples}
        print(f"{row['kernel']:17}{memory_correlation(samples):6.2f}   "
              + " ".join(f"{share:.0%}" for _, _, share in samples))
    return found, plot_memory(found)


def main():
    options = arguments()
    names = recorded_kernels(options)
    picture = None
    pictured = {"machines": machines, "counters": counters, "counted": measured_counters}
    if options.what in pictured:
        rows, picture = pictured[options.what](options, names)
    elif options.what == "thresholds":
        rows = {threshold: score(options, names, threshold) for threshold in range(16)}
        print_thresholds(rows)
    elif options.what == "emulator":
        rows = compare(options, score(options, names, options.threshold))
    else:
        rows = score(options, names, options.threshold)
        (print_table if options.what == "table" else print_curves)(rows)
    if options.what == "curves":
        picture = plot(rows)
    if options.svg and picture:
        options.svg.write_text(picture, encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
