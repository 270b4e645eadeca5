#!/usr/bin/env python3
"""How fast the emulator runs: warp instructions a second on one core and on all, and the memory it takes.

    run_speed.py [--burin build/burin] [--repeat 3]

Takes the best of a few runs, as other work on the computer only ever slows one down. The launches are made
of kernels in corpus, sized to run about a second.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import time

from common.corpus import unpacked

ROOT = pathlib.Path(__file__).resolve().parents[1]

LAUNCHES = [
    ("FP32, divergent loop", "control", "mandelbrot --grid 64,64 --block 16,16 --arg buf:1M:undef --arg i32:1024 "
                                        "--arg i32:1024 --arg i32:200"),
    ("integer, hashing", "hashing", "sha256 --grid 400 --block 128 --arg buf:1638400:u8 --arg buf:1638400:undef "
                                    "--arg i32:51200"),
    ("FP32, streaming", "stream", "saxpy --grid 8192 --block 256 --arg f32:2.5 --arg buf:32M:f32 --arg buf:32M:f32 "
                                  "--arg i32:8388608"),
    ("FP32, shared memory", "transpose", "transpose_padded --grid 64,64 --block 32,8 --arg buf:32M:f64 "
                                         "--arg buf:32M:undef --arg i32:2048 --arg i32:2048"),
]


def run(burin, cubin, launch, threads):
    kernel, *options = launch.split()
    command = [burin, "run", cubin, "--kernel", kernel, *options]
    command += ["--threads", str(threads), "--json", "-q"]
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - begin
    return json.loads(done.stdout)["warp_instructions"], seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--burin", default=ROOT / "build/burin")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    cubins = unpacked("cubins")
    cores = os.cpu_count()
    print(f"{'launch':24} {'warp instr.':>12} {'M/s, 1 core':>12} {f'M/s, {cores} cores':>14}")
    for title, cubin, launch in LAUNCHES:
        best = {}
        for threads in (1, cores):
            times = [run(options.burin, cubins / f"{cubin}.sm_90.cubin", launch, threads) for _ in range(options.repeat)]
            best[threads] = min(seconds for _, seconds in times)
            executed = times[0][0]
        print(f"{title:24} {executed:12,} {executed / best[1] / 1e6:12.1f} {executed / best[cores] / 1e6:14.1f}")
    sparse = "copy --grid 4 --block 128 --arg buf:64G:f32 --arg buf:64G:undef --arg i32:1000"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    run(options.burin, cubins / "stream.sm_90.cubin", sparse, 1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"\ntwo buffers of 64 GiB, 4 KB of each touched: at most {max(before, after) / 1024:.0f} MiB in any run here")


main()
