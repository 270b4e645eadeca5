"""`coarsening.py mutants`: are errors noticed that are planted into coarsened kernels?

A kernel is coarsened, one instruction of the PTX is changed, and the result is executed by `burin run`
and compared with the original's buffers. Only instructions are changed that the launch executes. A mutant
is noticed if a buffer differs, the run finds a fault (a race, an access out of bounds), or does not end.
Some mutants change nothing that matters (a redundant barrier, a bound that is never reached), so not all
can be noticed. With --originals the kernels
themselves are changed, not coarsened: this asks how sensitive the launches' data are.
"""

import collections
import concurrent.futures
import json
import pathlib
import random
import re
import tempfile

from coarsening.judge import FMAD, Buffers, Judge, compare, read_answer
from coarsening.kernels import combinations, read_kernels
from coarsening.limited import TimeLimit, run_limited
from coarsening.mutate_ptx import KINDS, apply, mutations, with_own_lines, without_lines
from coarsening.ptx import compile_ptx, own_cache, split

LIMIT = ("--max-instructions", "3000000")


class Subject:
    """A kernel, coarsened in one way or not at all, that is to be mutated."""

    def __init__(self, kernel, text, shape, label):
        self.kernel, self.shape, self.label = kernel, shape, label
        self.text = without_lines(text)
        self.changes = mutations(self.text)

    def keep_executed(self, burin, seconds, folder):
        """Drops the changes of instructions that the launch does not execute, or that ptxas left out."""
        file = folder / "lines.ptx"
        file.write_text(with_own_lines(self.text), encoding="utf-8")
        command = [burin, "run", file, *self.kernel.launch_words(**self.shape), "-q", "--json"]
        done = run_limited([*command, "--threads", "1", "--nvcc-flag", FMAD], seconds)
        if done.returncode not in (0, 1):
            self.changes = {kind: [] for kind in KINDS}
            return
        executed = {line["line"] for line in json.loads(done.stdout)["lines"]}
        for kind, changes in self.changes.items():
            self.changes[kind] = [change for change in changes if change[0] + 1 in executed]


def kernel_text(ptx, kernel):
    """The PTX of one kernel of a file with many."""
    base = kernel.name.partition("<")[0]
    texts = split(ptx)
    names = [name for name in texts if name == base or re.match(rf"_Z\d+{base}(?:I|P|v|\d)", name)]
    return texts[names[0]] if len(names) == 1 else None


def original(kernel, folder, cache):
    ptx = folder / f"{kernel.part}.{kernel.source.stem}.ptx"
    if ptx not in cache:
        problem = compile_ptx(kernel.source, ptx)
        cache[ptx] = None if problem else ptx.read_text(encoding="utf-8")
    return cache[ptx]


def coarsened(options, kernel, chance, folder):
    """(PTX, shape, label) of the kernel in a combination that burin can do, or None."""
    judge = Judge(options.burin, options.seconds, verify=True)
    allowed = [c for c in combinations(kernel) if c.expectation(kernel)[0] == "yes"]
    for combination in chance.sample(allowed, min(3, len(allowed))):
        output = folder / "coarsened.ptx"
        try:
            done = run_limited(judge.command(kernel, combination, output), options.seconds)
        except TimeLimit:
            continue
        answer = read_answer(done.stdout) if done.returncode == 0 else None
        if answer:
            launch = answer["launch"]
            shape = {side: launch[side] for side in ("grid", "block")}
            shape["smem"] = launch.get("smem", kernel.smem)
            return output.read_text(encoding="utf-8"), shape, str(combination)
    return None


def subjects(options, folder):
    """The kernels that are to be mutated, in random order."""
    kernels = [
        kernel
        for kernel in read_kernels(options.part)
        if kernel.expected == "coarsens" and (options.kernel or "") in kernel.name
    ]
    chance, cache = random.Random(options.seed), {}
    chance.shuffle(kernels)
    for kernel in kernels:
        if options.originals:
            whole = original(kernel, folder, cache)
            made = (whole, {}, "not coarsened") if whole else None
        else:
            made = coarsened(options, kernel, chance, folder)
        text = kernel_text(made[0], kernel) if made else None
        if text is not None:
            yield Subject(kernel, text, made[1], made[2])


def expected_buffers(options, kernel, folder):
    return Buffers(options.burin, options.seconds).after(kernel.source, kernel, folder)


def try_mutant(options, subject, expected, number, line):
    """noticed, missed or invalid (ptxas refuses it)."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "mutant.ptx")
        file.write_text(apply(subject.text, number, line), encoding="utf-8")
        buffers = Buffers(options.burin, options.seconds, LIMIT)
        after = buffers.after(file, subject.kernel, folder, **subject.shape)
    if isinstance(after, str) and ("ptxas" in after or "does not compile" in after):
        return "invalid"
    return "noticed" if compare(expected, after) else "missed"


def plan(subject, chance, count):
    """Some mutations, of different kinds as far as there are."""
    kinds = [kind for kind in KINDS if subject.changes[kind]]
    kinds = chance.sample(kinds, min(count, len(kinds)))
    return [(kind, *chance.choice(subject.changes[kind])) for kind in kinds]


def run(options):
    with own_cache():
        return plant_all(options)


def plant_all(options):
    tallies = {kind: collections.Counter() for kind in KINDS}
    chance, missed, total = random.Random(options.seed), [], 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = pathlib.Path(name)
        for subject in subjects(options, folder):
            if total >= options.count:
                break
            expected = expected_buffers(options, subject.kernel, folder)
            if isinstance(expected, str):
                print(f"{subject.kernel.name}: skipped: {expected}")
                continue
            subject.keep_executed(options.burin, options.seconds, folder)
            mutants = plan(subject, chance, 4)
            total += len(mutants)
            jobs = [
                pool.submit(try_mutant, options, subject, expected, number, line)
                for _, number, line in mutants
            ]
            for (kind, number, line), job in zip(mutants, jobs):
                word = job.result()
                tallies[kind][word] += 1
                if word == "missed":
                    old = subject.text.split("\n")[number].strip()
                    missed.append(f"{subject.kernel.name} ({subject.label}): {kind}: {old} -> {line.strip()}")
    return summarise(options, tallies, missed)


def summarise(options, tallies, missed):
    print(f"{'error':10} {'noticed':>8} {'missed':>8} {'invalid':>8}")
    noticed = count = 0
    for kind, tally in tallies.items():
        print(f"{kind:10} {tally['noticed']:8} {tally['missed']:8} {tally['invalid']:8}")
        noticed += tally["noticed"]
        count += tally["noticed"] + tally["missed"]
    if options.all:
        print("\n".join(missed))
    if not count:
        print("no kernel could be coarsened, so nothing was planted")
        return 1
    share = 100 * noticed / count
    print(f"{share:.1f} % of {count} planted errors are noticed")
    if options.json:
        options.json.write_text(json.dumps({"share": share, "missed": missed}, indent=1), encoding="utf-8")
    return 0 if share >= options.min_noticed else 1
