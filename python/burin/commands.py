"""One function per question: predict, explain, advise, run."""

from __future__ import annotations

import json as _json
import os
from typing import Any, Optional, Sequence, Union

from . import _burin
from .answer import Advice, Answer, Explanation, Prediction, Run
from .arguments import Arguments, USAGE, shape_text
from .errors import Error
from .files import Capture, File, Kernel, Path, open, warn

Shape = Union[int, Sequence[int], str, None]
Source = Union[Kernel, File, Path]

# The options of each function beside kernel, grid, block and args, as the command line has them.
_LAUNCH = {"cluster", "shared_bytes", "settings", "flags", "arch", "threads", "max_instructions",
           "trips", "unknown_access"}
_PREDICT = _LAUNCH | {"machine", "model", "warm", "l2_hits", "device"}
_OPTIONS = {
    "predict": _PREDICT,
    "explain": _PREDICT - {"device"} | {"step", "regions", "what_if", "seed", "no_regions", "ladder"},
    "advise": _PREDICT | {"cubin", "top", "rules", "without_rules", "samples_only", "budget",
                          "try_changes", "plan"},
    "run": _LAUNCH | {"sectors", "check_shared"},
}
_TEXT = {"shared_bytes", "step"}
_LISTS = {"settings", "flags", "trips", "l2_hits", "regions", "what_if", "rules", "without_rules"}


def check_options(function: str, options: dict) -> None:
    """Brings the options into the form that the module takes."""
    for name, value in list(options.items()):
        if name not in _OPTIONS[function]:
            import difflib

            near = difflib.get_close_matches(name, _OPTIONS[function], 1)
            raise TypeError(f"{function}() has no option {name}"
                            + (f"; did you mean {near[0]}?" if near else ""))
        if value is None:
            del options[name]
        elif name in _TEXT:
            options[name] = str(value)
        elif name == "cluster":
            options[name] = shape_text(value, name)
        elif name in _LISTS:
            options[name] = [value] if isinstance(value, str) else list(value)


def _only_kernel(source: Source, options: dict) -> Any:
    """The kernel that the source means; a text if it is a launch of a capture."""
    if isinstance(source, Kernel):
        return source
    if isinstance(source, Capture):
        raise Error(f"{source.file}: a capture has many launches; name one: capture.launch(17)", USAGE)
    if not isinstance(source, File):
        path = os.path.expanduser(os.fspath(source))
        if _burin.is_capture(path) or (":" in path and _burin.is_capture(path.rpartition(":")[0])):
            return path
        source = open(path, arch=options.get("arch"), flags=options.get("flags", ()))
    names = {(k.name, k.path) for k in source.kernels}
    if len(names) > 1:
        shown = sorted({k.demangled for k in source.kernels})
        raise Error(f"{source.json['file']}: has {len(names)} kernels; name one: "
                    f"burin.open({source.json['file']!r}).kernel({shown[0]!r})", USAGE)
    if not names:
        raise Error(f"{source.json['file']}: contains no compiled kernels")
    return source._only(source.kernels, source.kernels[0].name)


def _request(function: str, source: Source, grid: Shape, block: Shape, args: Sequence,
             options: dict, out: Sequence[int] = ()) -> tuple:
    check_options(function, options)
    kernel = _only_kernel(source, options)
    given = dict(options, grid=shape_text(grid, "grid"), block=shape_text(block, "block"))
    if isinstance(kernel, str):
        arguments = Arguments(args, out=out)
        given["file"] = kernel
    else:
        arguments = Arguments(args, kernel.json["params"], kernel.demangled, out)
        given.update(file=kernel.path, kernel=kernel.name)
        if not kernel.path.endswith((".cu", ".ptx")):
            given["arch"] = kernel.arch
    given.update(arguments=arguments.texts, contents=arguments.contents)
    return given, arguments


