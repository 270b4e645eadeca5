#!/usr/bin/env python3
"""bench/coarsening.py with a burin and an nvcc that scripts play, and the lists of corpus/coarsen."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from coarsening import kernels, mutate_ptx, ptx, table  # noqa: E402
from coarsening.generate import write_files  # noqa: E402
from coarsening.grammar import make_program  # noqa: E402
from coarsening.judge import Verdict, refusal  # noqa: E402
from coarsening.program import Node, Program, reduced  # noqa: E402

# Stands for burin. Kernels are named after how it treats them; a PTX file that adds to bins by atomicXor
# is computed wrongly.
BURIN = r'''
import json, os, pathlib, signal, sys, time

words = sys.argv[1:]
value = lambda option: words[words.index(option) + 1]
kernel = value("--kernel")
if words[0] == "run":
    for word in words[words.index("run"):]:
        if "=" in word and word.endswith(".bin"):
            text = "changed" if kernel == "lying" and words[1].endswith("out.ptx") else "same"
            pathlib.Path(word.split("=")[1]).write_text(text)
    print(json.dumps({"faults": [], "unknown": {}}))
    sys.exit(0)
if kernel == "crashing":
    os.kill(os.getpid(), signal.SIGSEGV)
if kernel == "hanging":
    time.sleep(60)
refusals = {
    "refused": "k.cu: refused cannot be coarsened in x: line 3: bar.sync in flow that diverges",
    "unwilling": "k.cu: unwilling cannot be coarsened in x: line 3: bar.sync in flow that diverges",
    "wrong_reason": "k.cu: wrong_reason cannot be coarsened in x: it is Monday",
    "later": "k.cu: later cannot be coarsened: loops are not implemented",
    "silent": "",
}
if kernel in refusals:
    sys.stderr.write(refusals[kernel] and f"burin: {refusals[kernel]}\n")
    sys.exit(3)
grid, block = [[int(n) for n in value(o).split(",")] for o in ("--grid", "--block")]
for word, option in zip(words, words[1:]):
    if word in ("--coarsen-thread", "--coarsen-block"):
        sides = block if word == "--coarsen-thread" else grid
        factor = int(option.split(",")[0].split("=")[1])
        sides["xyz".index(option[0])] = -(-sides["xyz".index(option[0])] // factor)
if kernel == "misshapen":
    grid[0] += 1
wrong = kernel == "wrong" or (words[1].endswith(".ptx") and "atomicXor" in pathlib.Path(words[1]).read_text())
check = {"equal": not wrong, "compared_bytes": 64, "differences": 3 * wrong, "first_difference": "argument 1"}
if kernel == "unchecked":
    check = None
pathlib.Path(value("-o")).write_text("ptx")
answer = {"schema": "burin.coarsen/1", "launch": {"grid": grid, "block": block, "smem": 0}, "check": check}
print("nonsense" if kernel == "garbled" else json.dumps(answer))
sys.exit(1 if wrong else 0)
'''

# Stands for nvcc: every kernel becomes an entry whose instructions are comments.
NVCC = r'''
import pathlib, re, sys

words = sys.argv[1:]
text = pathlib.Path(words[-1]).read_text()
out = [".version 9.0\n"]
for kernel in re.finditer(r'extern "C" __global__ void (\w+)\(.*?\n}\n', text, re.S):
    body = "".join("// " + re.sub("[{}]", "", line) + "\n" for line in kernel[0].splitlines())
    out.append(f".visible .entry {kernel[1]}(\n)\n{{\n{body}}}\n")
pathlib.Path(words[words.index("-o") + 1]).write_text("".join(out))
'''


def script(path, text):
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path


def entry(name, **more):
    made = {"kernel": name, "file": "k.cu", "grid": "4", "block": "64", "args": ["buf:64:zero"]}
    made |= {"kind": "other", "features": [], "expected": "coarsens"}
    made |= {"possible": {"thread-x": "yes", "block-x": "yes"}, "reason": "bar"}
    return made | more


class Check(unittest.TestCase):
    def check(self, visible, held_out=(), *options):
        """The finished process, with its report as `report`."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "held_out").mkdir()
            for part, entries in ((folder, visible), (folder / "held_out", held_out)):
                content = {"schema": kernels.SCHEMA, "kernels": list(entries)}
                (part / "launches.json").write_text(json.dumps(content))
            words = [sys.executable, ROOT / "bench/coarsening.py", "check", "--kernels", folder]
            words += ["--burin", script(folder / "burin", BURIN), "--seconds", "5"]
            words += ["--factors", "2", "--strides", "1"]  # few processes
            words += ["--json", folder / "report.json", "--keep", folder / "kept", *options]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertTrue((folder / "report.json").exists(), done.stderr)
            done.report = json.loads((folder / "report.json").read_text())
            return done

    def words(self, done):
        return {k["kernel"]: {r["verdict"] for r in k["results"]} for k in done.report["kernels"]}

    def test_all_is_well(self):
        refused = entry("refused", expected="refused", possible={"thread-x": "no", "block-x": "no"})
        done = self.check([entry("good"), refused], [entry("better")])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.words(done), {"better": {"ok"}, "good": {"ok"}, "refused": {"refused"}})
        self.assertLess(done.stdout.index("held-out:"), done.stdout.index("visible:"))
        self.assertEqual(done.report["totals"]["all"]["thread-x"]["coarsen"], 2)
        self.assertEqual(done.report["totals"]["all"]["thread-x"]["of"], 2)

    def test_every_failure_is_told(self):
        names = ("wrong", "wrong_reason", "crashing", "later", "silent", "misshapen", "unchecked", "garbled")
        either = {"thread-x": "either", "block-x": "either"}
        done = self.check([entry(name, possible=either) for name in names], [], "--part", "visible")
        self.assertEqual(done.returncode, 1)
        found = self.words(done)
        expected = {
            "wrong": "WRONG",
            "wrong_reason": "WRONG REASON",
            "crashing": "CRASH",
            "later": "not implemented",
            "silent": "WRONG REASON",
            "misshapen": "WRONG LAUNCH",
            "unchecked": "UNCHECKED",
            "garbled": "FAILED",
        }
        self.assertEqual(found, {name: {word} for name, word in expected.items()})
        self.assertIn("SIGSEGV", done.stdout)
        self.assertIn("it is Monday (expected: bar)", done.stdout)
        self.assertIn("3 bytes differ; argument 1", done.stdout)

    def test_each_failure_alone_fails(self):
        for name in ("wrong", "crashing", "later"):
            with self.subTest(name):
                either = {"thread-x": "either", "block-x": "either"}
                bad = entry(name, possible=either, expected="refused")
                self.assertEqual(self.check([entry("good"), bad]).returncode, 1)

    def test_a_timeout_is_told(self):
        done = self.check([entry("hanging", grid="1")], [], "--seconds", "0.1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.words(done), {"hanging": {"TIMEOUT"}})

    def test_what_must_be_refused_and_is_not(self):
        done = self.check([entry("good", expected="refused", possible={"thread-x": "no", "block-x": "yes"})])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.words(done)["good"], {"ok", "NOT REFUSED"})

    def test_refusing_what_is_possible_lowers_the_share(self):
        done = self.check([entry("unwilling"), entry("good")])
        self.assertIn("SHORTCOMING", self.words(done)["unwilling"])
        self.assertEqual(done.report["totals"]["all"]["thread-x"]["coarsen"], 1)
        self.assertIn("only 50.0 % coarsen in thread-x; 90 % are required", done.stdout)
        self.assertEqual(done.returncode, 1)
        low = ("--min-thread-x", "50", "--min-block-x", "50")
        self.assertEqual(self.check([entry("unwilling"), entry("good")], [], *low).returncode, 0)

    def test_verify_does_not_trust_the_check(self):
        done = self.check([entry("lying"), entry("good")], [], "--verify")
        self.assertEqual(self.words(done), {"lying": {"DISAGREES"}, "good": {"ok"}})
        self.assertIn("wrong results: ", done.stdout)
        self.assertEqual(done.returncode, 1)


