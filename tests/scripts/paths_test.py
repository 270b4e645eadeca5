#!/usr/bin/env python3
"""bench/advice/paths.py: its cases, the lines for the harness, and the arithmetic of the table. Needs no GPU."""

import math
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/advice"))

from paths import cases, measure, replay, table  # noqa: E402
from paths.split import FIRST, FOURTH, HELD_OUT, NAMES, SECOND, THIRD, held_out  # noqa: E402


def measured(**times):
    return {name: {"status": "ok", "median_us": time} if time else {"status": "wrong", "reason": "output 1"}
            for name, time in times.items()}


class Replay(unittest.TestCase):
    def test_the_followed_finding_is_looked_up_by_its_rule(self):
        (case,) = cases.read_cases(["rgb_to_gray"])
        step1, step2 = [version for version in case.versions if version.name.startswith("step")]
        self.assertEqual(replay.rule_of(step1), "vector-access")
        self.assertEqual(replay.rule_of(step2), "coalescing")
        entries = measured(naive=200, step1=100, step2=125)
        self.assertEqual(replay.from_version(case, step2, entries).name, "step1")
        self.assertEqual(replay.from_version(case, step2, measured(naive=200, step1=None)).name, "naive")
        findings = [{"rule": "loop-unrolling", "speedup": 1.5}, {"rule": "coalescing", "speedup": 1.2}]
        found = replay.Replayed(case, step2, entries, findings)
        self.assertEqual((found.rank, found.now, found.achieved), (1, 1.2, 0.8))
        self.assertFalse(found.followed_today)
        self.assertIn("1.50× loop-unrolling", found.line())
        self.assertIsNone(replay.Replayed(case, step2, entries, []).now)


class Cases(unittest.TestCase):
    def test_a_kernel_belongs_to_one_set_and_the_last_set_is_held_out(self):
        self.assertEqual([len(names) for names in (FIRST, SECOND, THIRD, FOURTH, HELD_OUT)], [26, 14, 12, 13, 12])
        self.assertEqual(len(set(NAMES)), len(NAMES))
        self.assertEqual([name for name in NAMES if held_out(name)], list(HELD_OUT))

    def test_every_folder_is_a_case(self):
        self.assertEqual(sorted(folder.name for folder in cases.KERNELS.iterdir()), sorted(NAMES))

    def test_arguments_match_the_kernels_parameters(self):
        for case in cases.read_cases([]):
            naive = case.versions[0]
            text = re.sub(r"\s+", " ", naive.source.read_text(encoding="utf-8"))
            found = re.search(rf'extern "C" __global__ void {naive.kernel}\(([^)]*)\)', text)
            self.assertIsNotNone(found, case.name)
            parameters = found.group(1).split(",")
            self.assertEqual(len(parameters), len(case.content["arguments"]), case.name)
            for parameter, argument in zip(parameters, case.content["arguments"]):
                expected = "buf" if "*" in parameter else {"int": "i32", "unsigned": "u32", "float": "f32"}[parameter.split()[0]]
                self.assertEqual(argument.split(":")[0], expected, f"{case.name}: {parameter}")

    def test_references_are_host_functions_and_naive_versions_are_not(self):
        for case in cases.read_cases([]):
            self.assertFalse(case.versions[0].is_library, case.name)
            self.assertTrue(case.versions[-1].is_library, case.name)

    def test_outputs_are_buffers(self):
        for case in cases.read_cases([]):
            for output in case.content["outputs"]:
                self.assertTrue(case.content["arguments"][output["argument"]].startswith("buf:"), case.name)


class Lines(unittest.TestCase):
    def test_arguments(self):
        self.assertEqual(measure.argument_line("i32:-5", 3), "value i32 -5")
        self.assertEqual(measure.argument_line("buf:64K:f32", 3), "buffer 65536 f32 0 3")
        self.assertEqual(measure.argument_line("buf:44:rowptr:10:seed=9", 3), "buffer 44 rowptr 10 9")
        self.assertEqual(measure.argument_line("buf:1M", 0), "buffer 1048576 none 0 0")

    def test_axes(self):
        self.assertEqual(measure.axes("16"), "16 1 1")
        self.assertEqual(measure.axes("16,8,2"), "16 8 2")

    def test_median(self):
        self.assertEqual(measure.median([3, 1, 2]), 2)
        self.assertEqual(measure.median([4, 1, 2, 3]), 2.5)


class Steps(unittest.TestCase):
    """With a folder of steps of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        patch = mock.patch.object(cases, "STEPS", pathlib.Path(self.folder.name))
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, kernel, **steps):
        folder = pathlib.Path(self.folder.name, kernel)
        folder.mkdir()
        for name, notes in steps.items():
            (folder / f"{name}.cu").write_text('extern "C" __global__ void transpose() {}\n', encoding="utf-8")
            (folder / f"{name}.json").write_text(notes, encoding="utf-8")

    def row(self, **times):
        return table.Row(cases.read_cases(["transpose"])[0], measured(**times))

    def test_a_step_changes_the_launch(self):
        self.write("transpose", step1='{"block": "32,8", "promised": 2, "advice": "use a tile"}')
        step = cases.read_cases(["transpose"])[0].versions[1]
        self.assertEqual((step.name, step.block, step.grid), ("step1", "32,8", "375,500"))

    def test_an_unknown_key_is_refused(self):
        self.write("transpose", step1='{"promise": 2}')
        with self.assertRaisesRegex(SystemExit, "'promise' is not known"):
            cases.read_cases(["transpose"])[0].versions

    def test_share_and_verdicts(self):
        self.write("transpose", step1="{}", step2="{}", step3='{"from": "step1"}')
        row = self.row(naive=400, step1=200, step2=210, step3=199, reference=100)
        self.assertEqual(row.verdicts(), ["faster", "slower", "unchanged"])
        self.assertAlmostEqual(table.share([row]), math.log(400 / 199) / math.log(4))

    def test_a_wrong_step_has_no_time(self):
        self.write("transpose", step1="{}")
        row = self.row(naive=400, step1=None, reference=100)
        self.assertEqual(row.verdicts(), ["wrong"])
        self.assertEqual(table.share([row]), 0)

    def test_a_step_after_a_wrong_one_is_compared_with_the_last_right_one(self):
        self.write("transpose", step1="{}", step2="{}")
        self.assertEqual(self.row(naive=400, step1=None, step2=200, reference=100).verdicts(), ["wrong", "faster"])

    def test_a_slower_step_is_not_taken(self):
        self.write("transpose", step1="{}")
        self.assertEqual(table.share([self.row(naive=400, step1=500, reference=100)]), 0)

    def test_shares_add_up_in_logarithms(self):
        self.write("transpose", step1="{}")
        rows = [self.row(naive=400, step1=100, reference=100), self.row(naive=1600, step1=1600, reference=100)]
        self.assertAlmostEqual(table.share(rows), math.log(4) / math.log(64))


if __name__ == "__main__":
    unittest.main()
