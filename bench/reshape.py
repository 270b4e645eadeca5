#!/usr/bin/env python3
"""Which kernels may be launched in another block shape, and is the proof ever wrong?

    reshape.py build                the cubins of reshape/launches.txt, to build/corpus/cubins (needs
                                    nvcc; `scripts/corpus.py pack cubins` keeps them)
    reshape.py table [--match REGEX]

Asks `burin run --reshape` about every launch of corpus/, accuracy/, advice/ and reshape/, and counts the
kernels that are proved and those that are refused, by reason. Every kernel with a free axis is then
executed in its own shape and in 8 others that the proof allows, and all its buffers are compared
bit for bit. Exits 1 where a buffer differs.

Executed are the launches of a kernel with the fewest threads. A grid of more than 8,192 threads is
cut along its longest sides, and the proof asked again about what is left; what then still takes more
than 20 million warp instructions is cut further, or its large numbers are divided by 64. Buffers of more than --most-bytes in all are not
executed.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from advice.pairs import read_pairs
from common import build
from common.corpus import KERNELS, cubin_folder
from common.launches import read_all, read_list

ROOT = pathlib.Path(__file__).resolve().parents[1]
OWN = ROOT / "bench/reshape/launches.txt"
SHAPES = 8
MAX_THREADS = 8_192  # of a launch that is executed
SIDES = [1, 2, 3, 7, 8, 16, 24, 32, 33, 48, 64, 96, 100, 128, 192, 256, 500, 512, 768, 1000, 1024]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["build", "table"])
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--match", default="", metavar="REGEX", help="only kernels that match")
    parser.add_argument("--most-bytes", type=int, default=256 << 20, metavar="N")
    parser.add_argument("--jobs", type=int, default=1, help="launches at a time (1)")
    parser.add_argument("--all", action="store_true", help="a line for every kernel")
    return parser.parse_args()


def every_launch():
    launches = read_all(KERNELS) + read_list(OWN, KERNELS)
    launches += read_list(ROOT / "bench/accuracy/launches.txt", KERNELS)
    for pair in read_pairs(ROOT / "bench/advice/pairs.txt", KERNELS):
        launches += [launch for launch in (pair.slow, pair.fixed) if launch]
    return launches


def sides(text):
    numbers = [int(n) for n in text.split(",")]
    return numbers + [1] * (3 - len(numbers))


def shape_of(launch):
    return sides(launch.value("--grid")), sides(launch.value("--block"))


def threads_of(launch):
    grid, block = shape_of(launch)
    return [g * b for g, b in zip(grid, block)]


def product(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


def bytes_of(launch):
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    total = 0
    for text in launch.values("--arg"):
        if text.startswith("buf:"):
            size = text.split(":")[1]
            total += int(size.rstrip("KMG")) * units.get(size[-1], 1)
    return total


def with_less(launch, divisor):
    """The launch with its large numbers divided: a grid-stride loop has less to do then."""
    words = []
    for word in launch.options:
        kind, _, number = word.partition(":")
        large = kind in ("i32", "u32", "i64", "u64") and number.isdigit() and int(number) > MAX_THREADS
        words.append(f"{kind}:{int(number) // divisor}" if large else word)
    return dataclasses.replace(launch, options=words)


def words_of(launch, grid, block):
    words = list(launch.options)
    words[words.index("--grid") + 1] = ",".join(map(str, grid))
    words[words.index("--block") + 1] = ",".join(map(str, block))
    return words


def run(options, cubin, launch, grid, block, *more):
    command = [options.burin, "run", cubin, "--kernel", launch.kernel]
    return subprocess.run(
        [*command, *words_of(launch, grid, block), *more],
        capture_output=True,
        text=True,
        check=False,
    )


def verdict(options, cubin, launch, grid, block):
    done = run(options, cubin, launch, grid, block, "--reshape", "--json")
    if done.returncode != 0:
        sys.exit(f"{launch.name}: {done.stderr.strip()}")
    return json.loads(done.stdout)["axes"]


def reason(axes):
    """None for a kernel that may be reshaped, else why its most important axis may not."""
    if any(axis["freedom"] != "fixed" for axis in axes):
        return None
    return max(axes, key=lambda axis: axis["threads"])["reason"]


def cut(grid, block, most):
    grid = list(grid)
    while product(grid) * product(block) > most and max(grid) > 1:
        longest = grid.index(max(grid))
        grid[longest] = (grid[longest] + 1) // 2
    return grid


def other_shapes(axes, block, name):
    """Up to SHAPES other block shapes that the axes allow, with their grids."""
    choices = []
    for axis, side in zip(axes, block):
        allowed = {
            "any": SIDES,
            "divisors": [s for s in range(1, 1025) if axis["threads"] % s == 0],
            "fixed": [],
        }[axis["freedom"]]
        choices.append(sorted({side, *(s for s in allowed if s % axis["multiple"] == 0)}))
    shapes = [
        shape
        for shape in itertools.product(*choices)
        if list(shape) != list(block) and product(shape) <= 1024 and shape[2] <= 64
    ]
    random.Random(name).shuffle(shapes)
    for shape in shapes:
        yield shape, [-(-axis["threads"] // s) for axis, s in zip(axes, shape)]


def contents(options, cubin, launch, grid, block, folder):
    """The bytes of all buffers after the launch, or None where it cannot be launched so."""
    files = {i: pathlib.Path(folder, f"{i}.bin") for i in launch.buffers}
    outputs = itertools.chain(*(("--out", f"{i}={file}") for i, file in files.items()))
    done = run(options, cubin, launch, grid, block, "--threads", "1", "--max-instructions", "20000000", *outputs)
    if done.returncode not in (0, 1) or not all(file.exists() for file in files.values()):
        return None
    return [file.read_bytes() for file in files.values()]


def check(options, cubin, launch):
    """(shapes executed, [those whose buffers differ]) of a launch, cut where it is large."""
    whole, block = shape_of(launch)
    executed, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for most, divisor in ((MAX_THREADS, 1), (MAX_THREADS // 16, 1), (MAX_THREADS, 64)):
            grid = cut(whole, block, most)
            launch = with_less(launch, divisor)
            expected = contents(options, cubin, launch, grid, block, folder)
            if expected is not None:
                break
        else:
            return 0, []
        axes = verdict(options, cubin, launch, grid, block)
        for shape, new_grid in other_shapes(axes, block, launch.name):
            if executed == SHAPES:
                break
            found = contents(options, cubin, launch, new_grid, shape, folder)
            executed += found is not None
            if found is not None and found != expected:
                wrong.append(",".join(map(str, shape)))
    return executed, wrong


def examine(options, folder, kernel, launches):
    """One kernel's launches: (reason or None, freedom, shapes executed, wrong ones, a text)."""
    launches.sort(key=lambda launch: product(threads_of(launch)))
    cubin = folder / launches[0].cubin
    verdicts = [verdict(options, cubin, launch, *shape_of(launch)) for launch in launches]
    free = [launch for launch, axes in zip(launches, verdicts) if reason(axes) is None]
    if not free:
        axes = verdicts[0]
        text = max(axes, key=lambda axis: axis["threads"])["text"]
        return reason(axes), "fixed", 0, [], text
    axes = next(axes for axes in verdicts if reason(axes) is None)
    freedom = " ".join(f"{a['axis']}:{a['freedom']}" for a in axes if a["freedom"] != "fixed")
    small = [launch for launch in free if bytes_of(launch) <= options.most_bytes][:1]
    executed, wrong = check(options, cubin, small[0]) if small else (0, [])
    return None, freedom, executed, wrong, ""


