"""Applies what `burin advise --fix` offers to each naive kernel, without a human: step1 of FOLDER/NAME."""

import json
import pathlib
import subprocess
import sys
import tempfile

from paths.cases import ROOT, burin_options


def advised(case, burin, seconds):
    """What `burin advise --fix` says of the naive kernel, or None where it fails."""
    naive = case.versions[0]
    with tempfile.TemporaryDirectory() as folder:
        patch = pathlib.Path(folder, "fix.patch")
        command = [burin, "advise", naive.source, *burin_options(case, naive), "--machine", "h200"]
        command += ["--fix", patch, "--try-time", seconds, "--json", "-q"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=ROOT)
        if done.returncode != 0:
            print(f"{case.name}: {done.stderr.strip()[:300]}", file=sys.stderr)
            return None
        return json.loads(done.stdout).get("fix", {})


def patched(source, patch):
    """The text of `source` after `patch`."""
    if not patch:
        return source.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, source.name)
        copy.write_bytes(source.read_bytes())
        subprocess.run(["patch", "--quiet", copy], input=patch, text=True, check=True)
        return copy.read_text(encoding="utf-8")


def axes(numbers):
    return ",".join(str(number) for number in numbers)


def fix(cases, burin, steps, seconds):
    """Writes step1.cu and step1.json of each kernel, or none.txt where nothing is offered. Returns the number of failures."""
    failures = 0
    for case in cases:
        found = advised(case, burin, seconds)
        if found is None:
            failures += 1
            continue
        folder = steps / case.name
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        changes = [step["change"] for step in found.get("steps", [])]
        print(f"{case.name}: {found.get('speedup', 1):.2f}x {'; '.join(changes) or 'nothing'}", flush=True)
        if not changes:
            (folder / "none.txt").write_text("burin advise --fix offers nothing.\n", encoding="utf-8")
            continue
        notes = {"advice": "; ".join(changes), "promised": round(found["speedup"], 3)}
        if found.get("flags"):
            notes["flags"] = found["flags"]
        for key in ("grid", "block"):
            if key in found:
                notes[key] = axes(found[key])
        text = patched(case.versions[0].source, found.get("patch", ""))
        (folder / "step1.cu").write_text(text, encoding="utf-8")
        (folder / "step1.json").write_text(json.dumps(notes, indent=2) + "\n", encoding="utf-8")
    return failures
