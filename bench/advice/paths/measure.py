"""Checks and times every version on the GPU of this computer, and keeps the results in one JSON file."""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import time

from paths.build import BUILD, build_all, expected_of, find_nvcc, output_of
from paths.cases import FOLDER

SCHEMA = "burin.advice_paths/1"
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def results_of(fixed):
    """The file with the times."""
    return FOLDER / "results" / ("fixed.h200.json" if fixed else "paths.h200.json")


def byte_count(text):
    return int(text[:-1], 0) * UNITS[text[-1]] if text[-1] in UNITS else int(text, 0)


def argument_line(text, position):
    """The line of a job file for an argument in the grammar of docs/arguments.md."""
    kind, *parts = text.split(":")
    if kind != "buf":
        return f"value {kind} {parts[0]}"
    seed = position
    if parts[-1].startswith("seed="):
        seed = int(parts.pop().removeprefix("seed="), 0)
    fill = parts[1] if len(parts) > 1 else "none"
    number = parts[2] if len(parts) > 2 else "0"
    return f"buffer {byte_count(parts[0])} {fill} {number} {seed}"


def axes(text):
    return " ".join(([*text.split(","), "1", "1"])[:3])


def write_job(case, versions):
    lines = [argument_line(text, i) for i, text in enumerate(case.content["arguments"])]
    for output in case.content["outputs"]:
        share = output.get("may_differ", 0)
        lines.append(f"output {output['argument']} {output['type']} {output['tolerance']} {share}")
    lines.append(f"expected {expected_of(case)}")
    for version in versions:
        file = output_of(case, version)
        if version.is_library:
            lines.append(f"library {version.name} {file}")
        else:
            launch = f"{axes(version.grid)} {axes(version.block)} {byte_count(version.smem)}"
            lines.append(f"cubin {version.name} {file} {version.kernel} {launch}")
    path = BUILD / f"{case.name}.job"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def measure_case(case, uncompiled, options):
    """{version: entry}."""
    entries = {}
    versions = []
    for version in case.versions:
        message = uncompiled.get((case.name, version.name))
        if message:
            entries[version.name] = {"status": "failed", "reason": "does not compile: " + message[:500]}
        else:
            versions.append(version)
    command = [BUILD / "harness", write_job(case, versions), options.launches, options.limit]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=False)
    for line in done.stdout.splitlines():
        if not line.startswith("{"):
            continue  # printed by a version
        entry = json.loads(line)
        name = entry.pop("version")
        if "times_us" in entry:
            times = entry.pop("times_us")
            entry |= {"median_us": round(median(times), 2), "min_us": min(times), "max_us": max(times)}
        entries[name] = entry
    for version in case.versions:
        entries.setdefault(version.name, {"status": "failed", "reason": "the harness said nothing about it"})
        entries[version.name]["source"] = version.hash
    return entries


def output_words(command):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def machine():
    """What the times were measured on."""
    device = output_words([BUILD / "harness", "--device"])
    if not device:
        sys.exit("no GPU that CUDA can use here")
    asked = "driver_version,clocks.sm,clocks.max.sm,persistence_mode"
    smi = output_words(["nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader"])
    found = re.search(r"release ([\d.]+), V([\d.]+)", output_words([find_nvcc(), "--version"]))
    return json.loads(device) | {
        "driver": smi.split(",")[0] if smi else None,
        "nvidia_smi": f"{asked}: {smi}" if smi else None,
        "toolkit": found.group(2) if found else None,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }


def read_results(path):
    if not path.exists():
        return {"schema": SCHEMA, "kernels": {}}
    content = json.loads(path.read_text(encoding="utf-8"))
    if content.get("schema") != SCHEMA:
        sys.exit(f"{path} has schema {content.get('schema')}; this reads {SCHEMA}")
    return content


def write_results(path, content):
    """Whole or not at all; one version per line, so that changes can be read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {key: value for key, value in content.items() if key != "kernels"}
    kernels = []
    for name, entries in sorted(content["kernels"].items()):
        lines = [f"  {json.dumps(version)}: {json.dumps(entry)}" for version, entry in entries.items()]
        kernels.append(f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "}")
    text = json.dumps(head)[:-1] + ', "kernels": {\n' + ",\n".join(kernels) + "\n}}\n"
    temporary = pathlib.Path(f"{path}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.rename(path)


def measure(cases, options):
    uncompiled = build_all(cases, options.jobs)
    content = read_results(options.results) | machine() | {"launches": options.launches}
    started = time.monotonic()
    wrong = 0
    for case in cases:
        entries = measure_case(case, uncompiled, options)
        content["kernels"][case.name] = entries
        content["clock_mhz"] = median([
            entry["clock_mhz"]
            for other in content["kernels"].values()
            for entry in other.values()
            if "clock_mhz" in entry
        ] or [0])
        write_results(options.results, content)
        for name, entry in entries.items():
            right = entry["status"] == "ok"
            words = f"{entry['median_us']:.1f} µs" if right else f"{entry['status']}: {entry['reason']}"
            print(f"{time.monotonic() - started:5.0f} s  {case.name} {name}: {words}", flush=True)
            wrong += not right
    return 1 if wrong else 0
