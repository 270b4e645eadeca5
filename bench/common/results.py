"""A file bench/*/results/*.h200.json: what the GPU did, one entry a launch."""

import gzip
import json
import os
import pathlib

SCHEMA = "burin.exactness/1"


def read_text(path):
    """Of a file, or of a compressed one whose name ends in .gz."""
    return (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()


class Results:
    def __init__(self, path, content):
        self.path = path
        self.content = content

    @staticmethod
    def read(path, schema=SCHEMA):
        empty = {"schema": schema, "gpu": None, "driver": None, "toolkit": None, "launches": {}}
        if not path.exists():
            return Results(path, empty)
        content = json.loads(read_text(path))
        if content.get("schema") != schema:
            raise SystemExit(f"{path} is of schema {content.get('schema')}; this reads {schema}")
        return Results(path, content)

    @property
    def launches(self):
        return self.content["launches"]

    def keep_only(self, names):
        """Drops the entries of launches that the list has no more."""
        self.content["launches"] = {k: v for k, v in self.launches.items() if k in names}

    def write(self):
        """Whole or not at all; one launch a line, so that changes can be read."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        head = {key: value for key, value in self.content.items() if key != "launches"}
        lines = [
            f"{json.dumps(name)}:{json.dumps(entry, separators=(',', ':'))}"
            for name, entry in sorted(self.launches.items())
        ]
        text = json.dumps(head)[:-1] + ', "launches": {\n' + ",\n".join(lines) + "\n}}\n"
        temporary = pathlib.Path(f"{self.path}.{os.getpid()}")
        compressed = self.path.suffix == ".gz"
        temporary.write_bytes(gzip.compress(text.encode(), mtime=0) if compressed else text.encode())
        temporary.rename(self.path)
