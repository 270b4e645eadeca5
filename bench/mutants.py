#!/usr/bin/env python3
"""Does burin survive damaged files and wrong launches? Predicts and advises on mutants of the corpus.

    mutants.py                                10,000 mutants, each through predict and advise
    mutants.py --count 2000 --seed 7          others, and fewer of them
    mutants.py --only 123 --seed 7            one of them again, with burin's messages
    mutants.py --keep FOLDER                  where failing mutants are kept (build/mutants)

A mutant is a tiny launch of the corpus whose cubin or options are changed: flipped bits, runs of bytes, a
cut-off end, swapped sections, patched instructions, damaged headers, other arguments, buffers and shapes. It
fails where burin crashes, takes more than 10 seconds or more than 2 GiB. Seconds are CPU time on one thread,
so that other programs on the computer do not count; a process that waits without computing is ended by the
clock after 30 times as many. Exit status 1: a mutant failed. The same seed gives the same mutants.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import threading

from common.corpus import KERNELS, unpacked
from common.launches import read_all
from mutants.mutate import mutate_file, mutate_options

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMMANDS = ("predict", "advise")
CLOCK = 30  # seconds of the clock for a second of CPU time, at most
MOST_ADDRESSES = 8 << 30  # bytes: protects the computer; what counts is the resident size


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--count", type=int, default=10_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="only this mutant, with messages")
    parser.add_argument("--match", default="", metavar="TEXT", help="only launches with this in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--memory", type=float, default=2, metavar="GIB")
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build/mutants", metavar="FOLDER")
    return parser.parse_args()


def tiny_launches(match):
    """Of every kernel the first launch, which is the smallest."""
    launches = {}
    for launch in read_all(KERNELS):
        launches.setdefault((launch.cubin, launch.kernel), launch)
    return [launch for launch in launches.values() if match in launch.name]


def make(launches, cubins, seed, number):
    """The mutant with this number: its launch, bytes, options and what was done to it."""
    chance = random.Random(seed * 1_000_003 + number)
    launch = chance.choice(launches)
    data = (cubins / launch.cubin).read_bytes()
    options = list(launch.options)
    done = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        if chance.random() < 0.25:
            options, what = mutate_options(chance, options)
        else:
            data, what = mutate_file(chance, data)
        done.append(what)
    return launch, data, options, done


def run(command, limits):
    """Exit status (negative: the signal), CPU seconds, bytes and messages of a process."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        cpu = int(limits.seconds) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))

    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages, preexec_fn=limit
        )
        timer = threading.Timer(CLOCK * limits.seconds, process.kill)
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        text = messages.read().decode(errors="replace")
    return process.returncode, used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss, text


def failures(result, limits):
    status, seconds, size, text = result
    slow = seconds > limits.seconds or status == -signal.SIGKILL
    if slow:
        yield f"over {limits.seconds:g} s"
    if size > limits.memory * (1 << 30):
        yield f"over {limits.memory:g} GiB"
    if not slow and (status < 0 or status >= 128 or "internal error" in text):
        yield "crashes"


def try_mutant(number, launches, cubins, limits, folder):
    """One row per command: name, failures, status, and the command with its mutant."""
    launch, data, options, done = make(launches, cubins, limits.seed, number)
    cubin = folder / f"{limits.seed}-{number}.{launch.cubin}"
    cubin.write_bytes(data)
    rows = []
    for name in COMMANDS:
        command = [str(limits.burin), name, str(cubin), "--kernel", launch.kernel, *options]
        command += ["--machine", "h200", "--threads", "1", "-q"]
        result = run(command, limits)
        rows.append((name, list(failures(result, limits)), result, command, launch.name, done))
    if any(row[1] for row in rows):
        limits.keep.mkdir(parents=True, exist_ok=True)
        cubin.rename(limits.keep / cubin.name)
    else:
        cubin.unlink()
    return number, rows


def report(number, row, keep):
    name, failed, (status, seconds, size, text), command, launch, done = row
    print(f"mutant {number} of {launch} ({'; '.join(done)}): {name} {', '.join(failed)}")
    print(f"  status {status}, {seconds:.1f} s, {size >> 20} MiB; {text.strip()[-200:]}")
    command[2] = str(keep / pathlib.Path(command[2]).name)
    print("  " + shlex.join(command), flush=True)


def main():
    limits = arguments()
    launches, cubins = tiny_launches(limits.match), unpacked("cubins")
    numbers = range(limits.count) if limits.only is None else [limits.only]
    failed, statuses = collections.Counter(), {name: collections.Counter() for name in COMMANDS}
    longest, largest = 0.0, 0
    with tempfile.TemporaryDirectory() as made, concurrent.futures.ThreadPoolExecutor(limits.jobs) as pool:
        jobs = (pool.submit(try_mutant, n, launches, cubins, limits, pathlib.Path(made)) for n in numbers)
        for job in concurrent.futures.as_completed(list(jobs)):
            number, rows = job.result()
            for row in rows:
                status, seconds, size, _ = row[2]
                failed.update(row[1])
                statuses[row[0]][status] += 1
                longest, largest = max(longest, seconds), max(largest, size)
                if row[1] or limits.only is not None:
                    report(number, row, limits.keep)
    print(f"{len(numbers):,} mutants of {len(launches)} launches, seed {limits.seed}")
    for kind in ("crashes", f"over {limits.seconds:g} s", f"over {limits.memory:g} GiB"):
        print(f"{kind:12} {failed[kind]:6,}")
    print(f"longest {longest:.1f} s, largest {largest >> 20:,} MiB")
    for name, counts in statuses.items():
        print(f"{name:12} exit status " + ", ".join(f"{s}: {n:,}" for s, n in sorted(counts.items())))
    if failed:
        print(f"failing mutants are in {limits.keep}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
