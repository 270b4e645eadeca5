"""The kernels of corpus/coarsen, and the ways in which each is coarsened."""

import dataclasses
import hashlib
import itertools
import json
import pathlib

from common.corpus import KERNELS
from common.launches import read_list
from common.worker import byte_count, dims

FOLDER = KERNELS / "coarsen"
SCHEMA = "burin.coarsen.launches/1"
AXES = ("thread-x", "thread-y", "block-x", "block-y")
DIVIDES = r"divi|multiple|remainder"  # what a refusal of a factor that does not divide must say
ANY_REASON = ""
NOT_EXACT = {"unordered", "ignore", "count", "tolerance", "arch"}  # notes of launches that are left out


def held_out(kernel):
    """Whether the kernel belongs to the third on which nobody develops. Template arguments do not count."""
    name = kernel.partition("<")[0]
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3 == 0


@dataclasses.dataclass
class Kernel:
    name: str  # as --kernel takes it
    source: pathlib.Path
    grid: list  # [x, y, z]
    block: list
    smem: int
    arguments: list  # as --arg takes them
    kind: str = "other"
    features: tuple = ()
    expected: str = "coarsens"
    possible: dict = dataclasses.field(default_factory=dict)  # axis: yes, warps, either or no
    reason: str = ANY_REASON
    part: str = "visible"  # or held-out, corpus, random

    @property
    def buffers(self):
        """{position: bytes} of the arguments that are buffers."""
        return {
            i: byte_count(text.split(":")[1])
            for i, text in enumerate(self.arguments)
            if text.startswith("buf:")
        }

    def launch_words(self, grid=None, block=None, smem=None):
        """The options of the launch, or of one with another shape."""
        smem = self.smem if smem is None else smem
        words = ["--kernel", self.name]
        words += ["--grid", ",".join(map(str, grid or self.grid))]
        words += ["--block", ",".join(map(str, block or self.block))]
        words += ["--smem", str(smem)] if smem else []
        return words + [word for text in self.arguments for word in ("--arg", text)]

    def size(self, axis):
        sides = self.block if axis.startswith("thread") else self.grid
        return sides["xyz".index(axis[-1])]


@dataclasses.dataclass(frozen=True)
class Step:
    """One --coarsen-… option."""

    axis: str  # "thread-x"
    factor: int
    stride: int = 1  # threads only

    @property
    def words(self):
        level, _, letter = self.axis.partition("-")
        text = f"{letter}={self.factor}"
        return [f"--coarsen-{level}", f"{text},stride={self.stride}" if level == "thread" else text]

    def divides(self, kernel):
        return kernel.size(self.axis) % (self.factor * self.stride) == 0

    def __str__(self):
        return self.axis + f"={self.factor}" + (f",stride={self.stride}" if self.stride != 1 else "")


@dataclasses.dataclass(frozen=True)
class Combination:
    steps: tuple
    group: str  # an axis, "both" (two options) or "remainder" (a factor that does not divide the grid)

    @property
    def words(self):
        return [word for step in self.steps for word in step.words]

    def expectation(self, kernel):
        """(yes, either, no or remainder, pattern of the reason). remainder: it should work, but may be
        refused because the factor does not divide."""
        allowed = [kernel.possible.get(step.axis, "either") for step in self.steps]
        if self.group == "remainder":
            pattern = f"{DIVIDES}|{kernel.reason}" if kernel.reason else DIVIDES
            word = "remainder" if set(allowed) <= {"yes", "warps"} else "no" if "no" in allowed else "either"
            return word, pattern
        if "no" in allowed:
            return "no", kernel.reason
        torn = any(
            kernel.possible.get(step.axis) == "warps" and step.stride % 32 != 0 for step in self.steps
        )
        return ("either" if torn or "either" in allowed else "yes"), kernel.reason

    def shape(self, kernel):
        """(grid, block) of the coarsened launch."""
        grid, block = list(kernel.grid), list(kernel.block)
        for step in self.steps:
            sides = block if step.axis.startswith("thread") else grid
            at = "xyz".index(step.axis[-1])
            sides[at] = -(-sides[at] // step.factor)
        return grid, block

    def __str__(self):
        return " ".join(map(str, self.steps))


def combinations(kernel, factors=(2, 4, 8), strides=(1, 32)):
    """Every factor and stride that divides, along each axis; some axes together; one remainder."""
    found = []
    for axis in AXES:
        for factor in factors:
            for stride in strides if axis.startswith("thread") else (1,):
                step = Step(axis, factor, stride)
                if kernel.size(axis) > 1 and step.divides(kernel):
                    found.append(Combination((step,), axis))
    for first, second in itertools.combinations(AXES, 2):
        steps = (Step(first, 2), Step(second, 2))
        if all(kernel.size(step.axis) > 1 and step.divides(kernel) for step in steps):
            found.append(Combination(steps, "both"))
    uneven = [Step("block-x", f) for f in (2, 3, 4) if kernel.grid[0] > f and kernel.grid[0] % f]
    return found + [Combination((step,), "remainder") for step in uneven[:1]]


def read_folder(folder, part):
    file = folder / "launches.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    if content.get("schema") != SCHEMA:
        raise SystemExit(f"{file} is of schema {content.get('schema')}; this reads {SCHEMA}")
    return [
        Kernel(
            name=entry["kernel"],
            source=folder / entry["file"],
            grid=dims(entry["grid"]),
            block=dims(entry["block"]),
            smem=entry.get("smem", 0),
            arguments=entry["args"],
            kind=entry["kind"],
            features=tuple(entry["features"]),
            expected=entry["expected"],
            possible=entry["possible"],
            reason=entry.get("reason", ANY_REASON),
            part=part,
        )
        for entry in content["kernels"]
    ]


def corpus_kernels():
    """The tiny launches of corpus/launches.txt whose results are compared bit for bit. Nothing is known
    about what is possible, so any refusal is accepted."""
    chosen = [
        launch
        for launch in read_list(KERNELS / "launches.txt", KERNELS)
        if launch.name.endswith("/tiny") and not NOT_EXACT & set(launch.notes) and not launch.value("--set")
    ]
    return [
        Kernel(
            name=launch.kernel,
            source=launch.source,
            grid=dims(launch.value("--grid")),
            block=dims(launch.value("--block")),
            smem=byte_count(launch.value("--smem")),
            arguments=launch.values("--arg"),
            expected="unknown",
            part="corpus",
        )
        for launch in chosen
    ]


def read_kernels(part, folder=FOLDER):
    """Those of one part, or of "all" but corpus; held-out ones first."""
    readers = {
        "held-out": lambda: read_folder(folder / "held_out", "held-out"),
        "visible": lambda: read_folder(folder, "visible"),
        "corpus": corpus_kernels,
    }
    parts = ("held-out", "visible") if part == "all" else (part,)
    return [kernel for name in parts for kernel in readers[name]()]
