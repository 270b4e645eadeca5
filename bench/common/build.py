"""The cubins: one per source, flags and architecture."""

import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def cubins_of(launches):
    """{cubin's name: its launches}, in order."""
    groups = {}
    for launch in launches:
        groups.setdefault(launch.cubin, []).append(launch)
    return groups


def relative(ptx, root):
    """PTX whose line table names sources from the repository's root, and the toolkit's as cuda/include."""
    ptx = ptx.replace(f'"{root}/', '"')
    return re.sub(r'"[^"]*/targets/[^"]*/include/', '"cuda/include/', ptx)


def compile_one(nvcc, launch, folder):
    """In two steps: nvcc writes absolute paths, which would make a cubin differ from place to place."""
    with tempfile.TemporaryDirectory() as scratch:
        ptx = pathlib.Path(scratch, "kernel.ptx")
        command = [nvcc, f"-arch={launch.arch}", "-lineinfo", "-ptx", *launch.flags]
        done = subprocess.run(
            [*command, "-o", str(ptx), str(launch.source.resolve())],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            ptx.write_text(relative(ptx.read_text(), ROOT))
            ptxas = pathlib.Path(nvcc).with_name("ptxas")
            flags = [flag for flag in launch.flags if flag.startswith("-maxrregcount")]
            done = subprocess.run(
                [ptxas, f"-arch={launch.arch}", "-lineinfo", *flags, "-o", folder / launch.cubin, ptx],
                capture_output=True,
                text=True,
                check=False,
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
