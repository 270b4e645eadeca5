"""The launches in the emulator, against what the GPU left."""

import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile

from common import buffers

LIMIT_SECONDS = 120
ORDER = ["equal", "tolerance", "unordered", "ignored", "varies", "NO"]  # the last one speaks


@dataclasses.dataclass
class Outcome:
    launch: str
    bits: str  # of ORDER, or "–" where nothing could be compared
    count: str  # "equal", "near", "varies", "–" (not recorded) or NO
    detail: str = ""

    @property
    def good(self):
        return self.bits not in ("NO", "–") and self.count != "NO"


def compare_buffers(launch, entry, folder):
    verdicts, details = [], []
    for argument in launch.buffers:
        kept = entry["buffers"][str(argument)]
        data = (folder / f"{argument}.bin").read_bytes()
        verdict, detail = buffers.compare(data, kept, launch, argument)
        if verdict == "NO" and kept["agreeing"] != entry["runs"]:
            verdict = "varies"  # the GPU does not agree with itself
            detail = f"argument {argument}: {kept['agreeing']} of {entry['runs']} GPU runs agree"
        verdicts.append(verdict)
        details += [detail] if detail else []
    worst = max(verdicts, key=ORDER.index, default="equal")
    return worst, "; ".join(details)


def compare_count(launch, entry, executed):
    counted = entry["instructions"]
    if counted is None:
        return "–", ""
    if executed == counted["value"]:
        return "equal", ""
    if launch.notes.get("count") == "varies" or counted["agreeing"] != counted["runs"]:
        return "varies", ""
    detail = f"{executed} instructions instead of {counted['value']}"
    share = float(launch.notes.get("near", "0").rstrip("%")) / 100
    if abs(executed - counted["value"]) <= share * counted["value"]:
        return "near", detail
    return "NO", detail


def replay(launch, entry, options):
    if entry is None:
        return Outcome(launch.name, "–", "–", "not recorded")
    if "error" in entry:
        return Outcome(launch.name, "–", "–", "on the GPU: " + entry["error"])
    cubin = options.cubins / launch.cubin
    if not cubin.exists():
        return Outcome(launch.name, "–", "–", f"there is no {cubin}: exactness.py compile")
    if buffers.digest(cubin.read_bytes()) != entry["cubin_hash"]:
        return Outcome(launch.name, "–", "–", f"{cubin.name} is not the one recorded")
    if " ".join([launch.kernel, *launch.options]) != entry["launch"]:
        return Outcome(launch.name, "–", "–", "the launch is not the one recorded")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        command = [options.burin, "run", cubin, "--kernel", launch.kernel, *launch.options]
        command += ["--json", "--threads", "1", "--check-shared", "off"]
        for argument in launch.buffers:
            command += ["--out", f"{argument}={folder}/{argument}.bin"]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return Outcome(launch.name, "NO", "NO", f"no end in {LIMIT_SECONDS} seconds")
        try:
            executed = json.loads(done.stdout)["warp_instructions"]
        except (ValueError, KeyError):
            return Outcome(launch.name, "NO", "NO", done.stderr.strip().replace("\n", " "))
        bits, of_bits = compare_buffers(launch, entry, folder)
    count, of_count = compare_count(launch, entry, executed)
    return Outcome(launch.name, bits, count, "; ".join(d for d in (of_bits, of_count) if d))


def replay_all(launches, results, options):
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        outcomes = list(
            pool.map(lambda l: replay(l, results.launches.get(l.name), options), launches)
        )
    print(f"{'launch':34} {'bits':10} {'count':7}")
    for outcome in outcomes:
        if not (options.failures and outcome.good):
            row = f"{outcome.launch:34} {outcome.bits:10} {outcome.count:7} {outcome.detail}"
            print(row.rstrip())
    tell_totals(outcomes, results)
    return 0 if all(outcome.good for outcome in outcomes) else 1


def tell_totals(outcomes, results):
    kernels = {outcome.launch.split("/")[0] for outcome in outcomes}
    bits = collections.Counter(outcome.bits for outcome in outcomes)
    counts = collections.Counter(outcome.count for outcome in outcomes)
    print(f"\n{len(kernels)} kernels, {len(outcomes)} launches, against {results.content['gpu']}")
    for title, counter in (("bits", bits), ("count", counts)):
        print(f"{title:6}" + ", ".join(f"{n} {word}" for word, n in counter.most_common()))
