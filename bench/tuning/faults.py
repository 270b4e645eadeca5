#!/usr/bin/env python3
"""Does tuning survive kernels that hang, crash or lie, and a burin that is killed?

    tuning.py faults [--device opencl:0] [--trials 1000] [--kills 10] [--seed 0]

Tunes a kernel of which some configurations are planted to fail, each in one of the ways of PLANTS
below. Meanwhile burin is killed with kill -9 at random moments, and continued with --resume. Then:
every planted failure is one trial with the right status, the others worked, nothing that was recorded
before a kill was lost or measured again, the planted winner won, the session file is intact, and no
process is left. Prints the figures; exits with 1 if something is wrong. Works on cuda:N and opencl:N;
on emulator:MACHINE without what the emulator does not notice.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = pathlib.Path(__file__).resolve().parent / "faults"

# What is planted: macro in the kernel's source, share of the trials, status, words of the reason; and
# whether the emulator notices, which neither compares results nor has a time limit.
Plant = collections.namedtuple("Plant", "macro share status reason emulated", defaults=[True])
PLANTS = {
    "hangs": Plant("HANG", 0.01, "timeout", "running the kernel", False),
    "writes out of bounds": Plant("FAULT", 0.02, "runtime", ""),
    "traps": Plant("TRAP", 0.01, "runtime", "", False),
    "wrong result": Plant("WRONG", 0.03, "correctness", "differs from the reference", False),
    "does not compile": Plant("REJECTED", 0.03, "compile", "planted"),
    "compiles forever": Plant("SLOW_COMPILE", 0.01, "timeout", "within"),
}
FASTEST = "ROUNDS 40"  # of the winner; the others take 400 rounds

SPEC = """kernel = "smooth"
source = {{ cuda = "smooth.cu", opencl = "smooth.cl" }}

[problem]
n = 4096

[tunables]
number = [{numbers}]
block_size_x = [64]

[launch]
grid = ["n // block_size_x"]
args = ["buf:{{4*n}}:f32", "buf:{{4*n}}:f32", "i32:{{n}}"]

[compile]
options = ["-I{folder}"]

[reference]
kernel = "smooth_reference"
grid = ["n // 64"]
block = [64]
outputs = [0]
"""


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="tuning.py faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="opencl:0")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="of what is planted where, and of the kills")
    parser.add_argument("--limit", type=float, default=10, help="seconds to run or to compile")
    parser.add_argument("--warm", action="store_true", help="with warm caches: much faster on a CPU")
    parser.add_argument("--strategy", default="ensemble")
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="works there, and leaves the files")
    return parser.parse_args(words)


def plant(options, chance):
    """{number: name of the plant}, and the number of the winner."""
    numbers = chance.sample(range(options.trials), options.trials)
    planted = {}
    for name, kind in PLANTS.items():
        if options.device.startswith("emulator") and not kind.emulated:
            continue
        for _ in range(max(1, round(kind.share * options.trials))):
            planted[numbers.pop()] = name
    return planted, numbers.pop()


def write_files(folder, options, planted, winner):
    for source in SOURCES.iterdir():
        shutil.copy(source, folder)
    lines = [f"#if number == {winner}\n#define {FASTEST}\n#endif"]
    for name, kind in PLANTS.items():
        for number in (number for number, planted_name in planted.items() if planted_name == name):
            lines.append(f"#if number == {number}\n#define {kind.macro}\n#endif")
    (folder / "plan.h").write_text("\n".join(lines) + "\n", encoding="utf-8")
    numbers = ", ".join(str(number) for number in range(options.trials))
    (folder / "smooth.toml").write_text(SPEC.format(numbers=numbers, folder=folder), encoding="utf-8")


def recorded(session):
    """{number: row} of the trials in the session; None if it cannot be read at this moment."""
    if not session.exists():
        return {}
    # A session has one user at a time: others read a copy, of which the newest rows are in the log.
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy"
        try:
            for ending in ("", "-wal"):
                if (source := pathlib.Path(f"{session}{ending}")).exists():
                    shutil.copy(source, f"{copy}{ending}")
            with contextlib.closing(sqlite3.connect(copy)) as file:
                rows = file.execute("SELECT config, status, reason, times_us, unix_ms FROM trial").fetchall()
        except (sqlite3.Error, OSError):
            return None  # it changed while it was copied, or has no tables yet
    return {json.loads(config)["number"]: rest for config, *rest in rows}


def processes_of(session_id):
    """Processes of a session (setsid) that are alive."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has just ended
        if int(fields[3]) == session_id and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def wait_for_end(session_id, seconds):
    """The processes that are left after so long."""
    until = time.monotonic() + seconds
    while (left := processes_of(session_id)) and time.monotonic() < until:
        time.sleep(0.05)
    return left


