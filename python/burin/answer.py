"""Answers: the JSON that the commands write, with its fields as attributes."""

from __future__ import annotations

import json as _json
from typing import Any, Iterator


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Answer(value)
    if isinstance(value, list):
        return [_wrapped(element) for element in value]
    return value


class Answer:
    """A JSON object. Its fields are attributes and items; ``json`` is the plain dict, ``report`` the
    text that the command line prints (also ``str()``), where there is one.

    >>> a = Answer({"time_us": 2.5, "launch": {"grid": [4, 1, 1]}})
    >>> a.time_us, a["time_us"], a.launch.grid
    (2.5, 2.5, [4, 1, 1])
    """

    def __init__(self, fields: dict, text: str = "") -> None:
        self.__dict__["json"] = fields
        self.__dict__["report"] = text  # what the command line prints; "": none

    @classmethod
    def _parse(cls, json: str, text: str = "") -> "Answer":
        return cls(_json.loads(json), text)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return _wrapped(self.__dict__["json"][name])
        except KeyError:
            raise AttributeError(
                f"{type(self).__name__} has no {name}; it has {', '.join(self.json)}"
            ) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self.json[name])

    def __contains__(self, name: object) -> bool:
        return name in self.json

    def __iter__(self) -> Iterator[str]:
        return iter(self.json)

    def keys(self) -> Any:
        return self.json.keys()

    def __dir__(self) -> list:
        return sorted({*super().__dir__(), *self.json})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self.json == other.json

    __hash__ = None  # type: ignore[assignment]  # equal by contents, and those are dicts

    def __reduce__(self) -> tuple:
        return (type(self), (self.json, self.report))

    def __repr__(self) -> str:
        shown = [f"{k}={v!r}" for k, v in self.json.items() if not isinstance(v, (dict, list))]
        return f"{type(self).__name__}({', '.join(shown[:8])}{', …' if len(shown) > 8 else ''})"

    def __str__(self) -> str:
        return self.report or repr(self)


class Prediction(Answer):
    """What :func:`burin.predict` answers: schema ``burin.predict/1`` (docs/predict.md)."""

    time_us: float
    cycles: float
    kernel: str
    machine: str
    occupancy: float
    achieved_occupancy: float


class Explanation(Answer):
    """What :func:`burin.explain` answers: schema ``burin.explain/1`` (docs/explain.md)."""


class Advice(Answer):
    """What :func:`burin.advise` answers: schema ``burin.advise/1`` (docs/advise.md)."""

    findings: list
    limit: str


class Run(Answer):
    """What :func:`burin.run` answers: schema ``burin.run/1`` (docs/run.md), and the arrays.

    ``arrays`` has one element per argument: what the buffer holds after the run, as an array like
    the one that was passed; None for a value or for a buffer given as text.
    """

    arrays: list
    passed: bool
    unknown_bytes: dict
    faults: list
    printed: str

    def __init__(self, fields: dict, text: str = "", arrays: list = [], passed: bool = True,
                 unknown_bytes: dict = {}) -> None:
        super().__init__(fields, text)
        self.__dict__.update(arrays=arrays, passed=passed, unknown_bytes=unknown_bytes)

    def __reduce__(self) -> tuple:
        return (Run, (self.json, self.report, self.arrays, self.passed, self.unknown_bytes))
