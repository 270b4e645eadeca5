"""Where the kernels of corpus/ and what is packed beside them are, as files."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "corpus"


def unpacked(name):
    """The folder with the files of an archive: "cubins", "oracle" or "captures" (scripts/corpus.py)."""
    done = subprocess.run([sys.executable, ROOT / "scripts/corpus.py", "unpack", name], check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)  # it has said why
    return ROOT / "build/corpus" / name


def cubin_folder(kernels):
    """The cubins of a folder of kernels: those of corpus/ are unpacked, others stand in its folder cubin."""
    return unpacked("cubins") if kernels.resolve() == KERNELS else kernels / "cubin"
