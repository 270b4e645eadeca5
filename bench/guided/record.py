"""Examines every configuration of recorded spaces on the emulator; see bench/guided.py."""

import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import subprocess
import threading
import time

from tuning.spaces import FOLDER, find_spaces

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "bench/tuning/kernels"
RECORDS = ROOT / "bench/guided/records"  # whole spaces
SEARCHED = ROOT / "bench/guided/searched"  # what the search asked for

# Spaces in the order in which they are recorded: small and cheap ones first, other problem sizes of
# one kernel last.
ORDER = [
    "matrix_product", "coulombic_potential", "transpose", "softmax", "layer_norm",
    "sum_of_absolute_differences", "contraction_d1_6.extent_16", "contraction_d1_5.extent_16",
    "convolution", "stencil", "nbody", "batched_matvec", "mri_fhd", "histogram", "spmv", "reduction",
    "gemm",
]


def lines_of(file):
    """The complete lines of a file that a killed process may have left, or of its packed form."""
    packed = file.with_name(file.name + ".gz")
    if not file.exists() and packed.exists():
        file.write_bytes(gzip.decompress(packed.read_bytes()))
    if not file.exists():
        return []
    return [line for line in file.read_text().splitlines() if line.endswith("]") and line != "[]"]


def indices_left(command, file):
    count = int(subprocess.run([*command, "--count"], capture_output=True, text=True, check=True).stdout)
    done = {int(line[1:line.index(",")]) for line in lines_of(file)}
    left = [index for index in range(count) if index not in done]
    random.Random(0).shuffle(left)  # so that processes have equally much to do
    return left, count


def examine(command, indices, file, lock):
    """One process, its lines appended to the file as they come."""
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with worker:
        worker.stdin.write("\n".join(map(str, indices)) + "\n")
        worker.stdin.close()
        for line in worker.stdout:
            with lock, file.open("a", encoding="utf-8") as out:
                out.write(line)


def record(name, options, seconds):
    spec, _, size = name.partition(".")
    command = [str(options.program), "--burin", str(options.burin), "--machine", options.machine,
               "--seconds", f"{seconds:.0f}", str(KERNELS / f"{spec}.toml"), size]
    file = options.out / f"{name}.jsonl"
    file.write_text("".join(line + "\n" for line in lines_of(file)), encoding="utf-8")
    left, count = indices_left(command, file)
    begin = time.monotonic()
    lock = threading.Lock()
    shares = [left[k::options.jobs] for k in range(options.jobs)]
    threads = [threading.Thread(target=examine, args=(command, share, file, lock))
               for share in shares if share]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{name}: {len(lines_of(file))} of {count} configurations, {time.monotonic() - begin:.0f} s",
          flush=True)


def examine_as_searched(name, measured, options, end):
    """Only what the search asks for; it is run again and again until it has all it needs."""
    spec, _, size = name.partition(".")
    command = [str(options.program), "--burin", str(options.burin), "--machine", options.machine,
               str(KERNELS / f"{spec}.toml"), size]
    file = options.out / f"{name}.jsonl"
    if not file.exists():
        file.write_text("[]\n", encoding="utf-8")
    search = [str(options.search), *options.options.split(), "--whole", "--seeds", "0",
              str(KERNELS / f"{spec}.toml"), str(file), str(measured)]
    while time.monotonic() < end:
        answer = json.loads(subprocess.run(search, capture_output=True, text=True, check=True).stdout)
        if "missing" not in answer:
            print(f"{name}: {answer['examined']} examined, {answer['optimum_us'] / answer['guided_us']:.3f} of the optimum",
                  flush=True)
            return
        examine(command, answer["missing"], file, threading.Lock())
    print(f"{name}: the time was over", flush=True)


def main(words):
    parser = argparse.ArgumentParser(prog="guided.py record")
    parser.add_argument("--out", type=pathlib.Path, default=RECORDS)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin nothing new after this time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--machine", default="h200")
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bench/bench_guided_examine")
    parser.add_argument("--search", type=pathlib.Path, default=ROOT / "build/bench/bench_guided_search")
    parser.add_argument("--as-searched", action="store_true", help="only what the guided search asks for")
    parser.add_argument("--options", default="", help="for bench_guided_search, with --as-searched")
    parser.add_argument("spaces", nargs="*", help="names (default: all)")
    options = parser.parse_args(words)
    options.out.mkdir(parents=True, exist_ok=True)
    known = find_spaces([FOLDER])
    names = options.spaces or [n for n in ORDER if n in known] + sorted(known.keys() - set(ORDER))
    end = time.monotonic() + options.seconds
    if options.as_searched:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda name: examine_as_searched(name, known[name], options, end), names))
        return 0
    for name in names:
        if end - time.monotonic() > 2:
            record(name, options, end - time.monotonic())
    return 0
