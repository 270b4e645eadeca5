#!/usr/bin/env python3
"""The figures of accuracy.py, and the whole script with a GPU, an ncu and a model that scripts play."""

import collections
import gzip
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from accuracy import compare, figures, roofline, shape_choice, sweeps  # noqa: E402
from accuracy.holdout import held_out  # noqa: E402
from common.corpus import KERNELS, unpacked  # noqa: E402
from common.launches import read_list  # noqa: E402
from common.results import read_text  # noqa: E402

LISTS = ROOT / "bench/accuracy"
TIMED = ("kinds.cu", "uneven_shapes.cu", "image_shapes.cu", "search_shapes.cu")  # and nothing else

# Stands for burin. A block's width is its time in microseconds, and predicted a tenth longer; the
# kernel `slow` never ends on the GPU, `blind` has no prediction.
BURIN = r'''
import json, sys

arguments = sys.argv[1:]
def option(name):
    return arguments[arguments.index(name) + 1]

if arguments[0] == "inspect":
    print(json.dumps({"images": [{"kernels": [{"name": "_Z" + option("--kernel")}]}]}))
elif arguments[0] == "worker":
    for line in sys.stdin:
        request = json.loads(line)
        if request["kernel"] == "_Zslow":
            print(json.dumps({"error": {"message": "no end", "exit": 4}}), flush=True)
            break
        times = [float(request["block"][0])] * request["launches"]
        result = {"gpu": "Fake GPU", "driver": "1.0", "outputs": [], "times_us": times,
                  "timer": "cupti", "clock_mhz": [1980]}
        print(json.dumps({"result": result}), flush=True)
elif arguments[0] == "predict":
    if option("--kernel") == "blind":
        sys.exit("3 opcodes have no latency")
    factor = 2.0 if "saake" in arguments else 1.1
    print(json.dumps({"time_us": factor * int(option("--block").split(",")[0]), "dram_bytes":
        {"read": 1100, "write": 0}, "l1_hit_rate": 0.55, "l2_hit_rate": 0.9,
        "stalls": {"no_instructions": 2, "selected": 9}}))
'''

# Stands for ncu, which knows all metrics but those of the tensor pipe.
NCU = r'''
import json, sys
if "--query-metrics" in sys.argv:
    sys.path.insert(0, BENCH)
    from accuracy.counters import metric_names
    for name in metric_names():
        if "tensor" not in name:
            print(name.split(".")[0], "Counter")
    sys.exit()
print('"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"')
for i, line in enumerate(sys.stdin):
    for name in sys.argv[sys.argv.index("--metrics") + 1].split(","):
        value = "500" if "hit" in name else "1,000"
        value = "7" if "no_instruction_per" in name else value
        value = "8" if "stalled_selected_per" in name else value
        value = "1" if "stalled" in name and value == "1,000" else value
        print(f'"{i}","{json.loads(line)["kernel"][2:]}(int)","{name}","","{value}"')
'''.replace("BENCH", repr(str(ROOT / "bench")))

LAUNCHES = """
one/first k.cu one --grid 1 --block 64
one/short k.cu one --grid 1 --block 4
saxpy/secret k.cu saxpy --grid 1 --block 512
"""
SWEEPS = "one/sweep k.cu one --threads 100,64 --tile 4,1 --arg i32:7\n"


