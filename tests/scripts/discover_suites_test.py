#!/usr/bin/env python3
"""Is every case of a test program in exactly one of the tests that ctest gets?"""

import fnmatch
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import discover_suites

LISTING = """\
Running main() from ./googletest/src/gtest_main.cc
Cursor.
  Reads
  RefusesTooMuch
CursorTest.
  Reads
H200/Semantics.
""" + "".join(f"  Equal/M{n}  # GetParam() = \"M{n}\"\n" for n in range(90)) + """\
Typed/0.  # TypeParam = int
  Adds
"""
CASES = ["Cursor.Reads", "Cursor.RefusesTooMuch", "CursorTest.Reads", "Typed/0.Adds"] + [
    f"H200/Semantics.Equal/M{n}" for n in range(90)
]


class DiscoverSuites(unittest.TestCase):
    def setUp(self):
        text = discover_suites.tests("/build/test_a", "a", LISTING)
        self.tests = re.findall(
            r"add_test\(\[==\[(.*?)\]==\] \[==\[/build/test_a\]==\] \[==\[--gtest_filter=(.*?)\]==\]\)", text
        )

    def test_every_case_is_run_once(self):
        for case in CASES:
            running = [
                name
                for name, chosen in self.tests
                if any(fnmatch.fnmatchcase(case, pattern) for pattern in chosen.split(":"))
            ]
            self.assertEqual(len(running), 1, case)

    def test_names(self):
        self.assertEqual(
            [name for name, _ in self.tests],
            ["a:Cursor", "a:CursorTest", "a:H200/Semantics", "a:H200/Semantics+", "a:H200/Semantics++", "a:Typed/0"],
        )


if __name__ == "__main__":
    unittest.main()
