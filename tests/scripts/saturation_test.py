#!/usr/bin/env python3
"""bench/saturation.py: its tables, and how emulated saturation points are compared, without a GPU."""

import contextlib
import io
import json
import pathlib
import stat
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from saturation.emulated import compare, correlation, step_of  # noqa: E402
from saturation.tables import counting, geometric_mean, print_curves, print_table, print_thresholds  # noqa: E402


def row(kernel, gain, point, held_out=False):
    rule = {"size": 4, "winner": "a=1", "kept": 0.5, "saved": 8.0, "saved_formula_2": 16.0,
            "curve": 0.01, "tuning": 0.05, "verification": 0.02}
    sizes = [{"size": size, "work": size, "throughput": size / 8, "factors": {"2": size / 4}, "winner": "a=1",
              "winner_at_target": 0.5, "sum_us": 1} for size in (2, 4, 8)]
    return {"kernel": kernel, "configurations": 3, "base": "a=1", "best": "a=2", "gain": gain, "reason": "none",
            "saturation_point": point, "plain": dict(rule), "ladder": dict(rule, kept=1.0), "sizes": sizes,
            "held_out": held_out}


def printed(function, *arguments):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*arguments)
    return out.getvalue()


class Tables(unittest.TestCase):
    def test_kernels_that_gain_little_do_not_count(self):
        rows = [row("a", 1.5, 4), row("b", 1.05, None)]
        self.assertEqual([r["kernel"] for r in counting(rows)], ["a"])
        text = printed(print_table, rows)
        self.assertIn("1 that gain 1.1×", text)
        self.assertIn("target", text)
        self.assertIn("100.0%", text)

    def test_means(self):
        self.assertAlmostEqual(geometric_mean([2, 8]), 4)
        text = printed(print_thresholds, {t: [row("a", 2, 4), row("b", 2, 4, True)] for t in (0, 10)})
        self.assertIn("1.000×     50.0%    16.0×", text)
        self.assertIn("2.000×    100.0%     8.0×", text)

    def test_curves_are_relative_to_the_target(self):
        text = printed(print_curves, [row("a", 2, 4)])
        self.assertIn("    50.0%   100.0%    50.0%  saturation point", text)


class Emulated(unittest.TestCase):
    def test_steps_between_points(self):
        self.assertEqual(step_of([2, 4, 8], None), 2)
        self.assertEqual(step_of([2, 4, 8], 4), 1)

    def test_correlation(self):
        self.assertAlmostEqual(correlation([(1, 2), (2, 4), (3, 6)]), 1)
        self.assertAlmostEqual(correlation([(1, 3), (2, 2), (3, 1)]), -1)
        self.assertIsNone(correlation([(1, 3), (1, 2)]))

    def test_burin_is_asked_for_every_size(self):
        with tempfile.TemporaryDirectory() as folder:
            burin = pathlib.Path(folder) / "burin"
            answer = {"configurations": [{"saturation_point": 8.0, "samples": [{"size": 4, "throughput": 1, "memory_busy": 0.5}]}]}
            burin.write_text(f"""#!/bin/sh
case "$*" in *bad.toml*) echo "burin: no" >&2; exit 3;; *--all-sizes*) echo '{json.dumps(answer)}';; esac
""")
            burin.chmod(burin.stat().st_mode | stat.S_IEXEC)
            options = types.SimpleNamespace(burin=burin, specs=pathlib.Path(folder), machine="h200", threshold=10, again=True)
            rows = []
            text = printed(lambda: rows.extend(compare(options, [row("a", 2, 4), row("bad", 2, 4)])))
        self.assertEqual(rows[0]["steps"], 1)
        self.assertEqual(rows[0]["ratios"], [2.0])
        self.assertEqual(rows[1]["error"], "burin: no")
        self.assertIn("within one size step: 1 of 2 kernels (50%)", text)


if __name__ == "__main__":
    unittest.main()
