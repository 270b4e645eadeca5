"""`coarsening.py random`: random kernels through `burin coarsen --check`, until one is wrong."""

import collections
import concurrent.futures
import json
import pathlib
import random
import tempfile
import time

from coarsening.generate import PER_FILE, write_files
from coarsening.judge import FMAD, Buffers, Judge, compare, sentence
from coarsening.kernels import combinations, read_folder
from coarsening.limited import TimeLimit, run_limited
from coarsening.program import HELPERS, reduced
from coarsening.ptx import compile_ptx, own_cache, split

UNOPTIMISED = ("-Xcicc", "-O0")  # for every fifth file: other flow than the optimiser leaves
MAX_PRINTED = 20


def flags_of(number):
    return UNOPTIMISED if number // PER_FILE % 5 == 4 else ()


def prepare(seed, numbers, folder):
    """[(program, kernel)] of one file, each kernel as PTX of its own."""
    programs = write_files(seed, numbers, folder, per_file=len(numbers))
    source = folder / f"{programs[0].name}.cu"
    problem = compile_ptx(source, folder / "all.ptx", flags_of(numbers[0]))
    if problem:
        raise SystemExit(f"nvcc does not compile {source}: {problem[:2000]}")
    texts = split((folder / "all.ptx").read_text(encoding="utf-8"))
    kernels = read_folder(folder, "random")
    for kernel in kernels:
        kernel.source = folder / f"{kernel.name}.ptx"
        kernel.source.write_text(texts[kernel.name], encoding="utf-8")
    return list(zip(programs, kernels))


def picked(kernel, seed, tries):
    """Some of the combinations, the same for the same seed."""
    found = combinations(kernel)
    return random.Random(f"{seed} {kernel.name}").sample(found, min(tries, len(found)))


def run_original(burin, kernel, seconds=60):
    """None, or what `burin run` finds wrong with a kernel itself."""
    command = [str(burin), "run", str(kernel.source), *kernel.launch_words(), "-q", "--json"]
    command += ["--threads", "1", "--max-instructions", "20000000", "--nvcc-flag", FMAD]
    try:
        done = run_limited(command, seconds)
    except TimeLimit as limit:
        return f"takes {limit}"
    if done.returncode not in (0, 1):
        return sentence(done.stderr)
    answer = json.loads(done.stdout)
    unknown = sum(answer["unknown"].values())
    faults = [f"{f['kind']} at {f['instruction']}: {f['detail']}" for f in answer["faults"]]
    return "; ".join(faults) or (f"{unknown} values are Unknown" if unknown else None)


def compiled_wrongly(burin, kernel, seconds=60):
    """Does the original itself give something else where ptxas optimises? Then there is nothing to be equal to.

    ptxas 13.0 drops some of the sums that a short loop adds up with __umulhi (IMAD.HI.U32).
    """
    with tempfile.TemporaryDirectory() as folder:
        plain = Buffers(burin, seconds, ("--nvcc-flag", "-O1")).after(kernel.source, kernel, folder)
        optimised = Buffers(burin, seconds).after(kernel.source, kernel, folder)
    return not isinstance(plain, str) and compare(plain, optimised) is not None


