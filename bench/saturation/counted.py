"""How busy the memory of a GPU is at every size, as Nsight Compute counts it (the paper's Fig. 4).

What was counted is kept in counted.json, for each kernel: per size the busy share of the busiest memory unit.
"""

import concurrent.futures
import json
import pathlib
import subprocess
import tomllib

from accuracy.counters import NCU, entries_of

KEPT = pathlib.Path(__file__).resolve().parent / "counted.json"
BUSY = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
AT_A_TIME = 10  # most of the time burin prepares the launch


def count(options, name, size):
    """The share at the first launch of `burin tune`, which has the default configuration; None without one. burin
    is ended then: a launch below ncu is not worth timing."""
    spec = options.specs / f"{name}.toml"
    kernel = tomllib.loads(spec.read_text(encoding="utf-8"))["kernel"]
    command = [
        options.ncu, *NCU, "--target-processes", "all", "--metrics", BUSY,
        "--kernel-name", kernel, "--launch-count", "1", "--kill", "yes",
        options.burin, "tune", spec, "--device", "cuda:0", "--budget", "1", "--seed-with", "none",
        "--size", *(f"{variable}={number}" for variable, number in size.items()),
    ]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    entries = entries_of(done.stdout, {BUSY: ("busy",)})
    if not entries or "busy" not in entries[0][1]:
        print(f"{name} at {size}: {(done.stdout + done.stderr)[-300:].strip()}", flush=True)
        return None
    return round(entries[0][1]["busy"] / 100, 4)


def count_sizes(options, name):
    """{size: share}"""
    spec = tomllib.loads((options.specs / f"{name}.toml").read_text(encoding="utf-8"))
    sizes = spec["problem"]["sizes"]
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        shares = pool.map(lambda size: count(options, name, size), sizes)
        return {next(iter(size.values())): share for size, share in zip(sizes, shares) if share is not None}


def counted(options, names):
    """{kernel: {size: share}}; --again counts what is not kept, which needs a GPU and ncu."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for name in names if options.again else []:
        if name in kept:
            continue
        kept[name] = count_sizes(options, name)
        lines = ",\n".join(f' "{of}": {json.dumps(kept[of])}' for of in sorted(kept))
        KEPT.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
    return {name: {int(size): share for size, share in kept[name].items()} for name in names if name in kept}
