"""Kernel Tuner: its search spaces predicted, its cache files written and read.

    import burin.kernel_tuner as bkt

    space = bkt.Space("vector_add", "vector_add.cu", n, [c, a, b, n],
                      {"block_size_x": [32, 64, 128, 256]}, machine="h200")
    space.write_cache("vector_add_cache.json")
    # Every strategy of Kernel Tuner, on predicted times, without a GPU:
    kernel_tuner.tune_kernel(…, strategy="genetic_algorithm", simulation_mode=True,
                             cache="vector_add_cache.json")
    # On a GPU, the ten configurations with the smallest predicted times:
    kernel_tuner.tune_kernel(…, strategy=bkt.Strategy(space, max_fevals=10))

Names, defaults and units (milliseconds) are Kernel Tuner's. It need not be installed.
"""

from __future__ import annotations

import itertools
import json as _json
import os
from typing import Any, Callable, Iterator, Optional, Sequence, Union

from . import commands
from .arguments import USAGE
from .errors import Error
from .files import open as open_file_with_code

_BLOCK_NAMES = ("block_size_x", "block_size_y", "block_size_z")
_BLOCK_DEFAULTS = (256, 1, 1)
_INVALID = "InvalidConfig"
_NOT_COMPILED = "CompilationFailedConfig"


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


class Space:
    """The configurations of a kernel, and the predicted time of each.

    The arguments of ``kernel_tuner.tune_kernel`` with the same names mean the same; `kernel_source`
    is the path of a CUDA file. `options` are those of :func:`burin.predict`.
    """

    def __init__(self, kernel_name: str, kernel_source: Union[str, "os.PathLike[str]"],
                 problem_size: Any, arguments: Sequence, tune_params: dict, *,
                 grid_div_x: Optional[Sequence[str]] = None,
                 grid_div_y: Optional[Sequence[str]] = None,
                 grid_div_z: Optional[Sequence[str]] = None,
                 restrictions: Any = None, block_size_names: Sequence[str] = _BLOCK_NAMES,
                 compiler_options: Sequence[str] = (), machine: Optional[str] = None,
                 **options: Any) -> None:
        self.kernel_name = kernel_name
        self.source = os.fspath(kernel_source)
        self.problem_size = (
            tuple(problem_size) if hasattr(problem_size, "__iter__") else (problem_size,))
        self.arguments = list(arguments)
        self.tune_params = {name: list(values) for name, values in tune_params.items()}
        self.restrictions = [] if restrictions is None else (
            [restrictions] if callable(restrictions) or isinstance(restrictions, str)
            else list(restrictions))
        self.block_names = (list(block_size_names) + list(_BLOCK_NAMES))[:3]
        self.compiler_options = list(compiler_options)
        self.machine = machine
        self.options = options
        defaults = [[name] if name in self.tune_params or k == 0 else []
                    for k, name in enumerate(self.block_names)]
        given = (grid_div_x, grid_div_y, grid_div_z)
        self.divisors = [list(g) if g is not None else d for g, d in zip(given, defaults)]
        if not all(self.tune_params.values()):
            empty = next(name for name, values in self.tune_params.items() if not values)
            raise Error(f"tune_params: {empty} has no values", USAGE)
        self._rows: dict = {}

    def _allows(self, config: dict) -> bool:
        for rule in self.restrictions:
            if callable(rule):
                if not rule(config):
                    return False
            elif not eval(rule, {"__builtins__": {}}, dict(config)):  # the user's own text
                return False
        return True

    def configurations(self) -> Iterator[dict]:
        """The configurations that the restrictions allow, in Kernel Tuner's order."""
        for values in itertools.product(*self.tune_params.values()):
            config = dict(zip(self.tune_params, values))
            if self._allows(config):
                yield config

    def block(self, config: dict) -> tuple:
        return tuple(int(config.get(name, default))
                     for name, default in zip(self.block_names, _BLOCK_DEFAULTS))

    def grid(self, config: dict) -> tuple:
        known = dict(zip(self.block_names, self.block(config)), **config)
        sizes = list(self.problem_size) + [1] * (3 - len(self.problem_size))
        grid = []
        for size, divisors in zip(sizes, self.divisors):
            divisor = 1
            for text in divisors:
                divisor *= int(eval(text, {"__builtins__": {}}, dict(known)))  # the user's own text
            grid.append(max(1, _ceil_div(int(size), divisor)))
        return tuple(grid)

    def predict(self, config: dict) -> dict:
        """One row of a cache file: the configuration with its predicted ``time`` in ms, or what
        Kernel Tuner writes for one that does not compile or does not fit."""
        key = self.key(config)
        if key not in self._rows:
            self._rows[key] = self._predicted(config)
        return self._rows[key]

    def _predicted(self, config: dict) -> dict:
        block, grid = self.block(config), self.grid(config)
        flags = self.compiler_options + [f"-D{name}={value}" for name, value in config.items()]
        flags += [f"-Dgrid_size_{axis}={n}" for axis, n in zip("xyz", grid)]
        flags += [f"-D{name}={n}" for name, n in zip(self.block_names, block) if name not in config]
        try:
            kernel = open_file_with_code(self.source, flags=flags).kernel(self.kernel_name)  # type: ignore[union-attr]
        except Error as problem:
            if "nvcc" not in problem.message and "ptxas" not in problem.message:
                raise
            return {**config, "time": _NOT_COMPILED, "burin_error": problem.message}
        try:
            answer = commands.predict(kernel, grid, block, self.arguments, machine=self.machine,
                                      flags=flags, **self.options)
        except Error as problem:
            if problem.status == USAGE:
                raise
            return {**config, "time": _INVALID, "burin_error": problem.message}
        return {**config, "time": answer.time_us / 1000, "times": [answer.time_us / 1000]}

    def key(self, config: dict) -> str:
        return ",".join(str(config[name]) for name in self.tune_params)

    def rows(self) -> list:
        """All configurations with their predicted times, fastest first; those that do not compile or
        fit come last."""
        return sorted((self.predict(c) for c in self.configurations()),
                      key=lambda row: row["time"] if isinstance(row["time"], float) else float("inf"))

    def write_cache(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the predicted space as a cache file for Kernel Tuner's simulation mode."""
        rows = {self.key(c): self.predict(c) for c in self.configurations()}
        known = [row for row in rows.values() if isinstance(row["time"], float)]
        if not known:
            raise Error(f"{self.source}: no configuration of {self.kernel_name} can be predicted: "
                        + next((row["burin_error"] for row in rows.values()), "there is none"))
        for row in rows.values():
            row.setdefault("compile_time", 0)
            row.setdefault("verification_time", 0)
            row.setdefault("benchmark_time", 0)
            row.setdefault("strategy_time", 0)
            row.setdefault("framework_time", 0)
            row.setdefault("timestamp", "")
        header = {"device_name": f"burin {self.machine or 'default'}", "kernel_name": self.kernel_name,
                  "problem_size": list(self.problem_size),
                  "tune_params_keys": list(self.tune_params), "tune_params": self.tune_params,
                  "objective": "time", "cache": rows}
        text = _json.dumps(header, indent=1)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)


