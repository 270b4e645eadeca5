"""Where versions with measured times come from: each gives groups of versions of one kernel.

    advice   bench/advice: a kernel with a planted inefficiency and the fixed one
    fixed    bench/advice/paths: naive kernels, and what `burin advise --fix` makes of them (nvcc)
    spaces   configurations of bench/tuning/spaces, with the predictions of bench/guided/records: random
             groups of four from each space
"""

import dataclasses
import gzip
import hashlib
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ("advice", "fixed", "spaces")
GROUPS_PER_SPACE = 200
VERSIONS_PER_GROUP = 4


@dataclasses.dataclass
class Version:
    name: str
    measured_us: float
    predicted_us: float
    kind: str  # of the launch: "dram", "latency" …


@dataclasses.dataclass
class Group:
    source: str
    name: str
    held_out: bool
    versions: list


def is_held_out(name):
    """Half of all names, by their hash."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def compared(burin, launches):
    """What `burin compare` says of launches, each the words of one version; None where it fails."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("\n".join(launches) + "\n")
        file.flush()
        command = [str(burin), "compare", "--launches", file.name, "--machine", "h200", "--json", "-q"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode != 0:
        print(f"{launches[0][:80]}: {done.stderr.strip() or done.stdout[-300:]}", file=sys.stderr)
        return None
    return {version["version"]: version for version in json.loads(done.stdout)["versions"]}


def group_of(source, name, held, burin, words, measured):
    """`words` and `measured` by the name of the version."""
    told = compared(burin, list(words.values()))
    if told is None:
        return None
    versions = [
        Version(version, measured[version], told[line]["time_us"], told[line]["kind"]) for version, line in words.items()
    ]
    return Group(source, name, held, versions)


def advice(burin):
    from advice.pairs import read_pairs
    from common.corpus import KERNELS, unpacked

    cubins = unpacked("cubins")
    kept = json.loads((ROOT / "bench/advice/results/advice.h200.json").read_text(encoding="utf-8"))["launches"]
    for pair in read_pairs(ROOT / "bench/advice/pairs.txt", KERNELS):
        if not pair.slow:
            continue
        row = kept[pair.name]
        words, measured = {}, {}
        for side in ("slow", "fixed"):
            launch = getattr(pair, side)
            warm = " --warm" if row["caches"] == "warm" else ""
            words[side] = f"{cubins / launch.cubin} --kernel {launch.kernel} {' '.join(launch.options)}{warm}"
            measured[side] = row[side]["us"]
        yield group_of("advice", pair.name, is_held_out(pair.name), burin, words, measured)


def fixed(burin):
    from paths.cases import FIXED, burin_options, read_cases

    kept = json.loads((ROOT / "bench/advice/paths/results/fixed.h200.json").read_text(encoding="utf-8"))["kernels"]
    for case in read_cases([], FIXED):
        versions = [each for each in case.versions if each.name in ("naive", "step1") and not each.is_library]
        rows = {each.name: kept.get(case.name, {}).get(each.name, {}) for each in versions}
        if len(versions) < 2 or any(row.get("status") != "ok" for row in rows.values()):
            continue
        words = {}
        for each in versions:
            flags = [f"--nvcc-flag={flag}" for flag in each.flags]
            launch = [each.source, *burin_options(case, each), "--warm", *flags]
            words[each.name] = " ".join(str(word) for word in launch)
        measured = {name: row["median_us"] for name, row in rows.items()}
        yield group_of("fixed", case.name, case.held_out, burin, words, measured)


def kind_of(time_us, demand):
    """As kind_of_launch() of src/timing/result/certainty.cc, from the recorded demands."""
    unit = max(demand, key=demand.get)
    if time_us < 10:
        return "short"
    if demand[unit] < 0.6 * time_us:
        return "latency"
    alike = {"tensor": "tensor", "dram": "dram", "l2": "l2", "shared": "shared", "l1": "shared", "lsu": "shared"}
    return alike.get(unit, "arithmetic")


def space_versions(name):
    spaces, records = ROOT / "bench/tuning/spaces", ROOT / "bench/guided/records"
    with gzip.open(spaces / f"{name}.json.gz") as file:
        results = json.load(file)["results"]
    with gzip.open(records / f"{name}.jsonl.gz", "rt") as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        if len(line) < 10 or results[line[0]]["invalidity"] != "correct":
            continue
        told = {each["name"]: each["value"] for each in results[line[0]]["measurements"]}
        if told.get("registers", line[6]) != line[6]:
            sys.exit(f"{name}: configuration {line[0]} has other registers in the record than measured")
        yield Version(str(line[0]), 1000 * told["time"], line[1], kind_of(line[1], line[9]))


def spaces(_):
    from tuning.spaces import held_out

    for file in sorted((ROOT / "bench/guided/records").glob("*.jsonl.gz")):
        name = file.name.removesuffix(".jsonl.gz")
        versions = list(space_versions(name))
        chance = random.Random(name)
        for k in range(GROUPS_PER_SPACE):
            yield Group("spaces", f"{name}/{k}", held_out(name), chance.sample(versions, VERSIONS_PER_GROUP))


def read(options):
    kept = []
    if options.kept:
        kept = json.loads(options.kept.read_text(encoding="utf-8"))["groups"]
    groups = [
        Group(row["source"], row["name"], row["held_out"], [Version(**each) for each in row["versions"]])
        for row in kept
        if options.only in (None, row["source"])
    ]
    for name in NAMES:
        if options.only not in (None, name) or (options.kept and name != "spaces"):
            continue
        for group in {"advice": advice, "fixed": fixed, "spaces": spaces}[name](options.burin):
            if group is not None:
                groups.append(group)
    if options.save:
        rows = [dataclasses.asdict(group) for group in groups if group.source != "spaces"]
        text = json.dumps({"schema": "burin.compare-table/1", "groups": rows}, indent=1)
        options.save.write_text(text + "\n", encoding="utf-8")
    return groups


def constants():
    """The constants of src/timing/result/time_ratio.cc."""
    text = (ROOT / "src/timing/result/time_ratio.cc").read_text(encoding="utf-8")
    return {name: float(value) for name, value in re.findall(r"constexpr double (k\w+) = ([0-9.]+);", text)}