class Combinations(unittest.TestCase):
    def kernel(self, grid, block, **more):
        return kernels.Kernel("k", pathlib.Path("k.cu"), grid, block, 0, [], **more)

    def texts(self, kernel):
        return [str(combination) for combination in kernels.combinations(kernel)]

    def test_only_what_divides(self):
        texts = self.texts(self.kernel([4, 1, 1], [128, 1, 1]))
        self.assertEqual(
            [text for text in texts if text.startswith("thread")],
            [
                "thread-x=2",
                "thread-x=2,stride=32",
                "thread-x=4",
                "thread-x=4,stride=32",
                "thread-x=8",
                "thread-x=2 block-x=2",
            ],
        )
        blocks = [text for text in texts if text.startswith("block")]
        self.assertEqual(blocks, ["block-x=2", "block-x=4", "block-x=3"])

    def test_words_of_the_command(self):
        step = kernels.Step("thread-y", 4, 32)
        self.assertEqual(step.words, ["--coarsen-thread", "y=4,stride=32"])
        self.assertEqual(kernels.Step("block-y", 2).words, ["--coarsen-block", "y=2"])

    def test_shuffles_need_whole_warps(self):
        kernel = self.kernel([4, 1, 1], [128, 1, 1], possible={"thread-x": "warps", "block-x": "yes"})
        found = {str(c): c.expectation(kernel)[0] for c in kernels.combinations(kernel)}
        self.assertEqual(found["thread-x=2"], "either")
        self.assertEqual(found["thread-x=2,stride=32"], "yes")
        self.assertEqual(found["block-x=2"], "yes")
        self.assertEqual(found["thread-x=2 block-x=2"], "either")

    def test_a_remainder_may_be_refused(self):
        kernel = self.kernel([3, 1, 1], [64, 1, 1], possible={"thread-x": "yes", "block-x": "yes"})
        combination = next(c for c in kernels.combinations(kernel) if c.group == "remainder")
        self.assertEqual(combination.expectation(kernel)[0], "remainder")
        pattern = combination.expectation(kernel)[1]
        self.assertEqual(refusal("3 does not divide by 2", "remainder", pattern).word, "refused")
        self.assertEqual(refusal("labels are hard", "remainder", pattern).word, "SHORTCOMING")
        self.assertEqual(combination.shape(kernel), ([2, 1, 1], [64, 1, 1]))

    def test_shares(self):
        kernel = self.kernel([4, 1, 1], [128, 1, 1], possible={"thread-x": "warps", "block-x": "yes"})
        results = [
            (c, Verdict("refused" if c.expectation(kernel)[0] == "either" else "ok"))
            for c in kernels.combinations(kernel)
        ]
        self.assertEqual(table.share([(kernel, results)], "thread-x", False), (0, 1))
        self.assertEqual(table.share([(kernel, results)], "thread-x", True), (1, 1))


