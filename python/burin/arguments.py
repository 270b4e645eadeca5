"""Python values as arguments of a kernel, in the grammar of docs/arguments.md."""

from __future__ import annotations

import copy
import re
import sys
from typing import Any, Optional, Sequence

from .errors import Error

USAGE = 2


class Empty:
    """A buffer of uninitialised memory for :func:`burin.run`: reading it before the kernel has
    written it is reported as a fault. What it holds after the run is returned as an array.

    >>> burin.run(kernel, 4, 256, [a, b, burin.Empty(1024, "float32"), 1024])  # doctest: +SKIP
    """

    def __init__(self, shape: Any, dtype: Any = "float32") -> None:
        import numpy

        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype = numpy.dtype(dtype)
        self.nbytes = int(numpy.prod(self.shape, dtype=object)) * self.dtype.itemsize


# What a C++ type of the kernel's name means: kind as in NumPy, bytes.
_TYPES = {
    "float": ("f", 4), "double": ("f", 8), "__half": ("f", 2),
    "int": ("i", 4), "unsigned int": ("u", 4), "long": ("i", 8), "unsigned long": ("u", 8),
    "long long": ("i", 8), "unsigned long long": ("u", 8), "short": ("i", 2),
    "unsigned short": ("u", 2), "char": ("i", 1), "signed char": ("i", 1),
    "unsigned char": ("u", 1), "bool": ("b", 1),
}
_KINDS = {"f": "float", "i": "int", "u": "uint", "b": "bool"}


def parameter_types(demangled: str) -> Optional[list]:
    """The types of the parameters, if the kernel's name contains them.

    >>> parameter_types("ns::scale<float>(float*, float const*, int)")
    ['float*', 'float*', 'int']
    """
    found = re.fullmatch(r".*?\((.*)\)(?: \[clone .*\])?", demangled.replace("(anonymous namespace)", ""))
    if not found:
        return None
    types, depth, word = [], 0, ""
    for c in found[1]:
        depth += (c in "<([") - (c in ">)]")
        if c == "," and depth == 0:
            types.append(word)
            word = ""
        else:
            word += c
    if word:
        types.append(word)
    return [re.sub(r"\b(const|volatile|__restrict__|__restrict)\b", "", t).replace(" *", "*").strip()
            for t in types if t.strip() != "void"]


def shape_text(shape: Any, what: str) -> Optional[str]:
    """A grid or block as text: 64, (64, 2) and "64,2" are all fine.

    >>> shape_text((64, 2), "grid")
    '64,2'
    """
    if shape is None or isinstance(shape, str):
        return shape
    parts = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    if not 1 <= len(parts) <= 3 or not all(hasattr(p, "__index__") for p in parts):
        raise Error(f"{what}: expected one to three whole numbers, not {shape!r}", USAGE)
    return ",".join(str(p.__index__()) for p in parts)


def _integer(value: int, size: int, where: str) -> str:
    if size in (4, 8):
        bits = 8 * size
        if -(1 << bits - 1) <= value < 1 << bits - 1:
            return f"i{bits}:{value}"
        if 0 <= value < 1 << bits:
            return f"u{bits}:{value}"
    else:
        for signed in (True, False):
            try:
                return "hex:" + value.to_bytes(size, "little", signed=signed).hex()
            except OverflowError:
                pass
    raise Error(f"{where}: {value} does not fit in the {size} bytes of the parameter", USAGE)


def _float(value: float, size: int, where: str) -> str:
    if size == 4 or size == 8:
        return f"f{8 * size}:{value!r}"
    if size == 2:
        import struct

        try:
            return "hex:" + struct.pack("<e", value).hex()
        except OverflowError:
            raise Error(f"{where}: {value} does not fit in a 16-bit float", USAGE) from None
    raise Error(f"{where}: a float needs a parameter of 2, 4 or 8 bytes, and this one has {size}; "
                "pass the raw bytes as a bytes object", USAGE)


def _scalar(value: Any, size: Optional[int], kind: Optional[str], where: str) -> str:
    if isinstance(value, float):
        if kind in ("i", "u", "b"):
            raise Error(f"{where}: the kernel takes a whole number here, not {value!r}", USAGE)
        return _float(value, size or 4, where)
    if kind == "f":
        return _float(float(value), size or 4, where)
    return _integer(int(value), size or 4, where)


