#!/usr/bin/env python3
"""The lists of explain.py, what counters prove, and the whole table with a model that a script plays."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from accuracy.counters import STALLS  # noqa: E402
from common.corpus import KERNELS, unpacked  # noqa: E402
from common.results import Results  # noqa: E402
from explain import evidence, lists, metrics, tables  # noqa: E402

RESOURCES = set(
    "issue fma alu fp64 xu tensor uniform lsu shared l1 l2 dram constant fetch barrier dispatch".split()
)

# Stands for burin: every launch is bound by DRAM's throughput and takes a microsecond.
BURIN = """#!/usr/bin/env python3
import json, sys
found = {"resource": "dram", "mode": "throughput", "share": 0.5}
told = {"predict": {"time_us": 1.0, "occupancy": 1.0},
        "explain": {"bottleneck": found, "sensitivity": [found, {**found, "mode": "latency"}]}}
print(json.dumps(told[sys.argv[1]]))
"""


def read_all():
    return lists.read_lists(ROOT / "bench/explain", KERNELS)


def counters(full=(), stalls=()):
    """Counters of a launch in which all else was idle."""
    return {
        "full": {**dict.fromkeys(metrics.FULL, 0), **dict(full)},
        "stalls": {**dict.fromkeys(STALLS, 0.0), "selected": 0.1, **dict(stalls)},
        "l1_hits": 0,
        "l1_sectors": 100,
        "l2_sm_hits": 90,
        "l2_sm_sectors": 100,
    }


class Lists(unittest.TestCase):
    def test_every_resource_is_the_bottleneck_of_a_kernel(self):
        bound = read_all()["bound"]
        self.assertGreaterEqual(len(bound), 24)
        for launch in bound:
            resource, mode = lists.expected(launch)
            self.assertIn(resource, RESOURCES, launch.place)
            self.assertIn(mode, ("latency", "throughput"), launch.place)
        self.assertEqual({lists.expected(launch)[0] for launch in bound}, RESOURCES)

    def test_every_cubin_is_kept(self):
        cubins = unpacked("cubins")
        for launch in lists.built(read_all()):
            self.assertTrue((cubins / launch.cubin).exists(), launch.place)

    def test_outputs_of_a_contraction_have_no_gaps(self):
        for launch in read_all()["contraction"]:
            scalars = [int(text[4:]) for text in launch.values("--arg") if text.startswith("i32:")]
            extents, strides = scalars[:6], sorted(scalars[7:])
            self.assertEqual(strides, [extents[0] ** power for power in range(6)], launch.place)

    def test_buffers_have_room_for_twice_the_blocks(self):
        for launch in read_all()["bound"]:
            if lists.expected(launch)[1] != "latency":
                continue
            twice = lists.doubled(launch)
            threads = int(twice.value("--grid")) * int(twice.value("--block"))
            out = next(text for text in twice.values("--arg") if text.endswith(":undef"))
            self.assertGreaterEqual(int(out.split(":")[1]), 4 * threads, launch.place)


class Evidence(unittest.TestCase):
    def test_a_full_unit_bounds_unless_another_is_fuller(self):
        self.assertTrue(evidence.by_throughput("alu", counters({"alu": 95, "issue": 60})).proven)
        self.assertFalse(evidence.by_throughput("alu", counters({"alu": 95, "issue": 96})).proven)
        self.assertFalse(evidence.by_throughput("alu", counters({"alu": 75})).proven)

    def test_what_the_same_bytes_pass_is_no_rival(self):
        self.assertTrue(evidence.by_throughput("dram", counters({"dram": 90, "l2_any": 93})).proven)
        self.assertFalse(evidence.by_throughput("l2", counters({"dram": 90, "l2_any": 88})).proven)

    def test_a_latency_needs_idle_units_its_own_wait_and_more_warps_for_nothing(self):
        idle = counters({"alu": 40}, {"wait": 0.9})
        self.assertTrue(evidence.by_latency("alu", idle, 1.1).proven)
        self.assertFalse(evidence.by_latency("alu", idle, 1.9).proven)
        self.assertFalse(evidence.by_latency("alu", idle, None).proven)
        self.assertFalse(evidence.by_latency("alu", counters({"alu": 70}, {"wait": 0.9}), 1.1).proven)
        self.assertFalse(
            evidence.by_latency("alu", counters((), {"long_scoreboard": 0.9}), 1.1).proven
        )

    def test_hit_rates_tell_the_level(self):
        waiting = counters((), {"long_scoreboard": 0.9})
        self.assertTrue(evidence.by_latency("l2", waiting, 1.0).proven)
        self.assertFalse(evidence.by_latency("dram", waiting, 1.0).proven)

    def test_code_that_does_not_come_leaves_the_units_idle(self):
        dry = counters({"issue": 30}, {"no_instruction": 0.7})
        self.assertTrue(evidence.by_throughput("fetch", dry).proven)
        self.assertFalse(evidence.by_throughput("fetch", counters({"issue": 90})).proven)


class Table(unittest.TestCase):
    def test_a_series_bends_where_the_gain_falls_most(self):
        self.assertEqual(tables.bend([100, 50, 45, 44, 44]), 1)
        self.assertEqual(tables.bend([100, 60, 36, 34, 60]), 3)

    def test_the_whole_table_is_printed(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            burin = folder / "burin"
            burin.write_text(BURIN, encoding="utf-8")
            burin.chmod(0o755)
            shutil.copytree(ROOT / "bench/explain", folder / "lists")
            # Two of the list's kernels, so that few processes are started.
            lines = (folder / "lists/bound.txt").read_text(encoding="utf-8").splitlines()
            kept = [line for line in lines if line.startswith("dram/")]
            (folder / "lists/bound.txt").write_text("\n".join(kept[:2]) + "\n", encoding="utf-8")
            script = [sys.executable, ROOT / "bench/explain.py", "table", "--part", "bound"]
            more = ["--burin", burin, "--lists", folder / "lists", "--json", folder / "found.json"]
            done = subprocess.run([*script, *more], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
        self.assertEqual((found["bound"]["kernels"], found["bound"]["named"]), (2, 2))
        self.assertIn("dram throughput 50 %", done.stdout)


class Measured(unittest.TestCase):
    def test_the_kept_counters_prove_each_bottleneck(self):
        results = Results.read(ROOT / "bench/explain/results/explain.h200.json.gz", "burin.explained/1")
        for launch in read_all()["bound"]:
            with self.subTest(launch.name):
                shown = evidence.evidence_of(launch, results)
                self.assertIsNotNone(shown)
                self.assertTrue(shown.proven, shown.words)


if __name__ == "__main__":
    unittest.main()