class Lists(unittest.TestCase):
    """corpus/coarsen is what its README says."""

    @classmethod
    def setUpClass(cls):
        cls.kernels = kernels.read_kernels("all")

    def test_enough_of_everything(self):
        good = [kernel for kernel in self.kernels if kernel.expected == "coarsens"]
        self.assertGreaterEqual(len(good), 60)
        self.assertGreaterEqual(len(self.kernels) - len(good), 10)
        self.assertEqual(len({kernel.kind for kernel in good} - {"other"}), 16)
        self.assertGreaterEqual(sum("barrier" in kernel.features for kernel in good), 8)
        self.assertGreaterEqual(sum("shuffle" in kernel.features for kernel in good), 4)
        self.assertEqual(len({kernel.name for kernel in self.kernels}), len(self.kernels))

    def test_the_hash_decides_who_is_held_out(self):
        for kernel in self.kernels:
            with self.subTest(kernel.name):
                self.assertEqual(kernels.held_out(kernel.name), kernel.part == "held-out")

    def test_launches_fit_the_sources(self):
        pattern = r"__global__\s+void\s+(?:__\w+__\([^)]*\)\s*)?(\w+)\(([^)]*)\)"
        for kernel in self.kernels:
            text = re.sub(r"//[^\n]*", "", kernel.source.read_text(encoding="utf-8"))
            found = {name: parameters.split(",") for name, parameters in re.findall(pattern, text)}
            with self.subTest(kernel.name):
                parameters = found[kernel.name.partition("<")[0]]
                self.assertEqual(len(parameters), len(kernel.arguments))
                for parameter, argument in zip(parameters, kernel.arguments):
                    self.assertEqual("*" in parameter, argument.startswith("buf:"), parameter)

    def test_every_kernel_of_the_sources_is_launched(self):
        names = {kernel.name.partition("<")[0] for kernel in self.kernels}
        for source in sorted(kernels.FOLDER.rglob("*.cu")):
            text = source.read_text(encoding="utf-8")
            for name in re.findall(r"__global__\s+void\s+(?:__\w+__\([^)]*\)\s*)?(\w+)\(", text):
                self.assertIn(name, names)

    def test_expectations_are_whole(self):
        for kernel in self.kernels:
            with self.subTest(kernel.name):
                axes = {axis for axis in kernels.AXES if kernel.size(axis) > 1}
                self.assertEqual(set(kernel.possible), axes)
                self.assertLessEqual(set(kernel.possible.values()), {"yes", "warps", "either", "no"})
                if "no" in kernel.possible.values():
                    self.assertEqual(kernel.expected, "refused")
                if set(kernel.possible.values()) != {"yes"}:
                    self.assertTrue(kernel.reason)
                sides = [*kernel.grid, *kernel.block]
                threads = sides[0] * sides[1] * sides[2] * sides[3] * sides[4] * sides[5]
                self.assertLessEqual(threads, 4096)

    def test_kernels_of_the_corpus_are_read(self):
        self.assertGreater(len(kernels.corpus_kernels()), 100)