def _checked_view(array: Any, where: str) -> memoryview:
    dtype = getattr(array, "dtype", None)
    if dtype is not None and getattr(dtype, "kind", "f") not in "biufcV":
        raise Error(f"{where}: an array of {dtype} has no bytes that a GPU could use; convert it to a "
                    "number type", USAGE)
    if dtype is not None and getattr(dtype, "byteorder", "=") == ">":
        raise Error(f"{where}: the array is big-endian ({dtype}), and GPUs are little-endian; pass "
                    "x.astype(x.dtype.newbyteorder('<'))", USAGE)
    try:
        view = memoryview(array)
    except (TypeError, ValueError, BufferError) as problem:
        raise Error(f"{where}: {type(array).__name__} is not an array, a number or a text such as "
                    f"'buf:4K:f32' ({problem})", USAGE) from None
    if not view.c_contiguous:
        raise Error(f"{where}: the array is not contiguous, so its bytes are not one buffer; pass "
                    "numpy.ascontiguousarray(x)", USAGE)
    if view.nbytes == 0:
        raise Error(f"{where}: the array is empty; a buffer has at least 1 byte", USAGE)
    return view


def _is_numpy_scalar(value: Any) -> bool:
    numpy = sys.modules.get("numpy")  # who passes its values has imported it
    return numpy is not None and isinstance(value, numpy.generic)


def _check_type(array: Any, wanted: Optional[str], where: str) -> None:
    dtype = getattr(array, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if wanted is None or kind not in _KINDS:
        return
    if not wanted.endswith("*"):
        if wanted in _TYPES:
            raise Error(f"{where}: the kernel takes {wanted} here, not an array", USAGE)
        return
    expected = _TYPES.get(wanted[:-1].strip())
    if expected is None or expected == (kind, dtype.itemsize):
        return
    if {expected[0], kind} <= {"i", "u", "b"} and expected[1] == dtype.itemsize:
        return  # the same bytes, with or without a sign
    name = _KINDS[expected[0]] + ("" if expected[0] == "b" else str(8 * expected[1]))
    raise Error(f"{where}: the array is {dtype} and the kernel takes {wanted}; pass x.astype('{name}')",
                USAGE)


class Arguments:
    """The arguments of one launch, as text and bytes for the module."""

    def __init__(self, values: Sequence, params: Optional[list] = None, demangled: str = "",
                 out: Sequence[int] = ()) -> None:
        self.texts: list = []
        self.contents: dict = {}
        self.arrays: dict = {}
        self.out = list(out)
        types = parameter_types(demangled) if params is not None else None
        if types is not None and len(types) != len(params or []):
            types = None
        for position, value in enumerate(values):
            known = params is not None and position < len(params)
            size = params[position]["size"] if known else None
            wanted = types[position] if types and known else None
            self._add(position, value, size, wanted)
        for position in self.out:
            self._check_out(position)

    def _add(self, position: int, value: Any, size: Optional[int], wanted: Optional[str]) -> None:
        where = f"argument {position}"
        kind = _TYPES.get(wanted, (None, 0))[0] if wanted else None
        if isinstance(value, str):
            text = value
        elif value is None:
            text = "u64:0"
        elif isinstance(value, (bool, int, float)):
            text = _scalar(value, size, kind, where)
        elif isinstance(value, bytes):
            text = "hex:" + value.hex()
        elif isinstance(value, Empty):
            text = f"buf:{value.nbytes}:undef"
            self.arrays[position] = value
        elif hasattr(value, "__cuda_array_interface__"):
            raise Error(f"{where}: the array is in GPU memory, which burin does not touch; pass a copy "
                        "in host memory, or its size as text such as 'buf:4K:f32'", USAGE)
        elif _is_numpy_scalar(value):
            text = "hex:" + value.tobytes().hex()
        else:
            view = _checked_view(value, where)
            _check_type(value, wanted, where)
            self.contents[position] = view.cast("B") if view.ndim else view.tobytes()
            self.arrays[position] = value
            text = f"buf:{view.nbytes}:zero"
        self.texts.append(text)

    def _check_out(self, position: int) -> None:
        where = f"out: argument {position}"
        if position not in self.contents:
            raise Error(f"{where} is not an array, so it cannot take a result", USAGE)
        if memoryview(self.arrays[position]).readonly:
            raise Error(f"{where} is read-only, so it cannot take a result; pass a copy", USAGE)

    def result(self, position: int, data: bytes) -> Any:
        """The buffer's bytes after a run, as an array like the one that was passed."""
        given = self.arrays[position]
        if position in self.out:
            memoryview(given).cast("B")[:] = data
            return given
        if hasattr(given, "dtype") and hasattr(given, "shape"):
            import numpy

            return numpy.frombuffer(bytearray(data), dtype=given.dtype).reshape(given.shape)
        if isinstance(given, memoryview):
            return memoryview(bytearray(data)).cast(given.format)
        made = copy.copy(given)
        memoryview(made).cast("B")[:] = data
        return made