class Figures(unittest.TestCase):
    def test_errors_are_the_same_in_both_directions(self):
        self.assertAlmostEqual(figures.error(2, 1), 1)
        self.assertAlmostEqual(figures.error(1, 2), 1)
        self.assertAlmostEqual(figures.signed_error(1, 2), -1)

    def test_percentiles_lie_between_values(self):
        self.assertEqual(figures.percentile([3, 1, 2], 0.5), 2)
        self.assertAlmostEqual(figures.percentile([0, 10], 0.9), 9)
        self.assertIsNone(figures.percentile([], 0.5))

    def test_far_is_more_than_two_and_a_half_times(self):
        self.assertEqual(figures.spread([1.49, 1.51, 0.1])["far"], 1)

    def test_near_times_share_their_rank(self):
        self.assertEqual(figures.ranks([100, 102, 200, 50]), [2.5, 2.5, 4, 1])
        self.assertEqual(figures.ranks([100, 104]), [1, 2])

    def test_rank_correlation(self):
        self.assertAlmostEqual(figures.spearman([1, 2, 3, 4], [10, 20, 30, 40]), 1)
        self.assertAlmostEqual(figures.spearman([4, 3, 2, 1], [10, 20, 30, 40]), -1)
        self.assertIsNone(figures.spearman([1, 1, 1], [1, 2, 3]))

    def test_the_roofline_is_the_busiest_resource(self):
        counted = {"dram_read_bytes": 4.3e6, "dram_write_bytes": 0, "instructions": 0, "pipes": {}}
        self.assertAlmostEqual(roofline.time_us(counted), 1)
        counted["pipes"] = {"fp64": 4 * 132 * 1980}  # half of what the pipe does in 2 µs
        self.assertAlmostEqual(roofline.time_us(counted), 2)

    def test_stalls_are_compared_by_one_spelling(self):
        self.assertEqual(compare.top_stall({"selected": 5, "dispatch_stall": 2, "wait": 1}), "dispatch")
        self.assertEqual(compare.top_stall({"no_instructions": 1}), "no_instruction")
        self.assertIsNone(compare.top_stall({"selected": 1, "wait": 0}))


class Lists(unittest.TestCase):
    def launches(self):
        return read_list(LISTS / "launches.txt", KERNELS)

    def test_the_third_is_fixed(self):
        self.assertTrue(held_out("saxpy"))
        self.assertFalse(held_out("gather"))

    def test_there_are_enough_launches_of_enough_kernels(self):
        for group in (True, False):
            chosen = [l for l in self.launches() if held_out(l.kernel) == group]
            self.assertGreaterEqual(len({l.kernel for l in chosen}), 45)
            self.assertGreaterEqual(len(chosen), 80)

    def test_sources_and_cubins_are_there(self):
        cubins = unpacked("cubins")
        for launch in self.launches() + sweeps.read_sweeps(LISTS / "sweeps.txt", KERNELS):
            with self.subTest(launch.name):
                self.assertTrue(launch.source.exists())
                self.assertTrue((cubins / launch.cubin).exists())
                self.assertIn(f" {launch.kernel}(", launch.source.read_text(encoding="utf-8"))

    def test_arguments_are_as_many_as_in_the_exact_launches(self):
        counts = collections.defaultdict(set)
        for file in (KERNELS / "launches.txt", KERNELS / "hopper/launches.txt"):
            for launch in read_list(file, file.parent):
                kinds = [text.split(":")[0] for text in launch.values("--arg")]
                counts[launch.kernel].add(tuple(kinds))
        for launch in self.launches() + sweeps.read_sweeps(LISTS / "sweeps.txt", KERNELS):
            if launch.source.name in TIMED:
                continue
            kinds = tuple(text.split(":")[0] for text in launch.values("--arg"))
            self.assertIn(kinds, counts[launch.kernel], launch.name)

    def test_there_are_51_shapes(self):
        self.assertEqual(len(set(sweeps.shapes())), 51)

    def test_a_shape_sizes_grid_and_shared_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "sweeps.txt")
            file.write_text(SWEEPS, encoding="utf-8")
            (sweep,) = sweeps.read_sweeps(file, KERNELS)
        options = sweeps.options_of(sweep, (32, 8))
        self.assertEqual(options[:4], ["--grid", "4,8", "--block", "32,8"])
        self.assertEqual(options[4:], ["--smem", "1360", "--arg", "i32:7"])

    def test_the_best_shapes_count_by_their_rounds(self):
        entry = {"shapes": {"32x1": [10.0, 0.1], "1x32": [11.0, 0.1]}, "best": {"32x1": [12, 13, 14]}}
        self.assertEqual(shape_choice.measured_times(entry), {"32x1": 13, "1x32": 11.0})


