"""The cubins: one per source, flags and architecture."""

import concurrent.futures
import pathlib
import shutil
import subprocess
import sys


def cubins_of(launches):
    """{cubin's name: its launches}, in order."""
    groups = {}
    for launch in launches:
        groups.setdefault(launch.cubin, []).append(launch)
    return groups


def compile_one(nvcc, launch, folder):
    command = [nvcc, f"-arch={launch.arch}", "-lineinfo", "-cubin", *launch.flags]
    command += ["-o", str((folder / launch.cubin).resolve()), launch.source.name]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=launch.source.parent, check=False
    )
    return launch.cubin, done.returncode, (done.stdout + done.stderr).strip()


def compile_all(launches, options):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not pathlib.Path(nvcc).exists():
        sys.exit("there is no nvcc here; the CUDA toolkit has it")
    options.cubins.mkdir(parents=True, exist_ok=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        firsts = [group[0] for group in cubins_of(launches).values()]
        for name, status, words in pool.map(
            lambda launch: compile_one(nvcc, launch, options.cubins), firsts
        ):
            print(f"{name}: {words}" if words else name)
            failed += status != 0
    return 1 if failed else 0
