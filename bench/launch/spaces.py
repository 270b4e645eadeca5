"""What was recorded of the kernels: a time for every block shape at every size.

`bench/tuning/record.py` leaves a T4 file for each size, NAME.n_4096_m_128.json.gz;
those that are kept are packed without .gz.
"""

import dataclasses
import functools
import gzip
import json
import math
import pathlib
import tomllib

from accuracy.holdout import held_out

FOLDER = pathlib.Path(__file__).resolve().parent
KERNELS = FOLDER / "kernels"
SPACES, EMULATED, OTHERS = "launch_spaces", "launch_emulated", "launch_others"  # archives of scripts/corpus.py
KLARAPTOR = FOLDER / "klaraptor"

TRAINED_US = 1000  # sizes whose best launch takes longer are not trained on
TRAINED_SHARE = 0.1  # nor sizes of more than this share of the largest work
JUDGED = (3.5, 20)  # judged: sizes of so many times the largest trained work


@dataclasses.dataclass
class Spec:
    kernel: str
    dimensions: int
    sizes: list  # [{"n": 4096}], in the order of the spec
    work: str  # expression over the sizes
    path: pathlib.Path

    def work_of(self, size):
        return eval(self.work, {"min": min, "max": max}, dict(size))


@dataclasses.dataclass
class Recorded:
    size: dict  # {"n": 4096}
    work: float
    times: dict  # {(x, y, z): µs}
    registers: int
    repeats: dict  # {(x, y, z): [µs]}, one for each launch

    @functools.cached_property
    def best(self):
        return min(self.times, key=self.times.get)

    @property
    def optimum_us(self):
        return self.times[self.best]

    @property
    def slowest_us(self):
        return max(self.times.values())


@dataclasses.dataclass
class Kernel:
    spec: Spec
    recorded: list  # [Recorded], by work
    others: list  # [Recorded]: sizes that `burin fit` adds to the trained ones

    @property
    def name(self):
        return self.spec.kernel

    @property
    def held_out(self):
        return held_out(self.name)

    def at(self, size):
        return next((recorded for recorded in self.recorded if recorded.size == size), None)

    @functools.cached_property
    def trained(self):
        limit = TRAINED_SHARE * max(recorded.work for recorded in self.recorded)
        return [r for r in self.recorded if r.optimum_us < TRAINED_US and r.work <= limit]

    @functools.cached_property
    def judged(self):
        if not self.trained:
            return []
        largest = max(recorded.work for recorded in self.trained)
        return [r for r in self.recorded if JUDGED[0] <= r.work / largest <= JUDGED[1]]


def read_spec(file):
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    return Spec(
        content["kernel"],
        len(content["launch"]["block"]),
        content["problem"]["sizes"],
        content["objective"]["maximise"].partition(" / time_us")[0],
        file,
    )


def read_size(file):
    """{"m": 128, "n": 4096} of NAME.m_128_n_4096.json or NAME.m_128_n_4096.json.gz."""
    words = file.name.removesuffix(".gz").removesuffix(".json").partition(".")[2].split("_")
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}


def read_recorded(file, spec):
    data = file.read_bytes()
    content = json.loads(gzip.decompress(data) if file.suffix == ".gz" else data)
    times, repeats, registers = {}, {}, 0
    for result in content["results"]:
        if result["invalidity"] != "correct":
            continue
        measured = {entry["name"]: entry["value"] for entry in result["measurements"]}
        shape = tuple(result["configuration"].get(f"block_size_{axis}", 1) for axis in "xyz")
        times[shape] = 1000 * measured["time"]
        repeats[shape] = [1000 * ms for ms in result.get("times", {}).get("runtimes", [])] or [times[shape]]
        registers = max(registers, int(measured.get("registers", 0)))
    size = read_size(file)
    return Recorded(size, spec.work_of(size), times, registers, repeats)


def read_spaces(folder, stem, spec):
    """[Recorded] of a kernel, by work."""
    files = [*folder.glob(f"{stem}.*.json"), *folder.glob(f"{stem}.*.json.gz")]
    recorded = [read_recorded(space, spec) for space in sorted(files)]
    return sorted((r for r in recorded if r.times), key=lambda r: r.work)


def read_kernels(folder, names=(), specs=KERNELS, others=None):
    """[Kernel] of those with recorded sizes, by name."""
    kernels = []
    for file in sorted(specs.glob("*.toml")):
        spec = read_spec(file)
        if names and spec.kernel not in names:
            continue
        recorded = read_spaces(folder, file.stem, spec)
        if recorded:
            kernels.append(Kernel(spec, recorded, read_spaces(others, file.stem, spec) if others else []))
    return kernels


def distance(a, b):
    """Between two sizes: the length of the vector of the logarithms of their ratios."""
    return math.hypot(*(math.log(a[name] / b[name]) for name in a))


def size_text(size):
    return " ".join(f"{name}={value}" for name, value in size.items())


def shape_text(shape, dimensions=3):
    return "×".join(str(axis) for axis in shape[:dimensions])
