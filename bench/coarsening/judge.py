"""One `burin coarsen --check`, and what its answer is worth."""

import dataclasses
import json
import pathlib
import re
import shlex
import signal
import tempfile

from coarsening.limited import TimeLimit, run_limited

FMAD = "-fmad=false"  # so that the compiler contracts original and coarsened code alike
ABSENT = re.compile(r"not (yet )?implemented|not yet|todo", re.IGNORECASE)

GOOD = {"ok", "refused"}
MISSED = {"SHORTCOMING", "not implemented"}  # safe, but counts against the share that coarsens


@dataclasses.dataclass
class Verdict:
    """word: ok; refused (for the right reason, where that is allowed); SHORTCOMING (refused, but the
    semantics allow it); not implemented; WRONG (other results); WRONG LAUNCH; WRONG REASON; NOT REFUSED;
    UNCHECKED; CRASH; TIMEOUT; USAGE; FAILED; DISAGREES (--check says equal, the buffers are not)."""

    word: str
    detail: str = ""
    command: str = ""

    @property
    def bad(self):
        return self.word not in GOOD | MISSED


def sentence(text):
    """The last line that a command wrote, without its name."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return re.sub(r"^burin: ", "", lines[-1]) if lines else ""


def refusal(reason, expectation, pattern):
    if ABSENT.search(reason):
        return Verdict("not implemented", reason)
    right = re.search(pattern, reason, re.IGNORECASE)
    if expectation == "yes" or (expectation == "remainder" and not right):
        return Verdict("SHORTCOMING", reason)
    if not right:
        return Verdict("WRONG REASON", f"{reason} (expected: {pattern})")
    return Verdict("refused", reason)


def read_answer(output):
    """The JSON document that burin wrote, or None."""
    try:
        answer = json.loads(output)
    except json.JSONDecodeError:
        return None
    return answer if isinstance(answer, dict) and answer.get("schema") == "burin.coarsen/1" else None


def judge_answer(answer, status, kernel, combination, output):
    """A coarsened kernel: was it compared, was it equal, and does its launch have the right shape?"""
    if answer is None:
        return Verdict("FAILED", f"exit status {status}, and no JSON of schema burin.coarsen/1")
    check = answer.get("check") or {}
    if check.get("equal") is False:
        first = check.get("first_difference", "")
        return Verdict("WRONG", f"{check.get('differences', '?')} bytes differ; {first}")
    if check.get("equal") is not True or not check.get("compared_bytes"):
        return Verdict("UNCHECKED", f"check: {json.dumps(check)}")
    if status != 0:
        return Verdict("FAILED", f"equal, but exit status {status}")
    grid, block = combination.shape(kernel)
    launch = answer.get("launch") or {}
    if launch.get("grid") != grid or launch.get("block") != block:
        return Verdict(
            "WRONG LAUNCH", f"{launch.get('grid')} of {launch.get('block')}, not {grid} of {block}"
        )
    if not output.exists() or not output.stat().st_size:
        return Verdict("FAILED", "nothing was written to -o")
    return Verdict("ok")


def judge(done, kernel, combination, output):
    expectation, pattern = combination.expectation(kernel)
    text = sentence(done.stderr)
    if done.returncode < 0 or done.returncode >= 128 or "internal error" in done.stderr:
        names = {-s.value: s.name for s in signal.Signals}
        return Verdict("CRASH", f"{names.get(done.returncode, f'status {done.returncode}')}: {text}")
    if done.returncode == 3:
        if not text:
            return Verdict("WRONG REASON", "refused without a sentence")
        verdict = refusal(text, expectation, pattern)
        if verdict.word == "WRONG REASON" and kernel.part == "random":  # may have several reasons
            return Verdict("SHORTCOMING", text)
        return verdict
    if done.returncode == 1 and text and not done.stdout.strip():
        return Verdict("WRONG", text)
    if done.returncode not in (0, 1):
        return Verdict("USAGE" if done.returncode == 2 else "FAILED", text)
    verdict = judge_answer(read_answer(done.stdout), done.returncode, kernel, combination, output)
    if verdict.word == "ok" and expectation == "no":
        return Verdict("NOT REFUSED", f"a refusal with '{pattern}' was expected")
    return verdict


class Buffers:
    """What a launch leaves in its buffers by `burin run`, which is independent of --check."""

    def __init__(self, burin, seconds, more=()):
        self.burin = str(burin)
        self.seconds = seconds
        self.more = more  # options of burin run

    def after(self, file, kernel, folder, **shape):
        """[bytes of each buffer], or a sentence."""
        files = {i: pathlib.Path(folder, f"{i}.bin") for i in kernel.buffers}
        command = [self.burin, "run", file, *kernel.launch_words(**shape), "-q", "--threads", "1"]
        command += ["--nvcc-flag", FMAD, "--force", *self.more]
        command += [word for i, path in files.items() for word in ("--out", f"{i}={path}")]
        try:
            done = run_limited(command, self.seconds)
        except TimeLimit as limit:
            return f"burin run takes {limit}"
        if done.returncode not in (0, 1):
            return sentence(done.stderr)
        if done.returncode == 1:
            faults = re.search(r"\d+ faults? found", done.stdout)
            return faults[0] if faults else sentence(done.stderr)
        return [path.read_bytes() for path in files.values()]


def compare(before, after):
    """The first difference of two lists of buffers, or None."""
    if isinstance(after, str):
        return after
    for number, (a, b) in enumerate(zip(before, after, strict=True)):
        if a != b:
            at = next(i for i, (x, y) in enumerate(zip(a, b)) if x != y)
            return f"buffer {number} differs, first at byte {at}"
    return None


class Judge:
    def __init__(self, burin, seconds=60.0, verify=False, keep=None, flags=()):
        self.burin = str(burin)
        self.seconds = seconds
        self.verify = verify
        self.flags = [word for flag in flags for word in ("--nvcc-flag", flag)]
        self.keep = keep  # a folder for what was written where the verdict is bad
        self.buffers = Buffers(self.burin, seconds)
        self.originals = {}  # of verified kernels: [bytes of each buffer]

    def command(self, kernel, combination, output):
        words = [self.burin, "coarsen", str(kernel.source), *kernel.launch_words(), *combination.words]
        words += self.flags + (["--nvcc-flag", FMAD] if self.verify else [])
        return [*words, "-o", str(output), "--check", "--json", "-q"]

    def try_one(self, kernel, combination):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "out.ptx")
            command = self.command(kernel, combination, output)
            try:
                done = run_limited(command, self.seconds)
            except TimeLimit as limit:
                verdict = Verdict("TIMEOUT", str(limit))
            else:
                verdict = judge(done, kernel, combination, output)
                if verdict.word == "ok" and self.verify:
                    smem = (read_answer(done.stdout).get("launch") or {}).get("smem", kernel.smem)
                    verdict = self.verified(kernel, combination, output, smem, folder)
            if verdict.bad and self.keep and output.exists():
                self.keep.mkdir(parents=True, exist_ok=True)
                name = re.sub(r"\W+", "_", f"{kernel.name} {combination}") + ".ptx"
                (self.keep / name).write_bytes(output.read_bytes())
                verdict.detail += f" [{self.keep / name}]"
        verdict.command = shlex.join(command)
        return verdict

    def verified(self, kernel, combination, output, smem, folder):
        """The buffers compared once more, by runs of our own."""
        before = self.originals.get(kernel.name)
        if before is None:
            before = self.originals[kernel.name] = self.buffers.after(kernel.source, kernel, folder)
        if isinstance(before, str):
            return Verdict("FAILED", f"the original cannot be run: {before}")
        grid, block = combination.shape(kernel)
        after = self.buffers.after(output, kernel, folder, grid=grid, block=block, smem=smem)
        difference = compare(before, after)
        return Verdict("DISAGREES", difference) if difference else Verdict("ok")
