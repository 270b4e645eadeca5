"""Coarsened kernels on a GPU: the original and the coarsened kernel run on the same inputs, and every
byte of every buffer is compared. Both are compiled without contraction of multiplications and additions."""

import json
import pathlib
import re
import shlex
import subprocess
import tempfile
import threading

from common.worker import SCHEMA, Worker
from coarsening.judge import FMAD, Verdict, compare, judge, read_answer
from coarsening.limited import TimeLimit, run_limited


def symbol_of(ptx, kernel):
    """The name in the PTX of what people call `kernel`; template arguments are whole numbers or types."""
    base, _, arguments = kernel.partition("<")
    names = re.findall(r"\.entry\s+([\w$]+)", ptx)
    found = [name for name in names if name == base or f"{len(base)}{base}" in name]
    if arguments:
        mangled = "".join(
            f"Li{word.strip()}E" for word in arguments.rstrip(">").split(",") if word.strip().isdigit()
        )
        found = [name for name in found if mangled in name]
    return found[0] if found else None


class DeviceJudge:
    """Used by several threads; each has a worker process of its own."""

    def __init__(self, burin, seconds=60.0, keep=None):
        self.burin = str(burin)
        self.seconds = seconds
        self.keep = keep
        self.folder = tempfile.TemporaryDirectory()
        self.local = threading.local()
        self.lock = threading.Lock()
        self.sources = {}  # source: its PTX, or a sentence
        self.originals = {}  # kernel: [bytes of each buffer], or a sentence

    def ptx_of(self, source):
        with self.lock:
            if source not in self.sources:
                output = pathlib.Path(self.folder.name, f"{len(self.sources)}.ptx")
                command = ["nvcc", "-arch=sm_90", "-ptx", FMAD, str(source), "-o", str(output)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                self.sources[source] = output if done.returncode == 0 else done.stderr
            return self.sources[source]

    def buffers_after(self, ptx, kernel, grid, block, smem):
        """[bytes of each buffer] after the kernel ran on the GPU, or a sentence."""
        symbol = symbol_of(ptx.read_text(encoding="utf-8"), kernel.name)
        if symbol is None:
            return f"no kernel {kernel.name} in its PTX"
        if not hasattr(self.local, "worker"):
            self.local.worker = Worker(self.burin)
        with tempfile.TemporaryDirectory() as folder:
            request = {
                "schema": SCHEMA, "program": str(ptx), "kernel": symbol, "grid": grid, "block": block,
                "smem": smem, "arguments": kernel.arguments, "outputs": folder, "warm_up_ms": 0,
                "stopping": {"least": 0, "most": 0},
            }
            answer = self.local.worker.ask(json.dumps(request), self.seconds)
            if isinstance(answer, str):
                return answer
            return [pathlib.Path(output["path"]).read_bytes() for output in answer["outputs"]]

    def original(self, kernel):
        key = (kernel.source, kernel.name)
        if key not in self.originals:
            ptx = self.ptx_of(kernel.source)
            shape = (kernel.grid, kernel.block, kernel.smem)
            known = ptx if isinstance(ptx, str) else self.buffers_after(ptx, kernel, *shape)
            self.originals[key] = known
        return self.originals[key]

    def try_one(self, kernel, combination):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "out.ptx")
            command = [self.burin, "coarsen", str(kernel.source), *kernel.launch_words(), *combination.words]
            command += ["--nvcc-flag", FMAD, "-o", str(output), "--json", "-q"]
            try:
                done = run_limited(command, self.seconds)
            except TimeLimit as limit:
                return Verdict("TIMEOUT", str(limit))
            answer = read_answer(done.stdout)
            if done.returncode != 0 or answer is None:
                verdict = judge(done, kernel, combination, output)
            else:
                verdict = self.compared(kernel, answer["launch"], output)
            if verdict.bad and self.keep and output.exists():
                self.keep.mkdir(parents=True, exist_ok=True)
                name = re.sub(r"\W+", "_", f"{kernel.name} {combination}") + ".ptx"
                (self.keep / name).write_bytes(output.read_bytes())
        verdict.command = shlex.join(command)
        return verdict

    def compared(self, kernel, launch, output):
        before = self.original(kernel)
        if isinstance(before, str):
            return Verdict("FAILED", f"the original cannot be run: {before}")
        after = self.buffers_after(output, kernel, launch["grid"], launch["block"], launch["smem"])
        difference = compare(before, after)
        return Verdict("WRONG", difference) if difference else Verdict("ok")