def run_script(folder, what, *more):
    command = [sys.executable, ROOT / "bench/accuracy.py", what, "--burin", folder / "burin"]
    command += ["--lists", folder, "--kernels", folder, "--results", folder, *more]
    if what == "measure":
        command += ["--ncu", folder / "ncu"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write_lists(folder, launches):
    (folder / "launches.txt").write_text(launches, encoding="utf-8")
    (folder / "sweeps.txt").write_text(SWEEPS, encoding="utf-8")


class Script(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Measured once; each test works on a copy."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.measured = pathlib.Path(folder.name)
        for name, text in (("burin", BURIN), ("ncu", NCU)):
            (cls.measured / name).write_text(f"#!{sys.executable} -SE\n{textwrap.dedent(text)}")
            (cls.measured / name).chmod(0o755)
        (cls.measured / "cubin").mkdir()
        (cls.measured / "cubin/k.sm_90.cubin").write_bytes(b"code")
        write_lists(cls.measured, LAUNCHES)
        cls.done = run_script(cls.measured, "measure")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(self.measured, self.root, dirs_exist_ok=True)

    def run_script(self, what, *more):
        return run_script(self.root, what, *more)

    def table(self, *more):
        return self.run_script("table", "--part", "launches", *more).stdout

    def results(self, name="accuracy"):
        path = next(self.root.glob(f"{name}.h200.json*"))
        return json.loads(read_text(path))

    def test_measures_times_counters_and_shapes(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        entry = self.results()["launches"]["one/first"]
        self.assertEqual((entry["cold"]["us"], entry["warm"]["us"]), (64, 64))
        self.assertEqual(entry["counters"]["instructions"], 1000)
        self.assertEqual(entry["counters"]["stalls"]["no_instruction"], 7)
        self.assertIn("sm__inst_executed_pipe_tensor.sum", self.results()["unknown_metrics"])
        swept = self.results("sweeps")["launches"]["one/sweep"]
        self.assertEqual((len(swept["shapes"]), len(swept["best"])), (51, 5))
        self.assertEqual(swept["best"]["1x32"], [1.0, 1.0, 1.0])

    def test_nothing_of_a_held_out_kernel_is_printed(self):
        self.assertIn("one/first: 64", self.done.stdout)
        self.assertNotIn("512", self.done.stdout)
        self.assertNotIn("saxpy", self.table())
        self.assertIn("saxpy/secret", self.table("--all"))

    def test_only_what_is_not_measured_is_measured(self):
        changed = LAUNCHES.replace("--block 64", "--block 96")
        write_lists(self.root, changed + "slow/one k.cu slow --grid 1 --block 64\n")
        self.assertIn("not measured as they stand now: one/first, slow/one", self.table())
        done = self.run_script("measure")
        self.assertIn("one/first: 96", done.stdout)
        self.assertNotIn("one/short:", done.stdout)
        self.assertEqual(done.returncode, 1)  # the fault of one launch, which costs no other
        self.assertEqual(self.results()["launches"]["slow/one"]["error"], "no end")
        self.assertIn("counters", self.results()["launches"]["one/first"])

    def test_the_table_tells_errors_counters_and_choices(self):
        done = self.run_script("table", "--models", "all", "--json", self.root / "table.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        row = next(line for line in done.stdout.splitlines() if line.startswith("one/first")).split()
        self.assertEqual(row[1:5], ["64.00", "70.40", "+10.0", "%"])
        self.assertIn("tuning: 1 launches of 1 kernels", done.stdout)
        self.assertIn("tuning, under 10 µs: 1 launches", done.stdout)
        table = json.loads((self.root / "table.json").read_text(encoding="utf-8"))
        agreed = {"dram_read": True, "l1": True, "l2": False, "stall": True}
        self.assertEqual(table["launches"][0]["agreements"], agreed)
        self.assertEqual(table["sweeps"][0]["efficiency"], 1)
        self.assertAlmostEqual(table["sweeps"][0]["spearman"], 1)

    def test_a_launch_without_a_prediction_is_counted(self):
        results = self.results()
        entry = results["launches"]["one/short"]
        results["launches"]["blind/one"] = {**entry, "launch": "blind --grid 1 --block 32"}
        (self.root / "accuracy.h200.json.gz").write_bytes(gzip.compress(json.dumps(results).encode()))
        write_lists(self.root, LAUNCHES + "blind/one k.cu blind --grid 1 --block 32\n")
        printed = self.table("--worst", "1")
        self.assertIn("3 opcodes have no latency", printed)
        self.assertNotIn("one/first ", printed)
        ours = [line.split() for line in printed.splitlines() if line.startswith("  ours")]
        self.assertEqual([line[-1] for line in ours], ["0", "1"])

    def test_an_unknown_model_is_refused(self):
        self.assertIn("there is no model x", self.run_script("table", "--models", "x").stderr)


if __name__ == "__main__":
    unittest.main()
