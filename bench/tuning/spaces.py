"""Recorded spaces: which files there are, and which of them are held out.

The constants of the strategies are chosen on the others, and on the synthetic spaces, alone; the
figures that count are those of the held-out third. It is decided by a hash of the name, as for
bench/accuracy, before a strategy has ever run on the space.
"""

import hashlib
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "spaces"
FORMATS = ("_T4", "_kt")  # how files that hold the same space in two formats are told apart


def space_name(file):
    """The name of the space in a file: `gemm_RTX3090` of `gemm_RTX3090_kt.json.gz`, `gemm.n_64` of `gemm.n_64.json`."""
    stem = pathlib.Path(file).name.split(".json")[0]
    for ending in FORMATS:
        stem = stem.removesuffix(ending)
    return stem


def held_out(name):
    """Whether the space belongs to the third. Constants may be chosen on every synthetic one."""
    name = name.split(".")[0]  # all problem sizes of a kernel are on one side
    if name.startswith("synthetic_"):
        return False
    return hashlib.sha256(name.encode()).digest()[0] % 3 == 0


def find_spaces(paths):
    """{name: file} of the files and folders given; a space in two formats counts once."""
    files = []
    for path in paths or [FOLDER]:
        files += sorted(path.glob("*.json*")) if path.is_dir() else [path]
    spaces = {}
    for file in files:
        spaces.setdefault(space_name(file), file)
    return spaces