class Generator(unittest.TestCase):
    def test_the_same_seed_gives_the_same_kernels(self):
        self.assertEqual(make_program(3, 5).text(), make_program(3, 5).text())
        self.assertNotEqual(make_program(3, 5).text(), make_program(3, 6).text().replace("_6", "_5"))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_files(3, range(50), folder)
            self.assertEqual(len(list(folder.glob("*.cu"))), 2)
            self.assertEqual(len(kernels.read_folder(folder, "random")), 50)

    def test_every_property_occurs(self):
        features = {feature for number in range(300) for feature in make_program(1, number).features}
        wanted = "atomics barrier call early_return goto local predicated shared shuffle switch vote"
        self.assertEqual(features, set(wanted.split()))

    def test_barriers_stand_in_uniform_flow(self):
        """No barrier, shuffle or vote below a condition that is not uniform, and none after a return."""
        uniform = re.compile(r"if \(\(.*\) % 3u != \du\) {|.*for \(unsigned \w+ = 0, end_\w+ = 1u", re.S)
        together = re.compile(r"__syncthreads|__shfl|__ballot|__any|__all")

        def look(node, divergent):
            own = "" if node.body is None else node.tail
            if together.search(node.head + own):
                self.assertFalse(divergent, node.head)
            branch = node.body is not None and not node.head.rstrip().endswith("__syncthreads();\n{")
            below = divergent or (branch and not uniform.match(node.head))
            for nodes in (node.body, node.other):
                for inner in nodes or []:
                    look(inner, below)

        for number in range(500):
            program = make_program(2, number)
            for node in program.nodes:
                look(node, False)
            text = program.text()
            if "return;" in text:
                self.assertIsNone(together.search(text[text.index("return;") :]))

    def test_reducing_keeps_what_matters(self):
        leaf = [Node(f"a{i};") for i in range(10)]
        nest = Node("if (x) {", [Node("b0;"), Node("b1;"), Node("b2;")], tail="}")
        program = Program("k", [1, 1, 1], [32, 1, 1], 0, 1, 1, "", [*leaf, nest], "", [], {}, "")
        small = reduced(program, lambda p: "a7;" in p.text() and "b1;" in p.text())
        self.assertEqual(small.count(), 3)
        self.assertEqual(program.count(), 14)  # untouched