def main():
    options = arguments()
    folder = options.cubins = cubin_folder(KERNELS)
    if options.what == "build":
        return build.compile_all(read_list(OWN, KERNELS), options)
    kernels = {}
    for launch in every_launch():
        if not re.search(options.match, launch.kernel):
            continue
        if (folder / launch.cubin).exists():
            kernels.setdefault((launch.cubin, launch.kernel), []).append(launch)
    reasons, freedoms = collections.Counter(), collections.Counter()
    shapes, few, wrong_kernels = 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda item: examine(options, folder, *item), kernels.items())
        for (cubin, kernel), (why, freedom, executed, wrong, text) in zip(kernels, results):
            if why:
                reasons[why] += 1
            else:
                freedoms[freedom] += 1
                shapes += executed
                few += executed == 0
            if wrong:
                wrong_kernels.append(f"{kernel} of {cubin}: {' '.join(wrong)}")
            if options.all or wrong:
                print(f"{cubin:36} {kernel:24} {freedom:20} {executed} {' '.join(wrong)} {text}")
                sys.stdout.flush()
    free, fixed = sum(freedoms.values()), sum(reasons.values())
    print(f"\n{len(kernels)} kernels: {free} may be reshaped, {fixed} are fixed\n")
    for freedom, count in freedoms.most_common():
        print(f"  {count:4}  {freedom}")
    for why, count in reasons.most_common():
        print(f"  {count:4}  fixed: {why}")
    print(f"\n{shapes} other shapes executed, {few} kernels in none: their launches are too large")
    print(f"{len(wrong_kernels)} kernels with another result in another shape")
    for text in wrong_kernels:
        print(f"  {text}")
    return 1 if wrong_kernels else 0


if __name__ == "__main__":
    sys.exit(main())
