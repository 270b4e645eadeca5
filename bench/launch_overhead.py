#!/usr/bin/env python3
"""What the launch library costs and gains on a GPU: docs/launch.md has the figures.

    launch_overhead.py [--build DIR] [--out DIR] [--arch sm_90]

Builds two programs with nvcc, each plain and relinked with build/burin_launch.options: one that
launches an empty kernel many times (launch_overhead/empty_launches.cu), and an ordinary one
(examples/launch/app.cu). Runs them plain, relinked and with LD_PRELOAD, and prints

  - what a launch through the library costs more than one without, in one process, where both take
    turns (launch_overhead/paired.cu),
  - nanoseconds per launch of an empty kernel, and the difference from the plain program, which runs
    just before: the median over ROUNDS,
  - times of the ordinary program's kernels, and whether its results are bit for bit the same,
  - the log of the launch library, which shows the shapes.

--out keeps all of it as overhead.json and log.txt. Needs a GPU and nvcc. The programs are built for
--arch, for which the rational programs were made (registers differ between architectures).
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOOPS = ["call", "call_sizes", "call_new", "throughput"]
ROUNDS = 11


def build(source, out, arch, options=None, extra=()):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    command = [nvcc, "-O2", "-std=c++17", f"-arch={arch}", str(source), "-o", str(out), *extra]
    if options:
        command += ["-Xcompiler", f"@{options}"]
    subprocess.run(command, check=True)


def ways(plain, relinked, library):
    """Name, program and environment of each way to run."""
    preload = {"LD_PRELOAD": str(library)}
    return [
        ("plain", plain, {}),
        ("relinked, off", relinked, {"BURIN_LAUNCH": "off"}),
        ("relinked, on", relinked, {}),
        ("preloaded, off", plain, {**preload, "BURIN_LAUNCH": "off"}),
        ("preloaded, on", plain, preload),
    ]


def run(program, environment):
    answer = subprocess.run(
        [str(program)], env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True
    )
    if answer.returncode != 0:
        raise SystemExit(f"{program.name} with {environment} ended with {answer.returncode}\n{answer.stdout}")
    return answer.stdout


def paired(folder, build_folder, arch):
    program = folder / "paired"
    build(
        ROOT / "bench/launch_overhead/paired.cu",
        program,
        arch,
        extra=["-I", str(build_folder / "include"), str(build_folder / "libburin_launch.a")],
    )
    return run(program, {"BURIN_LAUNCH_PATH": str(ROOT / "bench/launch_overhead")})


def overhead(folder, build_folder, arch):
    plain, relinked = folder / "empty", folder / "empty_relinked"
    source = ROOT / "bench/launch_overhead/empty_launches.cu"
    build(source, plain, arch)
    build(source, relinked, arch, build_folder / "burin_launch.options")
    common = {"BURIN_LAUNCH_PATH": str(ROOT / "bench/launch_overhead")}
    rows = {}

    def measure(program, environment):
        lines = run(program, {**common, **environment}).splitlines()
        return {loop: float(ns) for loop, ns in (line.split() for line in lines)}

    for _ in range(ROUNDS):
        for name, program, environment in ways(plain, relinked, build_folder / "libburin_launch.so"):
            if name == "plain":
                continue
            before = measure(plain, {})
            after = measure(program, environment)
            for loop in LOOPS:
                rows.setdefault("plain", {}).setdefault(loop, []).append(before[loop])
                rows.setdefault(name, {}).setdefault(loop, []).append(after[loop] - before[loop])
    return {name: {loop: statistics.median(row[loop]) for loop in LOOPS} for name, row in rows.items()}


def example(folder, build_folder, arch, log):
    plain, relinked = folder / "app", folder / "app_relinked"
    source = ROOT / "examples/launch/app.cu"
    build(source, plain, arch)
    build(source, relinked, arch, build_folder / "burin_launch.options")
    common = {"BURIN_LAUNCH_PATH": str(ROOT / "examples/launch"), "BURIN_LAUNCH_LOG": str(log)}
    rows = {}
    for name, program, environment in ways(plain, relinked, build_folder / "libburin_launch.so"):
        if name.endswith("off"):
            continue
        for line in run(program, {**common, **environment}).splitlines():
            kernel, us, checksum = re.fullmatch(r"(.*?) +([\d.]+) us +(\w+)", line).groups()
            rows.setdefault(re.sub(" +", " ", kernel), {})[name] = (float(us), checksum)
    refined = {"BURIN_LAUNCH": "refine", "BURIN_LAUNCH_WISDOM": str(folder / "wisdom")}
    library = {"LD_PRELOAD": str(build_folder / "libburin_launch.so")}
    for name, environment in [("refining", refined), ("refined", refined)]:
        for line in run(plain, {**common, **environment, **library}).splitlines():
            kernel, us, checksum = re.fullmatch(r"(.*?) +([\d.]+) us +(\w+)", line).groups()
            rows[re.sub(" +", " ", kernel)][name] = (float(us), checksum)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--arch", default="sm_90")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        log = folder / "log.txt"
        together = paired(folder, arguments.build.resolve(), arguments.arch)
        print("ns per launch, in one process\n" + together)
        launches = overhead(folder, arguments.build.resolve(), arguments.arch)
        print(f"{'ns per launch':<16}" + "".join(f"{loop:>12}" for loop in LOOPS))
        for way, row in launches.items():
            sign = "" if way == "plain" else "+"
            print(f"{way:<16}" + "".join(f"{row[loop]:>{sign}12.0f}" for loop in LOOPS))
        kernels = example(folder, arguments.build.resolve(), arguments.arch, log)
        print()
        failed = False
        for kernel, row in kernels.items():
            first = row["plain"]
            cells = [f"{way} {us:.1f} us ({first[0] / us:.2f}x)" for way, (us, _) in row.items()]
            same = all(checksum == first[1] for _, checksum in row.values())
            failed |= not same
            print(f"{kernel:<24} {'same results' if same else 'RESULTS DIFFER'}  " + "  ".join(cells))
        print()
        print(log.read_text() if log.exists() else "no log")
        if arguments.out:
            arguments.out.mkdir(parents=True, exist_ok=True)
            (arguments.out / "overhead.json").write_text(
                json.dumps({"paired_ns": together, "launches_ns": launches, "kernels": kernels}, indent=1) + "\n"
            )
            if log.exists():
                shutil.copy(log, arguments.out / "log.txt")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
