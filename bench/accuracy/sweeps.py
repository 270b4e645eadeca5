"""sweeps.txt: launches in every power-of-two block shape, NAME FILE KERNEL --threads X,Y OPTIONS…

The grid covers X by Y threads. `--tile BYTES,HALO` asks for dynamic shared memory that the shape
sizes: BYTES·(x + 2·HALO)·(y + 2·HALO).
"""

import dataclasses

from common.launches import read_list

OURS = {"--threads", "--tile"}


def shapes():
    """All (x, y) of powers of two with 32 to 1024 threads."""
    powers = [1 << bits for bits in range(11)]
    return [(x, y) for x in powers for y in powers if 32 <= x * y <= 1024]


def name_of(shape):
    return f"{shape[0]}x{shape[1]}"


def options_of(sweep, shape):
    """The options of the sweep's launch in one shape."""
    x, y = shape
    across, down = (int(word) for word in sweep.value("--threads").split(","))
    options = ["--grid", f"{-(-across // x)},{-(-down // y)}", "--block", f"{x},{y}"]
    if sweep.value("--tile"):
        size, halo = (int(word) for word in sweep.value("--tile").split(","))
        options += ["--smem", str(size * (x + 2 * halo) * (y + 2 * halo))]
    for word, value in zip(sweep.options[::2], sweep.options[1::2]):
        if word not in OURS:
            options += [word, value]
    return options


def launch_of(sweep, shape):
    return dataclasses.replace(
        sweep, name=f"{sweep.name}/{name_of(shape)}", options=options_of(sweep, shape)
    )


def read_sweeps(file, folder):
    return read_list(file, folder)
