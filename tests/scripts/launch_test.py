#!/usr/bin/env python3
"""bench/launch.py: its kernels, what is trained and judged, and its choosers, with a burin that a script plays."""

import csv
import gzip
import itertools
import json
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from launch import choosers, fitted, judge, spaces, tables  # noqa: E402

# Fits nothing: writes down its arguments and the trials, and chooses 64 × 1 × 1, or what the environment asks for.
BURIN = """#!/usr/bin/env python3
import json, os, shutil, sys
words = sys.argv[1:]
if words[0] == "fit":
    target = words[words.index("-o") + 1]
    if "--fail" in words:
        sys.exit("burin: the trials have one shape only")
    source = words[words.index("--trials") + 1] if "--trials" in words else words[1]
    shutil.copy(source, target)
    with open(os.path.dirname(os.path.abspath(sys.argv[0])) + "/words", "a") as log:
        log.write(" ".join(words[3 if "--trials" in words else 2:]) + "\\n")
else:
    assert words[0] == "choose" and "--json" in words
    sizes = dict(w.split("=") for w in words if "=" in w)
    block = [64, 1, 1] if int(sizes["n"]) < 5000 else [2048, 1, 1]
    print(json.dumps({"schema": "burin.choose/1", "block": block, "grid": None, "predicted_us": 1, "grade": "inside"}))
"""

SPEC = """kernel = "double_it"
source = "double_it.cu"

[problem]
sizes = [
  { n = 10 },
  { n = 100 },
  { n = 400 },
  { n = 1600 },
  { n = 6400 },
]

[launch]
block = ["block_size_x"]

[objective]
maximise = "n / time_us / 1e3"
"""

# Best: 64 threads up to n = 400, 128 above. Size 100000 is never trained on and too far away to be judged.
TIMES = {10: {32: 2, 64: 1, 128: 4}, 100: {32: 20, 64: 10, 128: 40}, 400: {32: 80, 64: 40, 128: 160},
         1600: {32: 400, 64: 200, 128: 160}, 6400: {32: 2000, 64: 900, 128: 640}, 100000: {32: 1e4, 64: 1e4, 128: 1e4}}


def write_space(folder, size, times, kernel="double_it", invalid=()):
    def result(threads, time_us):
        return {"configuration": {"block_size_x": threads}, "invalidity": "runtime" if threads in invalid else "correct",
                "measurements": [{"name": "time", "value": time_us / 1000}, {"name": "registers", "value": 40.0}]}

    content = {"results": [result(threads, time_us) for threads, time_us in times.items()]}
    name = "_".join(f"{key}_{value}" for key, value in size.items())
    (folder / f"{kernel}.{name}.json.gz").write_bytes(gzip.compress(json.dumps(content).encode()))


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        (self.folder / "double_it.toml").write_text(SPEC)
        for n, times in TIMES.items():
            write_space(self.folder, {"n": n}, times)
        self.burin = self.folder / "burin"
        self.burin.write_text(BURIN)
        self.burin.chmod(self.burin.stat().st_mode | stat.S_IEXEC)

    def kernel(self):
        return spaces.read_kernels(self.folder, specs=self.folder)[0]


class Reading(Folder):
    def test_sizes_are_in_order_of_work(self):
        kernel = self.kernel()
        self.assertEqual([recorded.size["n"] for recorded in kernel.recorded], list(TIMES))
        self.assertEqual(kernel.recorded[0].times, {(32, 1, 1): 2, (64, 1, 1): 1, (128, 1, 1): 4})
        self.assertEqual(kernel.recorded[0].registers, 40)

    def test_shapes_that_failed_are_left_out(self):
        write_space(self.folder, {"n": 10}, TIMES[10], invalid=[64])
        self.assertEqual(self.kernel().recorded[0].best, (32, 1, 1))

    def test_what_is_trained_and_judged(self):
        kernel = self.kernel()
        # 6400 takes 0.64 ms: trained too, if the largest size has ten times its work.
        self.assertEqual([r.size["n"] for r in kernel.trained], [10, 100, 400, 1600, 6400])
        self.assertEqual([r.size["n"] for r in kernel.judged], [100000])
        (self.folder / "double_it.n_100000.json.gz").unlink()
        kernel = self.kernel()
        self.assertEqual([r.size["n"] for r in kernel.trained], [10, 100, 400])
        self.assertEqual([r.size["n"] for r in kernel.judged], [1600, 6400])

    def test_slow_launches_are_not_trained_on(self):
        (self.folder / "double_it.n_100000.json.gz").unlink()
        write_space(self.folder, {"n": 400}, {64: 1000})
        kernel = self.kernel()
        self.assertEqual([r.size["n"] for r in kernel.trained], [10, 100])
        self.assertEqual([r.size["n"] for r in kernel.judged], [400, 1600])

    def test_sizes_of_several_variables(self):
        file = pathlib.Path("gemm.k_8_m_16_n_32.json.gz")
        self.assertEqual(spaces.read_size(file), {"k": 8, "m": 16, "n": 32})
        self.assertAlmostEqual(spaces.distance({"m": 1, "n": 8}, {"m": 1, "n": 1}), 2.0794415)


