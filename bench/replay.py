#!/usr/bin/env python3
"""Are the launches of a capture replayed bit for bit?

    replay.py CAPTURE…      runs every launch whose memory was recorded, with --check, and tells of
                            those that do not leave what the GPU left
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("captures", nargs="+", type=pathlib.Path, metavar="CAPTURE")
    parser.add_argument("--burin", default=str(ROOT / "build/burin"))
    parser.add_argument("--limit", type=float, default=120, help="seconds for a launch (120)")
    return parser.parse_args()


def launches_of(burin, capture):
    """[(number, kernel)] of the launches with memory."""
    listed = subprocess.run(
        [burin, "inspect", str(capture), "--json"], capture_output=True, text=True, check=True
    )
    report = json.loads(listed.stdout)
    names = {kernel["id"]: kernel["demangled"] for kernel in report["kernels"]}
    return [(each["id"], names[each["kernel"]]) for each in report["launches"] if each["memory"]]


def replay(burin, capture, number, limit):
    """Nothing where it agrees, else a sentence."""
    command = [burin, "run", f"{capture}:{number}", "--check"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"did not end in {limit:g} seconds"
    if done.returncode == 0:
        return None
    return done.stderr.strip().split("\n")[0].removeprefix("burin: ")


def main():
    options = arguments()
    replayed, agreeing = 0, 0
    for capture in options.captures:
        for number, kernel in launches_of(options.burin, capture):
            sentence = replay(options.burin, capture, number, options.limit)
            replayed += 1
            agreeing += sentence is None
            if sentence:
                print(f"{capture.name}:{number} {kernel[:60]}: {sentence}")
    print(f"{agreeing} of {replayed} launches leave what the GPU left, bit for bit")
    return 0 if agreeing == replayed else 1


if __name__ == "__main__":
    sys.exit(main())