class Lives:
    """burin, started again after each kill until it ends by itself."""

    def __init__(self, folder, options, chance):
        self.session = folder / "smooth.session"
        self.command = [options.burin, "tune", folder / "smooth.toml", "--session", self.session, "--resume"]
        self.command += ["--device", options.device, "--strategy", options.strategy, "--json"]
        self.command += ["--budget", options.trials, "--limit", options.limit, "--compile-limit", options.limit]
        self.command += ["--warm"] if options.warm else []
        self.out = folder / "out.json"
        self.chance = chance
        # Kills are spread over the run: each waits for so many trials, and for a random moment.
        self.moments = sorted(chance.sample(range(1, max(2, options.trials * 8 // 10)), options.kills))
        self.wrong = []
        self.at_kills = []  # trials recorded at each kill
        self.restarts = []  # seconds from each start to the first new trial
        self.result = None

    def start(self):
        command = [str(word) for word in self.command]
        # PoCL would take what it compiled for another plan.h.
        environment = {**os.environ, "POCL_CACHE_DIR": str(self.out.with_name("pocl"))}
        with self.out.open("w") as out, self.out.with_suffix(".err").open("w") as err:
            return subprocess.Popen(command, stdout=out, stderr=err, env=environment, start_new_session=True)

    def run_until(self, trials, before):
        """True if burin was killed once so many trials were there, False if it ended before."""
        started = time.monotonic()
        burin = self.start()
        first = None
        delay = self.chance.uniform(0, 1)
        while True:
            if burin.poll() is not None:
                if first is None:
                    self.restarts.append(time.monotonic() - started)
                break
            count = len(recorded(self.session) or before)
            if first is None and count > len(before):
                first = time.monotonic() - started
                self.restarts.append(first)
            if trials is not None and count >= trials:
                time.sleep(delay)
                os.kill(burin.pid, signal.SIGKILL)
                burin.wait()
                break
            time.sleep(0.1)
        left = wait_for_end(burin.pid, 5)
        if left:
            self.wrong.append(f"processes {left} of burin outlived it by 5 seconds")
            for process in left:
                os.kill(process, signal.SIGKILL)
        return burin.returncode == -signal.SIGKILL, burin.returncode

    def run(self):
        before = {}
        for moment in [*self.moments, None]:
            killed, status = self.run_until(moment, before)
            now = recorded(self.session) or {}
            for number, row in before.items():
                if number not in now:
                    self.wrong.append(f"the trial of {number} was lost")
                elif now[number] != row:
                    self.wrong.append(f"{number} was measured again, although it was recorded")
            if not killed:
                if status != 0:
                    said = self.out.with_suffix(".err").read_text(encoding="utf-8").strip()
                    self.wrong.append(f"burin ended with {status} after {len(now)} trials: {said}")
                if status == 0:
                    self.result = json.loads(self.out.read_text(encoding="utf-8"))
                    if self.result["resumed"] != len(before):
                        self.wrong.append(f"{self.result['resumed']} trials resumed, {len(before)} were recorded")
                return
            self.at_kills.append(len(now))
            before = now


def check_trials(options, planted, trials):
    """Sentences about trials that are not what was planted, and {plant: how many are}."""
    wrong = []
    right = collections.Counter()
    for number in range(options.trials):
        if number not in trials:
            wrong.append(f"{number} was never tried")
            continue
        status, reason = trials[number][:2]
        name = planted.get(number)
        if name is None:
            if status != "ok":
                wrong.append(f"{number} should work, but is '{status}': {reason}")
            else:
                right["works"] += 1
        elif status != PLANTS[name].status or PLANTS[name].reason not in reason:
            wrong.append(f"{number} ({name}) should be '{PLANTS[name].status}', but is '{status}': {reason}")
        else:
            right[name] += 1
    return wrong, right


def check_session(session):
    with sqlite3.connect(f"file:{session}?mode=ro", uri=True) as file:
        answer = file.execute("PRAGMA integrity_check").fetchone()[0]
        twice = file.execute("SELECT count(*) - count(DISTINCT point) FROM trial").fetchone()[0]
        won = file.execute("SELECT config FROM winner").fetchone()
    wrong = [] if answer == "ok" else [f"the session file is damaged: {answer}"]
    if twice:
        wrong.append(f"{twice} configurations are in the session twice")
    return wrong, json.loads(won[0])["number"] if won else None


def main(words):
    options = arguments(words)
    chance = random.Random(options.seed)
    planted, winner = plant(options, chance)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(exist_ok=True)
        write_files(folder, options, planted, winner)
        lives = Lives(folder, options, chance)
        started = time.monotonic()
        lives.run()
        seconds = time.monotonic() - started
        trials = recorded(lives.session) or {}
        wrong = list(lives.wrong)
        found, right = check_trials(options, planted, trials)
        wrong += found
        found, won = check_session(lives.session)
        wrong += found
    if won != winner:
        wrong.append(f"{won} won, but {winner} is the fastest")
    if lives.result is not None and lives.result["best"]["config"]["number"] != winner:
        wrong.append(f"{winner} is not the best of the result")

    device = lives.result["device"] if lives.result else options.device
    print(f"{len(trials)} of {options.trials} trials on {device} in {seconds:.1f} s; {len(wrong)} mistakes")
    print(f"{right['works']:6} of {options.trials - len(planted):6}  configurations that work: status ok")
    for name, kind in PLANTS.items():
        count = list(planted.values()).count(name)
        if count:
            print(f"{right[name]:6} of {count:6}  {name}: status {kind.status}")
    print(f"{len(lives.at_kills):6} of {options.kills:6}  kills, with {lives.at_kills} trials recorded")
    again = sorted(lives.restarts[1:])
    if again:
        print(f"first new trial after a restart: median {again[len(again) // 2]:.2f} s, at most {again[-1]:.2f} s")
    print(f"winner: {won} (planted: {winner})")
    for sentence in wrong:
        print(f"wrong: {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
