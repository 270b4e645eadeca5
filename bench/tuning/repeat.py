"""Do several tuning runs find equally good configurations?

    tuning.py repeat [--device cuda:0] [--spec bench/tuning/kernels/gemm.toml] [--runs 10] [--budget 200]

Tunes with so many seeds, and compares the times of the winners, as the final of each run measured them. The target is
that all are within 2 % of the best.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = 1.02


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="tuning.py repeat", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--spec", type=pathlib.Path, default=ROOT / "bench/tuning/kernels/gemm.toml")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget", type=int, default=200)
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    return parser.parse_args(words)


def main(words):
    options = arguments(words)
    winners = []
    for seed in range(options.runs):
        command = [options.burin, "tune", options.spec, "--device", options.device, "--budget", options.budget]
        command += ["--seed", seed, "--json", "--quiet"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr.strip() or f"burin ended with {done.returncode}")
        answer = json.loads(done.stdout)
        answer = answer.get("runs", [answer])[0]
        winners.append(answer["best"]["time_us"])
        print(f"seed {seed}: {winners[-1]:.2f} µs in {answer['seconds']:.0f} s: {answer['best']['config']}", flush=True)
    worst = max(winners) / min(winners)
    print(f"the winners of {options.runs} runs are within {100 * (worst - 1):.1f} % of the best (target: 2 %)")
    return 0 if worst <= TARGET else 1
