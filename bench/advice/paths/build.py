"""What is compiled: a cubin for each version that is one kernel, a library for each that has a host function, the
expected results of each kernel, and the harness."""

import concurrent.futures
import pathlib
import shutil
import subprocess
import sys

from paths.cases import FOLDER, ROOT

BUILD = ROOT / "build/advice_paths"
NVCC_FLAGS = ["-arch=sm_90", "-O3", "-lineinfo", "-std=c++17"]


def find_nvcc():
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not pathlib.Path(nvcc).exists():
        sys.exit("no nvcc found: install the CUDA toolkit")
    return pathlib.Path(nvcc).resolve()


def output_of(case, version):
    return BUILD / f"{case.name}.{version.name}.{'so' if version.is_library else 'cubin'}"


def expected_of(case):
    return BUILD / f"{case.name}.expected.so"


def version_command(nvcc, case, version):
    command = [nvcc, *NVCC_FLAGS, *version.flags]
    if version.is_library:
        command += ["-shared", "-cudart", "shared", "-Xcompiler", "-fPIC"]
        command += [f"-l{library}" for library in version.libraries]
    else:
        command += ["-cubin"]
    return [*command, "-o", output_of(case, version), version.source]


def expected_command(case):
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-fopenmp", "-shared", "-fPIC"]
    return ["g++", *flags, "-o", expected_of(case), case.folder / "expected.cc"]


def harness_command(nvcc):
    libraries = nvcc.parents[1] / "lib64"
    return [nvcc, *NVCC_FLAGS, "-cudart", "shared", "-Xcompiler", "-fopenmp", "-Xlinker", f"-rpath={libraries}",
            "-o", BUILD / "harness", FOLDER / "harness/harness.cu", "-lcuda", "-ldl"]


def run(command):
    """What the compiler said if it failed, or ''."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else (done.stdout + done.stderr).strip() or "failed without a message"


def build_all(cases, jobs):
    """{(kernel, version): message} of the versions that cannot be compiled; ends if anything else cannot be."""
    nvcc = find_nvcc()
    BUILD.mkdir(parents=True, exist_ok=True)
    commands = {("harness", ""): harness_command(nvcc)}
    for case in cases:
        commands[case.name, "expected"] = expected_command(case)
        for version in case.versions:
            commands[case.name, version.name] = version_command(nvcc, case, version)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        messages = dict(zip(commands, pool.map(run, commands.values()), strict=True))
    failed = {key: message for key, message in messages.items() if message}
    for (name, version), message in failed.items():
        print(f"{name} {version}: {message}", file=sys.stderr)
    if any(version in ("", "expected") for _, version in failed):
        sys.exit(3)
    return failed
