#!/usr/bin/env python3
"""Does burin print PTX exactly as the compiler wrote it?

    round_trip.py [--checker build/bench/bench_round_trip] [--match REGEX] [--jobs N]
    round_trip.py --ptx FOLDER      what is there already, such as Triton's cache (triton_ptx.py fills one)

Compiles every kernel of corpus/ and of kernels/ beside this script to PTX: for sm_90 (sm_90a where
a source needs it), the same with -lineinfo, and for sm_75. bench_round_trip parses and prints each.
What nvcc does not compile for an architecture is counted, not compared. Exits 1 at any difference.
Takes about half an hour on two cores.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = ROOT / "bench/coarsening/kernels"
VARIANTS = {  # the second architecture is tried where the first is refused
    "sm_90": (["-arch=sm_90"], ["-arch=sm_90a"]),
    "sm_90 -lineinfo": (["-arch=sm_90", "-lineinfo"], ["-arch=sm_90a", "-lineinfo"]),
    "sm_75": (["-arch=sm_75"],),
}


def options_of(source):
    """Those that a source names in its first lines: `// … Options: -rdc=true`."""
    found = re.search(r"Options: (.*)", source.read_text(encoding="utf-8")[:1000])
    return found.group(1).split() if found else []


def compiled(nvcc, source, attempts, output):
    for attempt in attempts:
        if source.is_relative_to(OWN) and "-arch=sm_90" in attempt:
            continue  # they have kernels for sm_90a alone
        command = [nvcc, "-ptx", "-w", "-std=c++17", *attempt, *options_of(source), source, "-o", output]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return True
    return False


def check(task):
    """(variant, status, bytes, statements, words): status is identical, different or refused."""
    nvcc, checker, source, variant = task
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder, source.stem + ".ptx")
        if not compiled(nvcc, source, VARIANTS[variant], output):
            return variant, "refused", 0, 0, f"{source.relative_to(ROOT)}, {variant}"
        done = subprocess.run([checker, output], capture_output=True, text=True, check=False)
        words = done.stdout.split()
        if done.returncode == 0 and words[:1] == ["identical"]:
            return variant, "identical", int(words[1]), int(words[2]), ""
        told = (done.stdout + done.stderr).strip() or f"exit status {done.returncode}"
        return variant, "different", 0, 0, f"{source.relative_to(ROOT)}, {variant}: {told}"


def check_folder(checker, folder):
    """The PTX files below a folder; the exit status."""
    files = sorted(folder.rglob("*.ptx"))
    if not files:
        sys.exit(f"{folder} has no PTX file")
    done = subprocess.run([checker, *files], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    identical = [line.split() for line in lines if line.startswith("identical ")]
    for line in lines:
        if not line.startswith("identical "):
            print(line)
    print(f"{len(identical)} of {len(files)} files identical, {sum(int(w[1]) for w in identical):,} bytes, "
          f"{sum(int(w[2]) for w in identical):,} statements")
    return 0 if len(identical) == len(files) else 1


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checker", default=ROOT / "build/bench/bench_round_trip", type=pathlib.Path)
    parser.add_argument("--match", default="", metavar="REGEX", help="only sources that match")
    parser.add_argument("--jobs", default=2, type=int, help="compilers at a time (2)")
    parser.add_argument("--ptx", metavar="FOLDER", type=pathlib.Path, help="compile nothing")
    arguments = parser.parse_args()
    if arguments.ptx:
        return check_folder(arguments.checker, arguments.ptx)
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    for program in (nvcc, arguments.checker):
        if not pathlib.Path(program).exists():
            sys.exit(f"{program} is missing")
    sources = [p for folder in (OWN, ROOT / "corpus") for p in sorted(folder.rglob("*.cu"))]
    sources = [p for p in sources if re.search(arguments.match, str(p.relative_to(ROOT)))]
    tasks = [(nvcc, arguments.checker, s, variant) for s in sources for variant in VARIANTS]

    counts, sizes, statements = collections.Counter(), collections.Counter(), collections.Counter()
    different = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for variant, status, size, count, words in pool.map(check, tasks):
            counts[variant, status] += 1
            sizes[variant] += size
            statements[variant] += count
            if status == "different":
                different.append(words)
                print(words)
            elif status == "refused":
                print(f"nvcc refuses {words}")
    print(f"{'':<16} {'identical':>9} {'different':>9} {'refused':>9} {'bytes':>12} {'statements':>12}")
    for variant in VARIANTS:
        row = [counts[variant, s] for s in ("identical", "different", "refused")]
        print(f"{variant:<16} {row[0]:>9} {row[1]:>9} {row[2]:>9} "
              f"{sizes[variant]:>12,} {statements[variant]:>12,}")
    print(f"first difference: {different[0]}" if different else "all identical")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
