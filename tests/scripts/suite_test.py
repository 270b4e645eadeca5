#!/usr/bin/env python3
"""bench/suite.py with a burin that a script plays: programs of sums that are easy to check."""

import json
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import suite  # noqa: E402

# Stands for burin: records any program but `broken`, and predicts a tenth too much.
BURIN = r'''
import json, pathlib, sys

words = sys.argv[1:]
if words[0] == "record":
    if "broken" in words:
        sys.exit("burin: broken does not use CUDA")
    pathlib.Path(words[words.index("-o") + 1]).write_text("capture")
else:
    group = {"kernel": 1, "launches": 2, "measured_us": 10.0, "predicted_us": 11.0, "error": 0.1,
             "stall_overlap": 0.5}
    blind = {"kernel": 2, "launches": 1, "measured_us": 5.0, "problem": "no code"}
    print(json.dumps({"kernels": [{"id": 1, "demangled": "f(int)"}, {"id": 2, "demangled": "g()"}],
                      "comparison": {"groups": [group, blind]}}))
'''


class SuiteTest(unittest.TestCase):
    def test_reads_command_lines(self):
        text = textwrap.dedent(
            """
            # a comment
            first: ./a "two words"
            ./b 1
            ./b 2
            c.burin
            """
        )
        self.assertEqual(
            suite.read_list(text),
            [
                ("first", ["./a", "two words"]),
                ("b", ["./b", "1"]),
                ("b#2", ["./b", "2"]),
                ("c.burin", []),
            ],
        )

    def test_figures(self):
        times = {"stalls": None, "total_us": 20, "measured_us": 10, "predicted_us": 11, "groups": []}
        rows = [{"error": error} | times for error in (0.0, 0.21, 0.1)]
        sums = suite.figures(rows)
        self.assertEqual(sums["predicted_time"], 0.5)
        self.assertAlmostEqual(sums["median"], 0.1)
        self.assertAlmostEqual(sums["geometric_mean"], 1.331 ** (1 / 3) - 1)
        self.assertAlmostEqual(sums["within_10"], 2 / 3)
        self.assertIsNone(suite.figures([{"stalls": None}]))

    def test_intervals_and_bounds(self):
        def group(measured, predicted, defer):
            sure = {"low_us": 9, "high_us": 11, "defer": defer}
            bound = {"time_us": 9.5, "raised": predicted == 9.5}
            error = max(measured / predicted, predicted / measured) - 1
            return {"measured_us": measured, "predicted_us": predicted, "error": error,
                    "certainty": sure, "bound": bound}  # fmt: skip

        groups = [group(10, 9.5, False), group(8, 10, False), group(20, 9, True)]
        sums = suite.launch_figures([{"groups": groups}])
        self.assertAlmostEqual(sums["covered"], 1 / 3)
        self.assertEqual((sums["below_bound"], sums["raised"], sums["deferred"]), (1, 1, 1))
        self.assertAlmostEqual(sums["deferred_error"], 20 / 9 - 1)

    def test_held_out_programs(self):
        self.assertTrue(suite.is_held_out("stencil"))
        self.assertFalse(suite.is_held_out("lu"))

    def test_a_kernel_is_the_sum_of_its_launches(self):
        rows = suite.by_kernel(
            "app",
            [
                {"name": "f", "launches": 2, "measured_us": 10, "predicted_us": 5, "error": 1},
                {"name": "f", "launches": 1, "measured_us": 20, "predicted_us": 10, "error": 1},
            ],
        )
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0]["launches"], 3)
        self.assertEqual(rows[0]["measured_us"], 40)
        self.assertAlmostEqual(rows[0]["error"], 1)

    def test_whole(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            burin = folder / "burin"
            burin.write_text(f"#!{sys.executable}\n{BURIN}")
            burin.chmod(0o755)
            listed = folder / "list.txt"
            listed.write_text("good: ./app 1\nbad: broken\n")
            done = subprocess.run(
                [sys.executable, ROOT / "bench/suite.py", listed, "--burin", burin]
                + ["--json", folder / "out.json", "--captures", folder / "kept"],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("+10.0 %", done.stdout)
            self.assertIn("broken does not use CUDA", done.stdout)
            self.assertIn("1 kernels: error geometric mean 10.0 %", done.stdout)
            self.assertIn("stall reasons agree to 50 %", done.stdout)
            self.assertTrue((folder / "kept/good.burin").exists())
            whole = json.loads((folder / "out.json").read_text())
            self.assertEqual(whole["figures"]["kernels"], 1)


if __name__ == "__main__":
    unittest.main()
