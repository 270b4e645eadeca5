#!/usr/bin/env python3
"""Records tuning spaces on the GPU of this computer: every configuration once, by
`burin tune --strategy exhaustive`.

  record.py --out FOLDER [--seconds 480] [KERNEL…]                        bench/tuning/kernels
  record.py --specs bench/coarsening/kinds --launches 5 --out FOLDER      another folder of specs

Each problem size becomes a T4 file, NAME[.SIZE].json.gz. All sizes share the cubins of the first and
take their compile times from it. Trials are kept in sessions in FOLDER, so that a run that is stopped
goes on where it was. With --seconds nothing new is begun after that time.
"""

import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"


def share_compile_times(files):
    """In the files of one kernel, a configuration costs what compiling it cost where it was not in the cache."""
    contents = {file: json.loads(gzip.decompress(file.read_bytes())) for file in files}
    costs = {}
    for content in contents.values():
        for result in content["results"]:
            key = json.dumps(result["configuration"])
            costs[key] = max(costs.get(key, 0), result["times"]["compilation"])
    for file, content in contents.items():
        for result in content["results"]:
            result["times"]["compilation"] = costs[json.dumps(result["configuration"])]
        text = json.dumps(content, separators=(",", ":"))
        file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--burin", default="build/burin")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--specs", type=pathlib.Path, default=KERNELS, help="folder of the specs")
    parser.add_argument("--launches", type=int, default=30, help="timed for each configuration, at most")
    parser.add_argument("kernels", nargs="*", help="names of specs (default: all)")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    names = arguments.kernels or sorted(spec.stem for spec in arguments.specs.glob("*.toml"))
    end = time.monotonic() + arguments.seconds
    status = 0
    for name in names:
        left = end - time.monotonic()
        done = arguments.out / f"{name}.done"
        if done.exists() or left < 5:
            continue
        started = time.monotonic()
        command = [arguments.burin, "tune", arguments.specs / f"{name}.toml", "--device", arguments.device,
                   "--strategy", "exhaustive", "--finalists", "0", "--quiet", "--launches", str(arguments.launches),
                   "--session", arguments.out / f"{name}.session", "--resume",
                   "--time-limit", f"{left:.0f}",
                   "--export", f"t4={arguments.out}/{name}.json.gz", "--force"]
        # An empty cache, so that the recorded compile times are those of compiling.
        with tempfile.TemporaryDirectory() as cache:
            ran = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                                 env={**os.environ, "XDG_CACHE_HOME": cache})
        seconds = time.monotonic() - started
        print(f"== {name}: {seconds:.0f} s, exit status {ran.returncode}", flush=True)
        print(ran.stdout[:1500], ran.stderr[:1500], flush=True)
        if ran.returncode != 0:
            status = 1
        elif "the time was over" not in ran.stdout:
            done.touch()
            share_compile_times(sorted(arguments.out.glob(f"{name}.*.json.gz")))
    return status


if __name__ == "__main__":
    sys.exit(main())