class Ptx(unittest.TestCase):
    TEXT = """\
.version 9.0
.visible .entry first(
	.param .u64 p
)
{
	ld.param.u64 	%rd1, [p];
	mov.u32 	%r1, %tid.x;
	add.s32 	%r2, %r1, 5;
	setp.lt.s32 	%p1, %r2, %r1;
	@%p1 bra 	$L1;
	{
	call f;
}
	bar.sync 	0;
$L1:
	st.global.u32 	[%rd1], %r2;
	ret;
}
.func f
{
	ret;
}
.visible .entry second(
)
{
	ret;
}
"""

    def test_one_kernel_per_file(self):
        found = ptx.split(self.TEXT)
        self.assertEqual(sorted(found), ["first", "second"])
        self.assertIn("st.global", found["first"])
        self.assertNotIn("st.global", found["second"])
        for text in found.values():
            self.assertIn(".version", text)
            self.assertIn(".func f", text)
            self.assertEqual(text.count(".entry"), 1)
            self.assertEqual(text.count("{"), text.count("}"))

    def test_planted_errors(self):
        found = mutate_ptx.mutations(ptx.split(self.TEXT)["first"])
        new = {kind: [line.strip() for _, line in changes] for kind, changes in found.items()}
        self.assertEqual(new["index"], ["add.s32 	%r2, %r1, 6;"])
        self.assertEqual(new["special"], ["mov.u32 	%r1, %ctaid.x;"])
        self.assertEqual(new["guard"], ["@!%p1 bra 	$L1;"])
        self.assertEqual(new["compare"], ["setp.le.s32 	%p1, %r2, %r1;"])
        self.assertEqual(new["barrier"], [""])
        self.assertEqual(new["store"], [""])
        self.assertIn("setp.lt.s32 	%p1, %r2, %r2;", new["register"])

    def test_a_line_table_of_the_ptx_itself(self):
        text = "\n".join([".entry k(", ")", "{", '	.loc	1 7 0', "	mov.u32 	%r1, 5;", "$L1:", "	ret;", "}"])
        plain = mutate_ptx.without_lines(text)
        self.assertNotIn(".loc", plain)
        self.assertIn(".loc 1 4 0\n	mov.u32", mutate_ptx.with_own_lines(plain))
        self.assertIn(".loc 1 6 0\n	ret;", mutate_ptx.with_own_lines(plain))


class Random(unittest.TestCase):
    def random(self, *options):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            script(folder / "nvcc", NVCC)
            words = [sys.executable, ROOT / "bench/coarsening.py", "random", "--keep", folder / "kept"]
            words += ["--burin", script(folder / "burin", BURIN), *options]
            environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}
            done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
            done.kept = {file.name: file.read_text() for file in (folder / "kept").glob("*.cu")}
            return done

    def test_stops_at_a_wrong_result_and_reduces_it(self):
        done = self.random("--seed", "1", "--count", "40", "--tries", "1")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(": WRONG with ", done.stdout)
        small = next(text for name, text in done.kept.items() if name.endswith(".reduced.cu"))
        large = next(text for name, text in done.kept.items() if not name.endswith(".reduced.cu"))
        self.assertIn("atomicXor", small)
        self.assertLess(len(small), len(large))
        self.assertRegex(done.stdout, r"reduced from \d+ statements to [1-4],")

    def test_originals(self):
        done = self.random("--seed", "1", "--count", "3", "--originals")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("3 kernels of seed 1: 0 with faults of their own", done.stdout)


if __name__ == "__main__":
    unittest.main()
