#!/usr/bin/env python3
"""The figures of bench/compare.py, and that docs/compare.md shows them; the validator of scripts/schemas.py."""

import argparse
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "scripts"))

import schemas  # noqa: E402
from compare import sources, table  # noqa: E402


def version(name, measured, predicted, kind="dram"):
    return sources.Version(name, measured, predicted, kind)


class Figures(unittest.TestCase):
    def test_pairs_are_counted(self):
        groups = [
            sources.Group("advice", "right", True, [version("a", 100, 110), version("b", 200, 210)]),
            sources.Group("advice", "unclear", True, [version("a", 100, 101), version("b", 110, 100)]),
            sources.Group("advice", "wrong", True, [version("a", 100, 300), version("b", 150, 100)]),
            sources.Group("advice", "equal", True, [version("a", 100, 300), version("b", 101, 100)]),
        ]
        row = table.figures(groups)
        self.assertEqual((row["groups"], row["pairs"], row["wrong"]), (4, 4, 1))
        self.assertAlmostEqual(row["abstains"], 1 / 4)
        self.assertAlmostEqual(row["right"], 1 / 2)
        self.assertAlmostEqual(row["sign"], 1 / 3)
        self.assertAlmostEqual(row["worst"], 0.5)

    def test_the_document_shows_the_figures(self):
        options = argparse.Namespace(
            kept=ROOT / "bench/compare/predicted.json", only=None, save=None, burin=None
        )
        groups = [group for group in sources.read(options) if group.held_out]
        text = (ROOT / "docs/compare.md").read_text(encoding="utf-8")
        for source in sources.NAMES:
            row = table.figures([group for group in groups if group.source == source])
            shown = re.search(rf"^\| {source} \| (.*) \|$", text, re.MULTILINE)[1].split(" | ")
            columns = ("groups", "pairs", "abstains", "right", "sign", "covered", "regret", "worst")
            self.assertEqual(shown, [table.cell(name, row[name]).strip() for name in columns], source)


class Validator(unittest.TestCase):
    SCHEMA = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"type": ["integer", "null"]}, "b": {"type": "array", "items": {"type": "number"}}},
    }

    def test_what_fits_has_no_problems(self):
        for value in ({"a": 1}, {"a": None, "b": [1, 2.5]}):
            self.assertEqual(schemas.problems(value, self.SCHEMA), [])

    def test_what_does_not_fit_is_placed(self):
        for value, problem in (
            ({}, "$: a is missing"),
            ({"a": 1.5}, "$.a: 1.5 is not integer or null"),
            ({"a": 1, "b": [1, "x"]}, '$.b[1]: "x" is not number'),
            ({"a": 1, "c": 2}, "$: c is not described"),
            ([], "$: [] is not object"),
        ):
            self.assertEqual(schemas.problems(value, self.SCHEMA), [problem])

    def test_every_schema_has_its_name_and_a_command(self):
        checked = {line.split()[0] for line in schemas.COMMANDS.read_text(encoding="utf-8").splitlines() if line[:1].isalpha()}
        found = {file.stem for file in schemas.SCHEMAS.glob("*.json")}
        self.assertEqual(found - checked, schemas.UNCHECKED)
        self.assertEqual(checked - found, set())


if __name__ == "__main__":
    unittest.main()
