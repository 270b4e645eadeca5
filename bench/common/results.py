"""A file bench/*/results/*.h200.json: what the GPU did, one entry a launch."""

import json
import os
import pathlib

SCHEMA = "burin.exactness/1"


class Results:
    def __init__(self, path, content):
        self.path = path
        self.content = content

    @staticmethod
    def read(path, schema=SCHEMA):
        empty = {"schema": schema, "gpu": None, "driver": None, "toolkit": None, "launches": {}}
        if not path.exists():
            return Results(path, empty)
        content = json.loads(path.read_text(encoding="utf-8"))
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
        temporary.write_text(text, encoding="utf-8")
        temporary.rename(self.path)
