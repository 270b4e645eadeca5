"""`burin predict` on many launches at once, each in a process of its own with its time and memory."""

import concurrent.futures
import dataclasses
import json
import os
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Prediction:
    content: dict | None  # what --json told
    problem: str  # why there is none
    seconds: float  # burin's own
    cpu_seconds: float  # of all its threads; tells more where other programs run beside it
    peak_bytes: int

    @property
    def time_us(self):
        return self.content["time_us"] if self.content else None


def run(command, limit_seconds):
    """(exit status or None when it took too long, output, words, seconds, resources used)."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as words:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=words, stdin=subprocess.DEVNULL)
        wait, late = 0.001, False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                break
            if not late and time.monotonic() - began > limit_seconds:
                late = True
                process.kill()
            time.sleep(wait)
            wait = min(2 * wait, 0.02)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        words.seek(0)
        texts = (out.read().decode(), words.read().decode(errors="replace").strip())
        return None if late else process.returncode, *texts, seconds, usage


def predict(launch, options, more=()):
    command = [options.burin, "predict", options.cubins / launch.cubin, "--kernel", launch.kernel]
    command += [*launch.options, "--machine", options.machine, "--json", *more]
    status, text, words, seconds, usage = run(command, options.limit)
    content, problem = None, ""
    if status is None:
        problem = f"no end in {options.limit:g} seconds"
    elif status != 0:
        problem = words.splitlines()[-1] if words else f"exit status {status}"
    else:
        try:
            content = json.loads(text)
            if not content["time_us"] > 0:
                content, problem = None, f"a time of {content['time_us']} µs"
        except (ValueError, KeyError, TypeError) as wrong:
            content, problem = None, f"its JSON is not understood: {wrong!r}"
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return Prediction(content, problem, seconds, cpu_seconds, usage.ru_maxrss * 1024)


def predict_all(work, options):
    """[Prediction] for [(launch, further options)], in order."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        return list(pool.map(lambda item: predict(item[0], options, item[1]), work))