def read_cache(path: Union[str, "os.PathLike[str]"]) -> list:
    """The rows of a cache file of Kernel Tuner; of one that was cut off, those that are whole.

    >>> [row["time"] for row in read_cache("vector_add_cache.json")]  # doctest: +SKIP
    """
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as problem:
        raise Error(f"{os.fspath(path)}: cannot be read: {problem}") from None
    # While tuning, Kernel Tuner leaves the last brackets out, and a comma after the last row.
    for end in ("", "}}", "}\n}"):
        try:
            cache = _json.loads(text.rstrip().rstrip(",") + end)
            break
        except ValueError:
            continue
    else:
        raise Error(f"{os.fspath(path)}: is not a cache file of Kernel Tuner: it is not JSON")
    if not isinstance(cache, dict) or not isinstance(cache.get("cache"), dict):
        raise Error(f"{os.fspath(path)}: is not a cache file of Kernel Tuner: it has no cache")
    return list(cache["cache"].values())


class Strategy:
    """A strategy for ``tune_kernel(strategy=…)``: measures the configurations in the order of their
    predicted times, at most `max_fevals` of them."""

    def __init__(self, space: Space, max_fevals: Optional[int] = None) -> None:
        self.space = space
        self.max_fevals = max_fevals

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> Any:
        names = list(self.space.tune_params)

        def time(element: tuple) -> float:
            predicted = self.space.predict(dict(zip(names, element)))["time"]
            return predicted if isinstance(predicted, float) else float("inf")

        ordered = sorted(searchspace.sorted_list(), key=time)
        return runner.run(ordered[:self.max_fevals], tuning_options)
