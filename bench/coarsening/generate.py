#!/usr/bin/env python3
"""Random small kernels for `burin coarsen`, in files of 40, with a launches.json beside them.

    generate.py --seed S --count N --out DIR

They have divergent loops, nested guards, early returns, switches, breaks, gotos, shared tiles with
barriers in uniform flow, shuffles, votes, integer atomics, local arrays, calls and predicated
instructions. They are free of races and end by construction. The same seed gives the same kernels, and
kernel K of a seed is the same whatever N is.
"""

import argparse
import json
import pathlib
import sys

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from coarsening.grammar import make_program
from coarsening.kernels import SCHEMA
from coarsening.program import HELPERS

PER_FILE = 40


def write_files(seed, numbers, folder, per_file=PER_FILE):
    """Writes the kernels with these numbers; returns the programs."""
    folder.mkdir(parents=True, exist_ok=True)
    programs = [make_program(seed, number) for number in numbers]
    entries = []
    for first in range(0, len(programs), per_file):
        group = programs[first : first + per_file]
        file = folder / f"{group[0].name}.cu"
        file.write_text("\n".join([HELPERS, *(program.text() for program in group)]), encoding="utf-8")
        entries += [json.dumps(program.entry(file.name)) for program in group]
    text = f'{{"schema": "{SCHEMA}", "kernels": [\n' + ",\n".join(entries) + "\n]}\n"
    (folder / "launches.json").write_text(text, encoding="utf-8")
    return programs


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, metavar="N")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    options = parser.parse_args()
    programs = write_files(options.seed, range(options.count), options.out)
    print(f"{len(programs)} kernels in {options.out}")


if __name__ == "__main__":
    main()
