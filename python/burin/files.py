"""Files with GPU code, and captures."""

from __future__ import annotations

import json as _json
import os
import shutil
import tempfile
import warnings
import weakref
from typing import Any, Iterable, Optional, Union

from . import _burin
from .answer import Advice, Answer
from .errors import Error, Warning
from .table import table

Path = Union[str, "os.PathLike[str]"]


def warn(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        warnings.warn(sentence, Warning, stacklevel=3)


class Kernel(Answer):
    """A kernel of a file: one element of ``images[].kernels`` of schema ``burin.inspect/1``.

    >>> k = burin.open("examples/vector_add.sm_90.cubin").kernels[0]  # doctest: +SKIP
    >>> k.name, k.arch, k.registers, k.shared_bytes, k.instructions  # doctest: +SKIP
    ('vector_add', 'sm_90', 26, 0, 104)
    """

    name: str
    demangled: str
    registers: int
    shared_bytes: int

    def __init__(self, fields: dict, path: str = "", arch: str = "", owner: Any = None) -> None:
        super().__init__(fields)
        self.__dict__.update(path=path, arch=arch, _owner=owner)

    @property
    def instructions(self) -> int:
        """The number of instructions; from sm_70 on they have 16 bytes each."""
        return self.json["code_bytes"] // 16

    def predict(self, *args: Any, **options: Any) -> "Any":
        """:func:`burin.predict` of this kernel."""
        from . import commands

        return commands.predict(self, *args, **options)

    def explain(self, *args: Any, **options: Any) -> "Any":
        """:func:`burin.explain` of this kernel."""
        from . import commands

        return commands.explain(self, *args, **options)

    def advise(self, *args: Any, **options: Any) -> "Any":
        """:func:`burin.advise` of this kernel."""
        from . import commands

        return commands.advise(self, *args, **options)

    def run(self, *args: Any, **options: Any) -> "Any":
        """:func:`burin.run` of this kernel."""
        from . import commands

        return commands.run(self, *args, **options)

    def __reduce__(self) -> tuple:
        return (Kernel, (self.json, self.path, self.arch))

    def __repr__(self) -> str:
        return f"<Kernel {self.json['demangled']} ({self.arch}) of {self.path}>"


class File(Answer):
    """What :func:`burin.open` returns for anything with GPU code: schema ``burin.inspect/1``."""

    def __init__(self, fields: dict, text: str = "", owner: Any = None) -> None:
        super().__init__(fields, text)
        self.__dict__["_owner"] = owner

    @property
    def kernels(self) -> list:
        """The kernels of all images, in order."""
        made = []
        for image in self.json["images"]:
            path = self.json["file"]
            if self.json["format"] in ("zip", "folder") and image["member"]:
                path = os.path.join(path, image["member"])
            made += [Kernel(k, path, image["arch"], self._owner) for k in image["kernels"]]
        return made

    def kernel(self, name: str) -> Kernel:
        """The kernel with this name, mangled or not, or with this as a part of it."""
        for matches in (lambda k: name in (k["name"], k["demangled"]),
                        lambda k: name == k["demangled"].split("(")[0].split("<")[0].split("::")[-1],
                        lambda k: name in k["demangled"] or name in k["name"]):
            found = [k for k in self.kernels if matches(k.json)]
            if found:
                return self._only(found, name)
        raise Error(f"{self.json['file']}: no kernel is named {name}; it has "
                    f"{', '.join(sorted({k.demangled for k in self.kernels})[:10]) or 'none'}")

    def _only(self, found: list, name: str) -> Kernel:
        # Builds of one kernel for several GPUs are one kernel: the newest that burin executes.
        executed = [k for k in found if 80 <= _number(k.arch) <= 90] or found
        newest = max(_number(k.arch) for k in executed)
        executed = [k for k in executed if _number(k.arch) == newest]
        if len({(k.name, k.path) for k in executed}) > 1:
            names = sorted({f"{k.demangled} of {k.path}" for k in executed})
            raise Error(f"{self.json['file']}: {len(names)} kernels fit {name!r}: {', '.join(names[:5])}")
        return executed[0]

    def table(self, pandas: Optional[bool] = None) -> Any:
        """One row per kernel: a pandas.DataFrame where pandas is installed, else a list of dicts."""
        fields = ("name", "demangled", "registers", "shared_bytes", "local_bytes", "stack_bytes",
                  "barriers", "param_bytes", "code_bytes")
        return table([{"arch": k.arch, "path": k.path, "instructions": k.instructions,
                       **{f: k.json[f] for f in fields}} for k in self.kernels], pandas)

    def __repr__(self) -> str:
        return f"<File {self.json['file']} with {len(self.kernels)} kernels>"


def _number(arch: str) -> int:
    return int("".join(c for c in arch if c.isdigit()) or 0)


class Capture(Answer):
    """A recorded program, or an Nsight Compute report: schema ``burin.capture/1``."""

    def table(self, pandas: Optional[bool] = None) -> Any:
        """One row per launch, with the kernel's name: a pandas.DataFrame where pandas is installed,
        else a list of dicts."""
        names = {k["id"]: k["demangled"] for k in self.json["kernels"]}
        gpus = {g["id"]: g["name"] for g in self.json["gpus"]}
        rows = []
        for launch in self.json["launches"]:
            row = dict(launch)
            row["kernel"] = names.get(launch["kernel"], "")
            row["gpu"] = gpus.get(launch["gpu"], "")
            rows.append(row)
        return table(rows, pandas)

    def kernel_table(self, pandas: Optional[bool] = None) -> Any:
        """One row per kernel: launches, total time and samples."""
        rows = {k["id"]: {"kernel": k["demangled"], "launches": 0, "time_us": 0.0,
                          "samples": k["samples"]} for k in self.json["kernels"]}
        for launch in self.json["launches"]:
            row = rows[launch["kernel"]]
            row["launches"] += 1
            row["time_us"] += launch["time_us"] or 0.0
        return table(sorted(rows.values(), key=lambda row: -row["time_us"]), pandas)

    def launch(self, number: int) -> str:
        """The name of a launch, for :func:`burin.predict` and the others."""
        return f"{self.json['file']}:{number}"

    def compare(self, machine: Optional[str] = None) -> Answer:
        """Predicts the launches and compares them with the measured times."""
        json, text, problems = _burin.capture(
            {"file": self.json["file"], "compare": True, "machine": machine})
        warn(problems)
        return Answer._parse(json, text)

    def advise(self, kernels: int = 5, **options: Any) -> list:
        """Advice for the kernels that take the most time."""
        from .commands import check_options

        check_options("advise", options)
        json, text, problems = _burin.advise({"file": self.json["file"], "kernels": kernels, **options})
        warn(problems)
        return [Advice(fields, text) for fields in _json.loads(json)]

    def __repr__(self) -> str:
        return f"<Capture {self.json['file']} with {len(self.json['launches'])} launches>"


class _Folder:
    """A folder for code that is in memory; gone with the last object that uses it."""

    def __init__(self, name: str, files: dict) -> None:
        folder = tempfile.mkdtemp(prefix="burin-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = os.path.join(folder, name)
        for each, data in files.items():
            with open_file(os.path.join(folder, each), "wb") as out:
                out.write(data)


open_file = open


def open_bytes(name: str, files: dict, kernel: Optional[str] = None) -> File:
    """Opens the file `name` of `files` (name to bytes), which exist in memory only."""
    folder = _Folder(name, files)
    json, text, problems = _burin.inspect({"file": folder.path, "kernel": kernel})
    warn(problems)
    return File(_json.loads(json), text, folder)


def open(file: Union[Path, bytes], arch: Optional[str] = None, kernel: Optional[str] = None,
         flags: Iterable[str] = (), instructions: bool = False) -> Union[File, Capture]:
    """Opens a file with GPU code, or a capture.

    A cubin, fatbin, executable, object, static or shared library; CUDA source and PTX, which are
    compiled first; a Python wheel, a file in it (``"torch.whl/torch/lib/libtorch_cuda.so"``) or a
    folder such as Triton's cache; the bytes of a cubin; a capture of ``burin record`` or an Nsight
    Compute report.

    >>> burin.open("examples/vector_add.sm_90.cubin").kernels  # doctest: +SKIP
    [<Kernel vector_add (sm_90) of examples/vector_add.sm_90.cubin>]
    """
    if isinstance(file, (bytes, bytearray, memoryview)):
        return open_bytes("kernel.cubin", {"kernel.cubin": bytes(file)}, kernel)
    path = os.path.expanduser(os.fspath(file))
    if _burin.is_capture(path):
        json, text, problems = _burin.capture({"file": path, "kernel": kernel})
        warn(problems)
        return Capture(_json.loads(json), text)
    json, text, problems = _burin.inspect({
        "file": path, "arch": arch, "kernel": kernel, "flags": list(flags),
        "instructions": instructions})
    warn(problems)
    return File(_json.loads(json), text)