def predict(kernel: Source, grid: Shape = None, block: Shape = None, args: Sequence = (), *,
            machine: Optional[str] = None, **options: Any) -> Prediction:
    """How long a launch takes on a GPU, and where its cycles go. No GPU is used.

    `kernel` is a kernel of :func:`burin.open`, a file with one kernel, or ``"CAPTURE:LAUNCH"``,
    which needs nothing else. An argument is a number, an array (the buffer holds its values), None
    (a null pointer), bytes, or a text such as ``"buf:4M:f32"`` (docs/arguments.md). Options: those
    of ``burin predict`` with underscores, such as ``warm=True`` or ``trips=["12=10"]``.

    >>> p = burin.predict("examples/vector_add.sm_90.cubin", 1024, 256,
    ...                   ["buf:1M:f32", "buf:1M:f32", "buf:1M", 262144], machine="h200")  # doctest: +SKIP
    >>> p.time_us  # doctest: +SKIP
    2.118610101010101
    """
    given, _ = _request("predict", kernel, grid, block, args, dict(options, machine=machine))
    json, text, problems = _burin.predict(given)
    warn(problems)
    return Prediction(_json.loads(json), text)


def explain(kernel: Source, grid: Shape = None, block: Shape = None, args: Sequence = (), *,
            machine: Optional[str] = None, **options: Any) -> Explanation:
    """Which resource limits a launch, where in the code, and what-ifs.

    As :func:`burin.predict`; also ``what_if=["dram.bandwidth=2x"]``, ``regions``, ``ladder=True``.

    >>> burin.explain(kernel, 1024, 256, args, what_if="dram.bandwidth=2x")  # doctest: +SKIP
    """
    given, _ = _request("explain", kernel, grid, block, args, dict(options, machine=machine))
    json, text, problems = _burin.explain(given)
    warn(problems)
    return Explanation(_json.loads(json), text)


def advise(kernel: Source, grid: Shape = None, block: Shape = None, args: Sequence = (), *,
           machine: Optional[str] = None, **options: Any) -> Advice:
    """What to change, on which line, and the expected gain, for one launch.

    As :func:`burin.predict`; also ``top=3``, ``rules=["bank-conflicts"]``, ``plan=True``.

    >>> for f in burin.advise(kernel, 1024, 256, args).findings: print(f.speedup, f.rule)  # doctest: +SKIP
    """
    given, _ = _request("advise", kernel, grid, block, args, dict(options, machine=machine))
    json, text, problems = _burin.advise(given)
    warn(problems)
    launches = _json.loads(json)
    if len(launches) > 1:
        raise Error(f"{given['file']}: a capture has many launches; use burin.open(…).advise()", USAGE)
    return Advice(launches[0], text)


def run(kernel: Source, grid: Shape = None, block: Shape = None, args: Sequence = (), *,
        out: Sequence[int] = (), **options: Any) -> Run:
    """Executes a launch on the CPU, bit for bit as a GPU does, and detects faults.

    The arrays are copied into buffers; ``arrays`` of the result has them after the run, in the
    arguments' order. `out` lists arguments whose arrays take the result themselves. Uninitialised
    memory is :class:`burin.Empty`.

    >>> r = burin.run("examples/vector_add.sm_90.cubin", 4, 256,
    ...               [a, b, burin.Empty(1000), 1000])  # doctest: +SKIP
    >>> r.passed, (r.arrays[2] == a + b).all()  # doctest: +SKIP
    (True, True)
    """
    given, arguments = _request("run", kernel, grid, block, args, options, out)
    given["returned"] = sorted(arguments.arrays)
    json, text, problems, buffers, passed = _burin.run(given)
    warn(problems)
    arrays: list = [None] * len(args)
    unknown = {}
    for position, (data, unknown_bytes) in buffers.items():
        arrays[position] = arguments.result(position, data)
        if unknown_bytes:
            unknown[position] = unknown_bytes
            warn([f"argument {position}: {unknown_bytes} of its {len(data)} bytes are Unknown and 0 "
                  "in the array"])
    return Run(_json.loads(json), text, arrays, passed, unknown)


def machines(name: str = "") -> Answer:
    """The GPUs that burin knows; with a name, all values of that one (docs/machines.md).

    >>> [m.name for m in burin.machines().machines][:2]  # doctest: +SKIP
    """
    json, text, _ = _burin.machines(name)
    return Answer._parse(json, text)