class Choosing(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "double_it.n_100000.json.gz").unlink()

    def shares(self, name, choose):
        return [case.share for case in judge.judge([self.kernel()], {name: choose})[name]]

    def test_fixed_shapes(self):
        kernel = self.kernel()
        self.assertEqual(choosers.fixed(16, 16)(kernel, [], None), (256, 1, 1))
        kernel.spec.dimensions = 2
        self.assertEqual(choosers.fixed(16, 16)(kernel, [], None), (16, 16, 1))

    def test_nearest_size_and_oracle(self):
        self.assertEqual(self.shares("nearest", choosers.nearest), [160 / 200, 640 / 900])
        self.assertEqual(self.shares("oracle", choosers.oracle), [1, 1])

    def test_occupancy(self):
        # 40 registers: 1024 threads leave half of an SM empty, 512 only a quarter.
        self.assertEqual([choosers.occupancy_warps(40, threads) for threads in (256, 512, 1024)], [48, 48, 32])
        self.assertEqual([choosers.occupancy_warps(32, threads) for threads in (32, 512, 1024)], [32, 64, 64])
        kernel = self.kernel()
        self.assertEqual(choosers.occupancy(kernel, [], kernel.recorded[0]), (512, 1, 1))

    def test_a_shape_that_does_not_work_counts_as_the_slowest(self):
        case = judge.judge([self.kernel()], {"wide": choosers.fixed(512, 1)})["wide"][0]
        self.assertEqual((case.time_us, case.shape), (400, (512, 1, 1)))
        self.assertIn("not a shape that works", case.problem)

    def test_summary(self):
        cases = judge.judge([self.kernel()], {"nearest": choosers.nearest})["nearest"]
        found = judge.summary(cases)
        self.assertAlmostEqual(found.mean, (160 / 200 * 640 / 900) ** 0.5)
        self.assertEqual((found.cases, found.worst, found.good, found.failed), (2, cases[1], 0, 0))
        self.assertIsNone(judge.summary([]))

    def test_trained_on_the_emulator_judged_by_the_gpu(self):
        emulated = self.folder / "emulated"
        emulated.mkdir()
        for n, times in {100: {32: 1, 64: 2, 128: 3}, 1600: {32: 3, 64: 2, 128: 1}}.items():
            write_space(emulated, {"n": n}, times)
        kernel = self.kernel()
        known = {"double_it": spaces.read_kernels(emulated, specs=self.folder)[0]}
        training = judge.emulated_training([kernel], known)
        self.assertEqual([r.size["n"] for r in training["double_it"]], [100])
        rows = {"nearest": choosers.nearest, "predicted": choosers.predicted(known)}
        cases = judge.judge([kernel], rows, training)
        self.assertEqual([case.share for case in cases["nearest"]], [160 / 400, 640 / 2000])
        self.assertEqual([case.share for case in cases["predicted"]], [1, 640 / 2000])
        self.assertIn("not emulated", cases["predicted"][1].problem)


class Fitting(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "double_it.n_100000.json.gz").unlink()

    def cases(self, chooser):
        return judge.judge([self.kernel()], {"burin fit": chooser})["burin fit"]

    def test_fit_gets_the_trained_sizes_and_choose_the_target(self):
        chooser = fitted.Fitted(self.burin, self.folder / "rp", ["--model", "x"])
        cases = self.cases(chooser)
        self.assertEqual((cases[0].shape, cases[0].share), ((64, 1, 1), 0.8))
        self.assertIn("not a shape that works", cases[1].problem)  # 2048 threads
        self.assertRegex((self.folder / "words").read_text(), r"^-o \S+double_it.rp --model x\n$")  # fitted once
        with open(chooser.programs["double_it"], encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["n"] for row in rows}, {"10", "100", "400"})
        self.assertEqual(rows[0], {"block_x": "32", "block_y": "1", "block_z": "1", "time_us": "2", "n": "10"})
        self.assertGreater(chooser.seconds["double_it"], 0)
        self.assertEqual(chooser.answers["double_it", (("n", 1600),)]["grade"], "inside")

    def test_a_spec_with_the_trained_sizes_alone(self):
        chooser = fitted.Fitted(self.burin, self.folder / "rp", from_spec=True)
        self.cases(chooser)
        spec = tomllib.loads(chooser.programs["double_it"].read_text())
        self.assertEqual(spec["problem"]["sizes"], [{"n": 10}, {"n": 100}, {"n": 400}])
        self.assertEqual(spec["source"], str(self.folder.resolve() / "double_it.cu"))

    def test_failures_are_cases(self):
        cases = self.cases(fitted.Fitted(self.burin, self.folder / "rp", ["--fail"]))
        self.assertEqual([case.problem for case in cases], ["burin fit: burin: the trials have one shape only"] * 2)
        self.assertEqual(cases[0].time_us, 400)
        cases = self.cases(fitted.Fitted(self.folder / "missing", self.folder / "rp"))
        self.assertIn("No such file", cases[0].problem)

    def test_launches_to_repay(self):
        case = self.cases(fitted.Fitted(self.burin, self.folder / "rp"))[0]
        self.assertEqual(tables.launches_to_repay(case, 700, 2), 4000)  # 500 µs gained by each
        self.assertIsNone(tables.launches_to_repay(case, 100, 2))


