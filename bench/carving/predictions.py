"""Predicted times for counted spaces, from the examinations of bench/guided.py record.

The guided search predicts the same launches with the same emulator. A space gets its row of the
top k once all its configurations were examined.
"""

import json
import tomllib

from carving.table import KERNELS

NEVER_ENDS = "1e+30"  # where nothing could be predicted


def examinations(file):
    """{index in the space: predicted time in µs, or None}"""
    read = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    found = {}
    for line in read.decode().splitlines():
        if line.endswith("]") and line != "[]":
            row = json.loads(line)
            found[row[0]] = None if isinstance(row[1], str) else row[1]
    return found


def size_of(name):
    """{"extent": "16"} of contraction_d1_5.extent_16"""
    return dict(part.rpartition("_")[::2] for part in name.split(".")[1:])


def add_predictions(name, examined, counts):
    """The text of a counts file with the predicted times of one space; None if some are missing."""
    spec = tomllib.loads((KERNELS / f"{name.partition('.')[0]}.toml").read_text())
    tunables = {key: [str(value) for value in values] for key, values in spec["tunables"].items()}
    head, columns, *lines = counts.splitlines()
    names = columns.split(",")
    wanted = size_of(name)
    status, predicted = names.index("status"), names.index("predicted_us")
    places = [names.index(key) for key in tunables]
    points = {}  # configurations in the order of the space
    for number, line in enumerate(lines):
        cells = line.split(",", predicted + 1)
        if all(cells[names.index(key)] == value for key, value in wanted.items()):
            point = tuple(values.index(cells[k]) for k, values in zip(places, tunables.values()))
            points.setdefault(point, []).append(number)
    for index, point in enumerate(sorted(points)):
        for number in points[point]:
            cells = lines[number].split(",", predicted + 1)
            if cells[status] != "ok":
                continue
            if index not in examined:
                return None
            cells[predicted] = NEVER_ENDS if examined[index] is None else f"{examined[index]:.6g}"
            lines[number] = ",".join(cells)
    return "\n".join([head, columns, *lines]) + "\n"


def fill(records, counts):
    """Returns the number of spaces with predicted times."""
    filled = 0
    for file in sorted(records.glob("*.jsonl*")):
        name = file.name.split(".jsonl")[0]
        kept = counts / f"{name.partition('.')[0]}.csv"
        if not kept.exists():
            continue
        after = add_predictions(name, examinations(file), kept.read_text(encoding="utf-8"))
        if after is None:
            print(f"{name}: not all configurations were examined")
            continue
        kept.write_text(after, encoding="utf-8")
        filled += 1
        print(f"{name}: predicted times added")
    return filled
