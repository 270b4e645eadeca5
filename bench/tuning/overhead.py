"""How much of a tuning run is burin's own work, rather than waiting for the compiler and the device?

    tuning.py overhead [--device opencl:0]… [--spec examples/tune/gemm.toml] [--budget 40] [--repeat 3]

Runs `burin tune` with a session, and compares the time of the whole process, from its start to its end, with
`opening_seconds` and `lab_seconds`, the times in which it waited for the device to answer, and for configurations to be
compiled and measured, and with the seconds of the guided search, which predicts configurations so that fewer need to be
measured. The rest is burin's own:
starting, building the space, searching, writing the session, the report. The target is less than 2 % on a device that
measures. Predicting, on the emulator, counts as waiting.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = 0.02


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="tuning.py overhead", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", action="append", help="default: opencl:0 and emulator:h200")
    parser.add_argument("--spec", type=pathlib.Path, default=ROOT / "examples/tune/gemm.toml")
    parser.add_argument("--size", action="append", default=[], metavar="NAME=NUMBER")
    parser.add_argument("--budget", type=int, default=40)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--warm", action="store_true", help="with warm caches: faster on a CPU")
    parser.add_argument("--strategy", default="ensemble")
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    options = parser.parse_args(words)
    options.device = options.device or ["opencl:0", "emulator:h200"]
    return options


def tune(device, options):
    """Seconds of the process, and what it says about itself."""
    with tempfile.TemporaryDirectory() as folder:
        command = [options.burin, "tune", options.spec, "--device", device, "--budget", options.budget, "--json"]
        command += ["--strategy", options.strategy, "--session", f"{folder}/session"]
        command += ["--warm"] if options.warm else []
        for size in options.size:
            command += ["--size", size]
        started = time.monotonic()
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - started
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"burin ended with {done.returncode}")
    return seconds, json.loads(done.stdout)


def main(words):
    options = arguments(words)
    print("trials    whole s   waiting s   guided s    own s    own share   own ms per trial   device")
    for device in options.device:
        for _ in range(options.repeat):
            seconds, tuned = tune(device, options)
            trials = len(tuned["trials"])
            waiting = tuned["lab_seconds"] + tuned["opening_seconds"]
            guided = tuned.get("guided", {}).get("seconds", 0)
            own = seconds - waiting - guided
            mark = "" if own / seconds < TARGET or device.startswith("emulator") else "   above the target"
            print(
                f"{trials:6} {seconds:10.2f} {waiting:11.2f} {guided:10.2f} {own:8.3f} {100 * own / seconds:10.2f} %"
                f" {1000 * own / trials:18.2f}   {tuned['device']}{mark}"
            )
    return 0