class Command(Folder):
    """On the spec of a real kernel, since the command reads those."""

    def setUp(self):
        super().setUp()
        self.space = self.folder / "space"
        self.space.mkdir()
        for n in (3000, 500000, 2000000, 8388608, 32000000, 134217728, 99999989):
            threads = {32: 4, 64: 2, 256: 1, 512: 1.25} if n < 3e7 else {32: 4, 64: 3, 256: 2, 512: 1}
            write_space(self.space, {"n": n}, {t: time * n / 1e6 for t, time in threads.items()}, "axpy")

    def run_it(self, *words):
        command = [sys.executable, ROOT / "bench/launch.py", "--burin", self.burin, *words, "--spaces", self.space]
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)

    def test_table(self):
        done = self.run_it("table", "--costs", "--json", self.folder / "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("held out: 1 kernels, 3 cases", done.stdout)
        self.assertRegex(done.stdout, r"nearest trained size +0\.500 +0\.500 +0% +0  axpy n=32000000")
        self.assertRegex(done.stdout, r"oracle +1\.000 +1\.000 +100%")
        self.assertIn("burin fit: 3 of 3 cases: not a shape that works at this size", done.stdout)
        self.assertRegex(done.stdout, r"axpy +n=32000000 +0\.1280 +2048 +0\.0320 +512 +0\.1280 +0\.250")
        rows = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(len(rows), 3 * (len(choosers.SIMPLE) + 2))  # burin fit, the nearest size of those it adds

    def test_variants_of_the_fit_have_their_own_rows(self):
        done = self.run_it("table", "--fit", "plain=", "--fit", "other=--fail", "--cases", "other")
        self.assertRegex(done.stdout, r"plain +0\.250")
        self.assertIn("held out, other, times in ms", done.stdout)

    def test_trials(self):
        done = self.run_it("trials", "--out", self.folder / "csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = (self.folder / "csv/axpy.csv").read_text().splitlines()
        self.assertEqual(lines[0], "block_x,block_y,block_z,time_us,n")
        self.assertEqual(len(lines), 1 + 4 * 4)

    def test_held_out_kernels_are_left_alone(self):
        done = self.run_it("table", "--tuning")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no recorded times", done.stderr)

    def test_nothing_emulated(self):
        done = self.run_it("table", "--trials", "emulated", "--emulated", self.folder / "nothing")
        self.assertIn("no predicted times", done.stderr)


class Kernels(unittest.TestCase):
    """The specs keep what bench/launch/README.md says."""

    def setUp(self):
        self.specs = [spaces.read_spec(file) for file in sorted(spaces.KERNELS.glob("*.toml"))]
        self.contents = {spec.kernel: tomllib.loads(spec.path.read_text()) for spec in self.specs}

    def test_numbers(self):
        dimensions = [spec.dimensions for spec in self.specs]
        self.assertEqual([dimensions.count(d) for d in (1, 2, 3)], [15, 20, 5])

    def test_sizes_grow_by_four(self):
        for spec in self.specs:
            with self.subTest(spec.kernel):
                self.assertEqual(len(spec.sizes), 7)
                work = [spec.work_of(size) for size in spec.sizes]
                self.assertEqual(work[:6], sorted(work[:6]))
                for before, after in itertools.pairwise(work[1:6]):
                    self.assertTrue(2.9 <= after / before <= 4.4, (before, after))
                self.assertGreaterEqual(work[6] / work[3], 4)

    def test_every_size_is_an_argument(self):
        for kernel, content in self.contents.items():
            arguments = content["launch"]["args"]
            for name in content["problem"]["sizes"][0]:
                self.assertIn(f"i32:{{{name}}}", arguments, kernel)

    def test_grids_and_buffers_are_within_the_limits(self):
        for kernel, content in self.contents.items():
            for size in content["problem"]["sizes"]:
                names = {"min": min, "max": max, **size}
                threads = [eval(text, dict(names)) for text in content["launch"]["problem_size"]]
                self.assertLess(max([0, *threads[1:]]), 65536, kernel)
                texts = [re.match(r"buf:\{(.*?)\}", text) for text in content["launch"]["args"]]
                self.assertLessEqual(sum(eval(t[1], dict(names)) for t in texts if t), 4 << 30, kernel)

    def test_shapes_come_from_the_launch(self):
        for spec in self.specs:
            source = spec.path.with_suffix(".cu").read_text()
            self.assertIn("blockDim.x", source)
            self.assertNotIn("block_size_", source)
            self.assertNotIn("__launch_bounds__", source)

    def test_some_are_held_out(self):
        held = [spec.kernel for spec in self.specs if spaces.held_out(spec.kernel)]
        self.assertTrue(10 <= len(held) <= 20, held)


if __name__ == "__main__":
    unittest.main()
