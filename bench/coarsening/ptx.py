"""CUDA files with many kernels as PTX files with one each: nvcc starts once, ptxas sees one at a time."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from coarsening.judge import FMAD

ENTRY = re.compile(r"^\.visible \.entry (\w+)\(", re.MULTILINE)


def nvcc():
    found = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not pathlib.Path(found).exists():
        raise SystemExit("there is no nvcc here; the CUDA toolkit has it")
    return found


@contextlib.contextmanager
def own_cache():
    """A cache of compiled files for burin that is deleted afterwards: thousands of kernels that are used once
    would push everything else out of the user's."""
    before = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        try:
            yield
        finally:
            os.environ.pop("XDG_CACHE_HOME")
            if before is not None:
                os.environ["XDG_CACHE_HOME"] = before


def compile_ptx(source, ptx, flags=()):
    """None, or what nvcc said."""
    command = [nvcc(), "-arch=sm_90", "-ptx", FMAD, *flags, "-o", str(ptx), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else (done.stdout + done.stderr).strip()


def end_of_body(text, begin):
    """Just after the brace that closes the first one. Calls and inline assembly have braces of their own."""
    depth = 0
    for brace in re.finditer(r"[{}]", text[begin:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return begin + brace.end()
    raise ValueError("a kernel's body does not end")


def split(text):
    """{kernel: PTX with this kernel alone}. All that is not a kernel is in each of them."""
    starts = [match.start() for match in ENTRY.finditer(text)]
    names = ENTRY.findall(text)
    shared, kernels = [text[: starts[0]] if starts else text], {}
    for begin, end, name in zip(starts, [*starts[1:], len(text)], names):
        close = end_of_body(text, text.index("\n{", begin))
        kernels[name] = text[begin:close] + "\n"
        shared.append(text[close:end])
    return {name: "".join(shared) + kernel for name, kernel in kernels.items()}
