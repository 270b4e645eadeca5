"""What is kept of a buffer that the GPU left, and how the emulator's is compared with it.

A buffer is compared by its hash. One with a tolerance keeps up to 1024 of its elements, evenly
spread; one whose order is open keeps the hash of its sorted 32-bit words, or the sum of its elements.
"""

import array
import base64
import hashlib
import math
import struct

SAMPLE = 1024
CODES = {"f16": "e", "f32": "f", "f64": "d"}  # of the module struct


def digest(data):
    return hashlib.sha256(data).hexdigest()[:32]


def elements(data, kind):
    if kind == "bf16":  # the upper half of an f32
        halves = array.array("H", data)
        return [struct.unpack("<f", struct.pack("<I", half << 16))[0] for half in halves]
    code = CODES[kind]
    size = struct.calcsize(code)
    return [value for (value,) in struct.iter_unpack("<" + code, data[: len(data) // size * size])]


def width_of(kind):
    return {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}[kind]


def sample(data, width):
    count = len(data) // width
    step = max(1, count // SAMPLE)
    return b"".join(data[i * width : (i + 1) * width] for i in range(0, count, step))


def sorted_digest(data):
    words = array.array("I", data[: len(data) // 4 * 4])
    return digest(array.array("I", sorted(words)).tobytes() + data[len(data) // 4 * 4 :])


def keep(data, launch, argument):
    """The entry of a buffer in the results."""
    entry = {"bytes": len(data), "hash": digest(data)}
    tolerance = launch.note_of("tolerance", argument)
    unordered = launch.note_of("unordered", argument)
    if tolerance is not None:
        kind = tolerance.split(":")[0]
        entry["sample"] = base64.b64encode(sample(data, width_of(kind))).decode()
    elif unordered == "":
        entry["sorted"] = sorted_digest(data)
    elif unordered is not None:
        kind = unordered.split(":")[1]
        entry["sum"] = math.fsum(elements(data, kind))
    return entry


def relative_error(got, expected):
    """The largest over two lists of numbers; equal values and two NaNs have none."""
    worst = 0.0
    for a, b in zip(got, expected, strict=True):
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        error = abs(a - b) / abs(b) if b != 0 else math.inf
        worst = max(worst, error if not math.isnan(error) else math.inf)
    return worst


def compare(data, entry, launch, argument):
    """(verdict, detail): verdict is equal, tolerance, unordered, ignored or NO."""
    if launch.note_of("ignore", argument) is not None:
        return "ignored", ""
    if len(data) != entry["bytes"]:
        return "NO", f"argument {argument} has {len(data)} bytes instead of {entry['bytes']}"
    if digest(data) == entry["hash"]:
        return "equal", ""
    tolerance = launch.note_of("tolerance", argument)
    unordered = launch.note_of("unordered", argument)
    if tolerance is not None:
        kind, most = tolerance.split(":")
        if "sample" not in entry:
            return "NO", f"argument {argument} was recorded without a tolerance: record it again"
        got = elements(sample(data, width_of(kind)), kind)
        error = relative_error(got, elements(base64.b64decode(entry["sample"]), kind))
        verdict = "tolerance" if error <= float(most) else "NO"
        return verdict, f"argument {argument} is off by {error:.2g} ({most} allowed)"
    if unordered == "":
        if sorted_digest(data) == entry["sorted"]:
            return "unordered", ""
        return "NO", f"argument {argument} holds other words"
    if unordered is not None:
        _, kind, most = unordered.split(":")
        error = relative_error([math.fsum(elements(data, kind))], [entry["sum"]])
        verdict = "unordered" if error <= float(most) else "NO"
        return verdict, f"argument {argument}'s sum is off by {error:.2g} ({most} allowed)"
    return "NO", f"argument {argument} differs"
