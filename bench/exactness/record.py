"""The launches on the GPU: outputs, whether runs agree, times, and instructions counted by ncu."""

import collections
import csv
import datetime
import io
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile

from common import buffers
from common.build import cubins_of
from common.worker import Worker, request

LIMIT_SECONDS = 60
NCU = ["--metrics", "smsp__inst_executed.sum", "--clock-control", "none", "--cache-control", "none"]


def symbol_of(launch, options):
    """The kernel's name in the symbol table."""
    cubin = options.cubins / launch.cubin
    command = [options.burin, "inspect", cubin, "--kernel", launch.kernel, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip())
    kernels = [kernel for image in json.loads(done.stdout)["images"] for kernel in image["kernels"]]
    if len(kernels) != 1:
        raise ValueError(f"{launch.kernel} means {len(kernels)} kernels of {launch.cubin}")
    return kernels[0]["name"]


def entry_of(launch, cubin, result, folder):
    """What is kept of one launch."""
    times = result["times_us"]
    quarters = statistics.quantiles(times, n=4, method="inclusive")
    entry = {
        "cubin": launch.cubin,
        "cubin_hash": buffers.digest(cubin.read_bytes()),
        "launch": " ".join([launch.kernel, *launch.options]),
        "runs": result["repeats"],
        "agreeing": result["agreeing"],
        "instructions": None,
        "median_us": round(statistics.median(times), 3),
        "quartiles_us": [round(quarters[0], 3), round(quarters[2], 3)],
        "timer": result["timer"],
        "clock_mhz": round(statistics.median(result["clock_mhz"] or [0])),
        "buffers": {},
    }
    for output in result["outputs"]:
        argument = output["argument"]
        data = (folder / f"{argument}.bin").read_bytes()
        kept = buffers.keep(data, launch, argument)
        kept["agreeing"] = output["agreeing"]
        entry["buffers"][str(argument)] = kept
    return entry


def run_one(worker, launch, symbol, results, options):
    cubin = options.cubins / launch.cubin
    with tempfile.TemporaryDirectory() as scratch:
        line = request(launch, cubin, symbol, outputs=scratch, repeats=options.runs, launches=20)
        result = worker.ask(line, LIMIT_SECONDS)
        if isinstance(result, str):
            results.launches[launch.name] = {"cubin": launch.cubin, "error": result}
            print(f"{launch.name}: {result}", flush=True)
            return
        entry = entry_of(launch, cubin, result, pathlib.Path(scratch))
        if options.keep:
            shutil.copytree(scratch, options.keep / launch.name, dirs_exist_ok=True)
    results.content["gpu"] = result["gpu"]
    results.content["driver"] = result["driver"]
    results.launches[launch.name] = entry
    print(
        f"{launch.name}: {entry['median_us']} µs, {entry['agreeing']} of {entry['runs']} runs agree",
        flush=True,
    )


def counts_of(text):
    """The metric's values in ncu's CSV, in the order of the launches."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    rows = csv.DictReader(io.StringIO("\n".join(lines[start:])))
    return [int(float(row["Metric Value"].replace(",", ""))) for row in rows]


def count_instructions(group, symbols, results, options):
    """One worker below ncu runs all launches of a cubin, each as often as it is to agree."""
    good = [launch for launch in group if "error" not in results.launches[launch.name]]
    if not good or not options.ncu:
        return
    with tempfile.TemporaryDirectory() as scratch:
        lines = [
            request(
                launch,
                options.cubins / launch.cubin,
                symbols[launch.kernel],
                outputs=scratch,
                repeats=options.runs,
                launches=0,
            )
            for launch in good
        ]
        command = [options.ncu, "--csv", *NCU, str(options.burin), "worker"]
        done = subprocess.run(
            command,
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            timeout=30 + LIMIT_SECONDS * len(good),
            check=False,
        )
    counts = counts_of(done.stdout)
    if len(counts) != options.runs * len(good):
        wanted = options.runs * len(good)
        print(f"{good[0].cubin}: ncu told of {len(counts)} launches instead of {wanted}")
        print(done.stdout[-1000:] + done.stderr[-1000:], flush=True)
        return
    for i, launch in enumerate(good):
        seen = collections.Counter(counts[i * options.runs : (i + 1) * options.runs])
        value, agreeing = seen.most_common(1)[0]
        results.launches[launch.name]["instructions"] = {
            "value": value,
            "agreeing": agreeing,
            "runs": options.runs,
        }


def is_recorded(launch, results, options):
    entry = results.launches.get(launch.name)
    if entry is None or "error" in entry or (options.ncu and entry["instructions"] is None):
        return False
    return entry["launch"] == " ".join([launch.kernel, *launch.options]) and entry[
        "cubin_hash"
    ] == buffers.digest((options.cubins / launch.cubin).read_bytes())


def record_group(group, results, options):
    worker = Worker(options.burin)
    symbols = {}
    try:
        for launch in group:
            if launch.kernel not in symbols:
                symbols[launch.kernel] = symbol_of(launch, options)
            run_one(worker, launch, symbols[launch.kernel], results, options)
    finally:
        worker.close()
    count_instructions(group, symbols, results, options)


def record_all(launches, results, options):
    part, parts = (int(word) for word in options.part.split("/"))
    if shutil.which(options.ncu) is None:
        options.ncu = ""
        print("there is no ncu here: instructions are not counted")
    failed = []
    for number, (cubin, group) in enumerate(cubins_of(launches).items()):
        if number % parts != part - 1:
            continue
        if options.resume:
            group = [l for l in group if not is_recorded(l, results, options)]
        if not group:
            continue
        try:
            record_group(group, results, options)
        except (OSError, ValueError, subprocess.SubprocessError) as problem:
            failed.append(cubin)
            print(f"{cubin}: {problem}", flush=True)
        # After each cubin, so that what is killed has lost one at most.
        results.content["toolkit"] = toolkit()
        results.content["date"] = datetime.date.today().isoformat()
        results.write()
    errors = sum("error" in results.launches.get(l.name, {}) for l in launches)
    print(f"{len(results.launches)} launches recorded, {errors} of them with an error")
    return 1 if failed or errors else 0


def toolkit():
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    try:
        words = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return next((line.strip() for line in words.stdout.splitlines() if "release" in line), None)
