#!/usr/bin/env python3
"""Does `burin coarsen` give the same results, and refuse for the right reasons?

    coarsening.py check                       every kernel of corpus/coarsen, every factor and stride
    coarsening.py check --part held-out       only those that nobody develops on (or visible, corpus)
    coarsening.py check --kernel NAME --all   one kernel, with every refusal
    coarsening.py check --every 10            a tenth of that, from another combination on for each kernel
    coarsening.py check --device              the same on the GPU of this computer, instead of the emulator
    coarsening.py random --seed S --count N   random kernels; stops at the first wrong result
    coarsening.py random --originals          only executes the random kernels themselves
    coarsening.py gains                       what coarsening gains on the recorded spaces of an H200
    coarsening.py best                        how much of that --best finds without a GPU
    coarsening.py best --choose, --measure    asks burin again; times its choices on the GPU of this computer
    coarsening.py transformer                 errors planted into the transformation: does the check find them?
    coarsening.py mutants --count N           errors planted into coarsened PTX: are they noticed?

check tries thread-x and thread-y with each factor and stride that divides the block, block-x and block-y
with each factor that divides the grid, pairs of these, and a factor that leaves a remainder. Each is
executed by burin's emulator through --check; --verify compares the buffers once more with `burin run`,
independently. launches.json says what the semantics allow (corpus/coarsen/README.md).

A row has the number of combinations that are ok for each axis; `3+3r`: 3 ok, 3 refused as they may be.
Exit status 1: a wrong result, a crash, a timeout, a refusal for a wrong reason, a kernel that had to be
refused and was not, `not implemented`, or fewer kernels that coarsen than --min-thread-x and
--min-block-x percent. Needs nvcc, no GPU.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import sys

from coarsening import best, gains, mutants, random_kernels, transformer
from coarsening.device import DeviceJudge
from coarsening.judge import Judge
from coarsening.kernels import combinations, read_kernels
from coarsening.table import percent, print_head, print_kernel, totals

ROOT = pathlib.Path(__file__).resolve().parents[1]


def numbers(text):
    return [int(word) for word in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["check", "random", "mutants", "gains", "best", "transformer"])
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--part", choices=["visible", "held-out", "corpus", "all"], default="all")
    parser.add_argument("--kernel", metavar="NAME", help="only kernels with this in their name; transformer: errors with this in their sentence")
    parser.add_argument("--factors", type=numbers, default=[2, 4, 8], metavar="N,…")
    parser.add_argument("--strides", type=numbers, default=[1, 32], metavar="N,…")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--seconds", type=float, default=60, help="of CPU time for one command (60)")
    parser.add_argument("--verify", action="store_true", help="compare the buffers by `burin run` too")
    parser.add_argument("--device", action="store_true", help="check: run on the GPU of this computer")
    parser.add_argument("--choose", action="store_true", help="best: ask burin for its choices")
    parser.add_argument("--measure", action="store_true", help="best: time them on the GPU")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="check: every Nth combination only")
    parser.add_argument("--stop", action="store_true", help="check: exit with 2 at the first wrong result")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="transformer: every Nth error only")
    parser.add_argument("--all", action="store_true", help="print every refusal")
    parser.add_argument("--min-thread-x", type=float, default=90, metavar="PERCENT")
    parser.add_argument("--min-block-x", type=float, default=70, metavar="PERCENT")
    parser.add_argument("--kernels", type=pathlib.Path, help="a folder like corpus/coarsen")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes it all there")
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build/coarsening", metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200, metavar="N")
    parser.add_argument("--time-limit", type=float, default=1e9, metavar="SECONDS", help="random: begin nothing new then")
    parser.add_argument("--tries", type=int, default=2, help="combinations of each random kernel (2)")
    parser.add_argument("--originals", action="store_true", help="random, mutants: without coarsening")
    parser.add_argument("--min-noticed", type=float, default=75, metavar="PERCENT", help="mutants (75)")
    options = parser.parse_args()
    options.keep = options.keep.resolve()
    return options


def chosen(options):
    folder = {"folder": options.kernels} if options.kernels else {}
    kernels = read_kernels(options.part, **folder)
    kernels = [kernel for kernel in kernels if (options.kernel or "") in kernel.name]
    if not kernels:
        sys.exit(f"no kernel of part {options.part} has '{options.kernel}' in its name")
    return kernels


def some(kernel, found, options):
    """Every Nth combination, from another one on for each kernel."""
    first = int(hashlib.sha256(kernel.name.encode()).hexdigest(), 16) % options.every
    return found[first :: options.every]


def try_all(options, kernels):
    """[(kernel, [(combination, verdict)])], each printed as soon as it and those before it are done."""
    if options.device:
        judge = DeviceJudge(options.burin, options.seconds, options.keep)
    else:
        judge = Judge(options.burin, options.seconds, options.verify, options.keep)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = [
            (
                kernel,
                [
                    (combination, pool.submit(judge.try_one, kernel, combination))
                    for combination in some(kernel, combinations(kernel, options.factors, options.strides), options)
                ],
            )
            for kernel in kernels
        ]
        for kernel, jobs in waiting:
            rows.append((kernel, [(combination, job.result()) for combination, job in jobs]))
            print_kernel(*rows[-1], everything=options.all)
            sys.stdout.flush()
            if options.stop and any(verdict.bad for _, verdict in rows[-1][1]):
                pool.shutdown(wait=False, cancel_futures=True)
                sys.exit(2)
    return rows


def write_json(file, rows, figures):
    kernels = [
        {
            "kernel": kernel.name,
            "part": kernel.part,
            "kind": kernel.kind,
            "results": [
                {"options": str(combination), "verdict": verdict.word, "detail": verdict.detail}
                for combination, verdict in results
            ],
        }
        for kernel, results in rows
    ]
    text = json.dumps({"schema": "burin.coarsening/1", "totals": figures, "kernels": kernels}, indent=1)
    file.write_text(text + "\n", encoding="utf-8")


def check(options):
    kernels = chosen(options)
    print_head()
    rows = try_all(options, kernels)
    figures = {}
    for part in ("held-out", "visible", "corpus"):
        mine = [row for row in rows if row[0].part == part]
        if mine:
            figures[part] = totals(part, mine)
    figures["all"] = totals("all", rows) if len(figures) > 1 else next(iter(figures.values()))
    if options.json:
        write_json(options.json, rows, figures)
    failed = any(
        verdict.bad or verdict.word == "not implemented" for _, results in rows for _, verdict in results
    )
    if not options.kernel and options.part != "corpus" and options.every == 1:
        limits = (("thread-x", options.min_thread_x), ("block-x", options.min_block_x))
        for axis, least in limits:
            share = figures["all"][axis]
            reached = percent(share["coarsen"], share["of"])
            if reached < least:
                print(f"only {reached:.1f} % coarsen in {axis}; {least:g} % are required")
                failed = True
    return 1 if failed else 0


def main():
    options = arguments()
    if not options.burin.exists():
        sys.exit(f"{options.burin} does not exist: build it, or name one with --burin")
    commands = {"check": check, "random": random_kernels.run, "mutants": mutants.run, "gains": gains.gains, "best": best.run,
                "transformer": transformer.run}
    return commands[options.what](options)


if __name__ == "__main__":
    sys.exit(main())
