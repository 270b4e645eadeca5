"""A command with a limit on its CPU time, so that other programs on the computer do not count."""

import math
import os
import resource
import signal
import subprocess

CLOCK = 20  # seconds of the clock for a second of CPU time, at most: a process may also wait for ever


class TimeLimit(Exception):
    """The command took longer."""


def run_limited(command, seconds):
    """The finished process with its output as text; the processes that it started are ended with it."""

    def limit():
        cpu = math.ceil(seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))

    process = subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=limit,
    )
    try:
        output, messages = process.communicate(timeout=CLOCK * seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise TimeLimit(f"more than {CLOCK * seconds:g} s") from None
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TimeLimit(f"more than {seconds:g} s of CPU time")
    return subprocess.CompletedProcess(command, process.returncode, output, messages)
