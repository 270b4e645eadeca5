"""The kernels of kernels/ with their launches, and the versions of each: naive, step1 … step4, reference."""

import dataclasses
import hashlib
import json
import pathlib
import re
import sys

from paths.split import NAMES, held_out, set_of

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
KERNELS = FOLDER / "kernels"
STEPS = FOLDER / "steps"  # what a follower of the advice wrote
FIXED = FOLDER / "fixed"  # what `burin advise --fix` made
STEP_NAMES = ("step1", "step2", "step3", "step4")
STEP_KEYS = {
    *("advice", "promised", "skipped", "from", "predicted_us", "predicted_from_us"),
    *("kernel", "grid", "block", "smem", "flags", "libraries"),
}


@dataclasses.dataclass
class Version:
    name: str  # "naive", "step1", "reference"
    source: pathlib.Path
    kernel: str
    grid: str  # as burin takes it: "512,512"
    block: str
    smem: str
    flags: list  # more options of nvcc
    libraries: list  # "cublas"
    notes: dict  # of stepN.json: "advice", "promised", "from"

    @property
    def is_library(self):
        """Whether the source has a host function `launch` that does everything, instead of one kernel to launch."""
        return re.search(r"\blaunch\s*\(\s*void\s*\*\*", self.source.read_text(encoding="utf-8")) is not None

    @property
    def hash(self):
        """Of what was measured: the source and how it is compiled and launched."""
        launch = [self.kernel, self.grid, self.block, self.smem, *self.flags]
        return hashlib.sha256(self.source.read_bytes() + "|".join(launch).encode()).hexdigest()[:16]


@dataclasses.dataclass
class Case:
    name: str
    content: dict  # of case.json
    steps: pathlib.Path = STEPS

    @property
    def held_out(self):
        return held_out(self.name)

    @property
    def set(self):
        return set_of(self.name)

    @property
    def folder(self):
        return KERNELS / self.name

    @property
    def steps_folder(self):
        return self.steps / self.name

    @property
    def followed(self):
        """Whether somebody has followed the advice; a folder without steps says that there was none."""
        return self.steps_folder.is_dir()

    def version(self, name, source, changes):
        case = self.content | changes
        return Version(
            name,
            source,
            case["kernel"],
            case["grid"],
            case["block"],
            case.get("smem", "0"),
            changes.get("flags", []),
            changes.get("libraries", self.content.get("libraries", []) if name == "reference" else []),
            changes,
        )

    def step(self, name):
        """The version that a follower of the advice wrote, or None."""
        source, notes = self.steps_folder / f"{name}.cu", self.steps_folder / f"{name}.json"
        if not source.exists():
            return None
        changes = json.loads(notes.read_text(encoding="utf-8")) if notes.exists() else {}
        unknown = set(changes) - STEP_KEYS
        if unknown:
            sys.exit(f"{notes}: '{sorted(unknown)[0]}' is not known; known are {', '.join(sorted(STEP_KEYS))}")
        return self.version(name, source, changes)

    @property
    def versions(self):
        steps = [self.step(name) for name in STEP_NAMES]
        return [
            self.version("naive", self.folder / "naive.cu", {}),
            *[step for step in steps if step is not None],
            self.version("reference", self.folder / "reference.cu", {}),
        ]


def read_cases(names, steps=None):
    """The cases of these names, or all of them, with the steps of a folder."""
    unknown = set(names) - set(NAMES)
    if unknown:
        sys.exit(f"there is no kernel {sorted(unknown)[0]}; there are {', '.join(NAMES)}")
    return [
        Case(name, json.loads((KERNELS / name / "case.json").read_text(encoding="utf-8")), steps or STEPS)
        for name in NAMES
        if not names or name in names
    ]


def burin_options(case, version):
    """The launch as options of `burin predict`, `explain` and `advise`."""
    words = ["--kernel", version.kernel, "--grid", version.grid, "--block", version.block]
    if version.smem != "0":
        words += ["--smem", version.smem]
    for argument in case.content["arguments"]:
        words += ["--arg", argument]
    return words
