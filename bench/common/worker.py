"""`burin worker` as a Python object: docs/device.md has the protocol."""

import json
import select
import subprocess
import time

SCHEMA = "burin.worker/2"


def dims(text):
    numbers = [int(word) for word in (text or "1").split(",")]
    return (numbers + [1, 1])[:3]


def byte_count(text):
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    text = (text or "0").upper()
    return int(text[:-1], 0) * units[text[-1]] if text[-1] in units else int(text, 0)


def request(launch, cubin, symbol, **more):
    line = {
        "schema": SCHEMA,
        "program": str(cubin),
        "kernel": symbol,
        "grid": dims(launch.value("--grid")),
        "block": dims(launch.value("--block")),
        "smem": byte_count(launch.value("--smem")),
        "arguments": launch.values("--arg"),
        **more,
    }
    if launch.value("--cluster"):
        line["cluster"] = dims(launch.value("--cluster"))
    return json.dumps(line)


class Worker:
    """Started when first needed, and again after a fault or a hang."""

    def __init__(self, burin):
        self.burin = str(burin)
        self.process = None

    def ask(self, line, limit_seconds):
        """The result, or a string that says why there is none."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [self.burin, "worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        end = time.monotonic() + limit_seconds
        rest, stage = b"", "starting"
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.close()
                return f"did not finish {stage} in {limit_seconds} seconds"
            piece = self.process.stdout.read1(1 << 16)
            if not piece:
                self.close()
                return f"the worker crashed while {stage}"
            *lines, rest = (rest + piece).split(b"\n")
            for text in lines:
                answer = json.loads(text)
                stage = answer.get("stage", stage)
                if "error" in answer:
                    self.close()
                    return answer["error"]["message"]
                if "result" in answer:
                    return answer["result"]

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None