def reduce_wrong(program, kernel, combination, judge, keep):
    """Keeps the kernel, and the smallest that is still wrong; returns the file of the latter."""
    keep.mkdir(parents=True, exist_ok=True)
    (keep / f"{kernel.name}.ptx").write_bytes(kernel.source.read_bytes())
    (keep / f"{kernel.name}.cu").write_text(HELPERS + "\n" + program.text(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = pathlib.Path(folder, "small.cu"), pathlib.Path(folder, "small.ptx")

        def still_wrong(smaller):
            source.write_text(HELPERS + "\n" + smaller.text(), encoding="utf-8")
            if compile_ptx(source, ptx, flags_of(int(kernel.name.rpartition("_")[2]))):
                return False
            kernel.source = ptx
            verdict = judge.try_one(kernel, combination)
            return verdict.word in ("WRONG", "DISAGREES") and run_original(judge.burin, kernel) is None

        small = reduced(program, still_wrong) if still_wrong(program) else program
    file = keep / f"{kernel.name}.reduced.cu"
    file.write_text(HELPERS + "\n" + small.text(), encoding="utf-8")
    return file, small


def report_wrong(program, kernel, combination, verdict, judge, keep):
    print(f"{kernel.name}: {verdict.word} with {combination}: {verdict.detail}")
    print(f"  {verdict.command}")
    file, small = reduce_wrong(program, kernel, combination, judge, keep)
    print(f"reduced from {program.count()} statements to {small.count()}, in {file}:\n")
    print(small.text())


def originals(options):
    """Are the kernels themselves without faults?"""
    failed = 0
    for first in range(0, options.count, PER_FILE):
        numbers = range(first, min(first + PER_FILE, options.count))
        with tempfile.TemporaryDirectory() as folder:
            kernels = [kernel for _, kernel in prepare(options.seed, numbers, pathlib.Path(folder))]
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                problems = pool.map(lambda kernel: run_original(options.burin, kernel), kernels)
                for kernel, problem in zip(kernels, problems):
                    failed += problem is not None
                    if problem and failed <= MAX_PRINTED:
                        print(f"{kernel.name}: {problem}", flush=True)
    print(f"{options.count:,} kernels of seed {options.seed}: {failed} with faults of their own")
    return 1 if failed else 0


def run(options):
    with own_cache():
        return originals(options) if options.originals else coarsen_all(options)


def coarsen_all(options):
    judge = Judge(options.burin, options.seconds, options.verify, options.keep)
    careful = Judge(options.burin, options.seconds, flags=("-O1",))
    words, refusals, bad = collections.Counter(), collections.Counter(), []
    end = time.monotonic() + options.time_limit
    for first in range(0, options.count, PER_FILE):
        if time.monotonic() > end:
            options.count = first
            break
        numbers = range(first, min(first + PER_FILE, options.count))
        with tempfile.TemporaryDirectory() as folder:
            made = prepare(options.seed, numbers, pathlib.Path(folder))
            tasks = [(p, k, c) for p, k in made for c in picked(k, options.seed, options.tries)]
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                verdicts = list(pool.map(lambda task: judge.try_one(task[1], task[2]), tasks))
            for (program, kernel, combination), verdict in zip(tasks, verdicts):
                if verdict.bad and run_original(options.burin, kernel):
                    words["left out: the original has faults"] += 1
                    continue
                if verdict.word == "WRONG" and compiled_wrongly(options.burin, kernel):
                    words["left out: ptxas compiles the original wrongly"] += 1
                    continue
                if verdict.word == "WRONG" and careful.try_one(kernel, combination).word == "ok":
                    # Counted and reported, and not taken for an error of the transformation: README.md has the cases.
                    verdict.word = "WRONG, but right with ptxas -O1"
                words[verdict.word] += 1
                if verdict.word in ("WRONG", "DISAGREES", "WRONG LAUNCH"):
                    report_wrong(program, kernel, combination, verdict, judge, options.keep)
                    return 1
                if verdict.bad:
                    bad.append(f"{kernel.name} {combination}: {verdict.word}: {verdict.detail}")
                    keep_source(kernel, options.keep)
                elif verdict.word != "ok":
                    refusals[(verdict.word, without_names(verdict.detail, kernel))] += 1
    return summarise(options, words, refusals, bad)


def keep_source(kernel, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / kernel.source.name).write_bytes(kernel.source.read_bytes())


def without_names(text, kernel):
    """A refusal's sentence without file, kernel and numbers, so that equal reasons count together."""
    text = text.replace(str(kernel.source), "FILE").replace(kernel.source.name, "FILE")
    text = text.replace(kernel.name, "KERNEL")
    return "".join("N" if c.isdigit() else c for c in text)


def summarise(options, words, refusals, bad):
    for line in bad[:MAX_PRINTED]:
        print(line)
    if bad:
        print(f"{len(bad)} failures in all; their PTX is in {options.keep}")
    for (word, text), count in refusals.most_common(MAX_PRINTED):
        print(f"{count:6,}  {word}: {text}")
    counts = ", ".join(f"{count:,} {word}" for word, count in words.most_common())
    print(f"{options.count:,} kernels of seed {options.seed}, {sum(words.values()):,} combinations: {counts}")
    return 1 if bad or words["not implemented"] else 0
