#!/usr/bin/env python3
"""The JSON that burin prints, held against docs/schemas/.

    schemas.py check BURIN [SCHEMA…]    runs tests/schemas/commands.txt and validates what is printed
    schemas.py infer BURIN [SCHEMA…]    adds to docs/schemas/ what is printed and not described there

A schema is JSON Schema (2020-12), of which these words are used: type, properties, required, items,
additionalProperties (the type of a map's values), enum, const, anyOf, description. New fields may be
added without a new number, so readers ignore what they do not know; the check does not, so that no
field goes undescribed.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import string
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCHEMAS = ROOT / "docs/schemas"
COMMANDS = ROOT / "tests/schemas/commands.txt"
UNCHECKED = {"calibrate.1"}  # needs a GPU
KEYWORDS = {
    "$schema", "$id", "title", "description", "type", "properties", "required", "items",
    "additionalProperties", "enum", "const", "anyOf",
}  # fmt: skip
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}


def type_list(schema):
    wanted = schema.get("type", [])
    return [wanted] if isinstance(wanted, str) else wanted


def problems(value, schema, place="$"):
    """Sentences that say where `value` is not what `schema` describes."""
    unknown = set(schema) - KEYWORDS
    if unknown:
        return [f"{place}: the schema has the word {sorted(unknown)[0]}, which is not checked"]
    if "anyOf" in schema:
        tries = [problems(value, each, place) for each in schema["anyOf"]]
        return [] if any(not each for each in tries) else min(tries, key=len)
    types = type_list(schema)
    if types and not any(TYPES[each](value) for each in types):
        return [f"{place}: {json.dumps(value)[:60]} is not {' or '.join(types)}"]
    if "const" in schema and value != schema["const"]:
        return [f"{place}: {json.dumps(value)[:60]} is not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place}: {json.dumps(value)[:60]} is none of {schema['enum']}"]
    found = []
    if isinstance(value, dict):
        known, rest = schema.get("properties", {}), schema.get("additionalProperties")
        found += [f"{place}: {name} is missing" for name in schema.get("required", []) if name not in value]
        for name, each in value.items():
            if name in known:
                found += problems(each, known[name], f"{place}.{name}")
            elif isinstance(rest, dict):
                found += problems(each, rest, f"{place}.{name}")
            else:
                found.append(f"{place}: {name} is not described")
    elif isinstance(value, list) and "items" in schema:
        for k, each in enumerate(value):
            found += problems(each, schema["items"], f"{place}[{k}]")
    return found


def read_commands(burin, only=()):
    """(schema, exit status, words) of each line."""
    for line in COMMANDS.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            schema, status, *words = shlex.split(line)
            if words[0] == "nvcc":
                words.pop(0)
                if not (shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists()):
                    continue
            if words[0] == "fake":
                words.pop(0)
                if not (burin.parent / "tests/fake_cuda_program").exists():
                    continue
            if not only or schema in only or any("$TMP" in word for word in words):
                yield schema, int(status), words


def outputs(burin, only=()):
    """(schema, command, parsed JSON) of each line of commands.txt."""
    captures = ROOT / "build/corpus/captures"
    with tempfile.TemporaryDirectory() as folder:
        fakes = burin.parent / "tests"  # a driver and a program for `burin record`
        names = {"TMP": folder, "CAPTURES": str(captures), "FAKE_PROGRAM": str(fakes / "fake_cuda_program")}
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "BURIN_FAKE": ""}
        for library in ("BURIN_LIBCUDA", "BURIN_LIBCUPTI"):
            environment[library] = str(fakes / "libfake_cupti.so")
        for schema, status, words in read_commands(burin, only):
            words = [string.Template(word).safe_substitute(names) for word in words]
            done = subprocess.run(
                [burin, words[0], "--json", "-q", *words[1:]], cwd=ROOT, text=True, capture_output=True, check=False,
                env=environment if words[0] == "record" else {**os.environ, "XDG_CACHE_HOME": folder},
            )  # fmt: skip
            command = "burin " + " ".join(words)
            if done.returncode != status:
                sys.exit(f"{command}: exit status {done.returncode}, expected {status}: {done.stderr.strip()}")
            if not only or schema in only:
                yield schema, command, json.loads(done.stdout)


def check(burin, only):
    failed, seen = 0, set()
    for schema, command, value in outputs(burin, only):
        seen.add(schema)
        text = json.loads((SCHEMAS / f"{schema}.json").read_text(encoding="utf-8"))
        for problem in problems(value, text)[:10]:
            failed += 1
            print(f"{schema}: {command}\n    {problem}")
    print(f"{len(seen)} schemas checked")
    return 1 if failed else 0


# Objects whose keys are data: names of stalls, units, classes, parameters. Some are maps in one schema only.
MAPS = {"stalls", "stalls_active", "classes", "sizes", "parameters", "problem", "config", "sources"}
MAPS_OF = {"predict.1": {"resources"}, "stacks.1": {"$"}}
# Counts, sizes and identifiers; all other numbers may have a fraction, even where none was seen.
COUNTS = re.compile(
    r"(^|_)(argument|argument_offset|bank|barriers?|block|blocks|bytes|code|configurations|compiled|constant|count|cases|"
    r"degrees|depth|differences|different|distance|driver_version|dynamic_shared_bytes|elements|example|explored|factor|"
    r"first|first_line|first_offset|functions|gpu|graph|grid|header|id|index|instructions|instrs|kept|kernel|last|last_line|"
    r"last_offset|launch|launches|launches_seen|line|local|loop|max_registers|max_threads|member|multiple|multiprocessors|"
    r"number|offset|pairs|param_base|parent|pid|process|product|rank|registers|resumed|samples|seed|shared|size|sm|smem|"
    r"spills|spread|stack|stall|stream|threads|times|ties|trials|valid|version|wait_mask|warps|loaded)$"
)


def merge(schema, value, name="", maps=frozenset()):
    """`schema` widened to what describes `value` too."""
    kind = next(kind for kind, fits in TYPES.items() if fits(value))
    if kind == "integer" and not COUNTS.search(name):
        kind = "number"
    types = set(type_list(schema)) | {kind}
    if "number" in types:
        types.discard("integer")
    out = dict(schema)
    out["type"] = sorted(types) if len(types) > 1 else next(iter(types))
    if kind == "object" and name in maps:
        inner = schema.get("additionalProperties", {})
        for each in value.values():
            inner = merge(inner, each, "count" if name in ("config", "problem", "sizes", "parameters", "classes") else "", maps)
        out["additionalProperties"] = inner
    elif kind == "object":
        known = dict(schema.get("properties", {}))
        required = schema.get("required", list(value) if "properties" not in schema else [])
        out["required"] = [each for each in required if each in value]
        for key, each in value.items():
            known[key] = merge(known.get(key, {}), each, key, maps)
        out["properties"] = known
    elif kind == "array":
        inner = schema.get("items", {})
        for each in value:
            inner = merge(inner, each, name if not isinstance(each, dict) else "", maps)
        if inner:
            out["items"] = inner
    return out


def infer(burin, only):
    for schema, _, value in outputs(burin, only):
        file = SCHEMAS / f"{schema}.json"
        name, _, number = schema.partition(".")
        full = f"burin.{name}/{number}"
        old = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        head = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": full,
            "title": old.get("title", full),
        }
        old = {key: each for key, each in old.items() if key not in head}
        maps = MAPS | MAPS_OF.get(schema, set())
        body = merge(old, value, "$", maps)
        if "schema" in body.get("properties", {}):
            body["properties"]["schema"] = {"const": full}
        file.write_text(json.dumps({**head, **body}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("check", "infer"):
        sys.exit(__doc__.strip())
    return (check if sys.argv[1] == "check" else infer)(pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())
