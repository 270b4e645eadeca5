#!/usr/bin/env python3
"""Plants definitions in an empty src/ and asks check_names.py about them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CheckNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def run_check(self, *files):
        for number, text in enumerate(files):
            file = self.root / "src" / "room" / f"f{number}.cc"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return subprocess.run(
            [sys.executable, ROOT / "scripts/check_names.py", self.root],
            capture_output=True,
            text=True,
            check=False,
        )

    def assert_fine(self, *files):
        result = self.run_check(*files)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def assert_twice(self, name, *files):
        result = self.run_check(*files)
        self.assertEqual(result.returncode, 1, files)
        self.assertIn(f"{name}: src/room/f0.cc:", result.stderr)
        self.assertIn(", src/room/f1.cc:", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)

    def test_types(self):
        for one, other in (
            ("struct Places { int a; };", "class Places {};"),
            ("enum class Places { kOne };", "struct Places : Base<int> { int b = 3; };"),
            ("using Places = int;", "template <typename T> struct Places final { T b; };"),
            ("class [[nodiscard]] Places { public: void f() {} };", "union alignas(8) Places { int a; };"),
            ('const char* s = "{";\nchar c = \'{\';\nstruct Places {};', 'auto r = R"x({")x";\n// {\nstruct Places {};'),
            ("int f() { return 1; }\nstruct Places {};", "struct A { int x; } a = {1};\nstruct Places {};"),
            ("constexpr int k = 1'000;\nint t[] = {1, 2};\nstruct Places {};", "#define X {\nstruct Places {};"),
        ):
            self.assert_twice(
                "burin::Places", f"namespace burin {{\n{one}\n}}\n", f"namespace burin {{\n{other}\n}}\n"
            )

    def test_the_line_is_that_of_the_name(self):
        result = self.run_check(
            "/* two\nlines */\nnamespace burin {\n\nstruct A {};\n}\n", "namespace burin {\nstruct A {};\n}\n"
        )
        self.assertIn("burin::A: src/room/f0.cc:5, src/room/f1.cc:2", result.stderr)

    def test_functions_with_the_same_parameters(self):
        self.assert_twice(
            "burin::f(const std :: string &, int)",
            "namespace burin { int f(const std::string& a, int b) { return b; } }",
            "namespace burin { int f(const std::string& other, int = 3) { return 1; } }",
        )

    def test_overloads_and_declarations_are_fine(self):
        self.assert_fine(
            "namespace burin { int f(int a) { return a; }\nint g(int); struct A; class Sm { struct State; }; }",
            "namespace burin { int f(double a) { return 1; }\nint g(int) { return 1; } struct A {}; struct Sm::State {}; }",
        )

    def test_what_is_each_files_own_is_fine(self):
        own = """
            namespace burin {
            namespace { struct A { int x; }; int f() { return 1; } }
            static int g() { return 1; }
            class %s { struct Inside {}; int h() { return 1; } };
            template <> struct hash<int> { int x; };
            }
        """
        self.assert_fine(own % "One", own % "Other")

    def test_namespaces_are_apart(self):
        self.assert_fine("namespace burin::one { struct A {}; }", "namespace burin::other { struct A {}; }")
        self.assert_fine("namespace burin { namespace one { struct A {}; } struct B {}; }", "namespace burin { struct A {}; }")
        self.assert_twice(
            "burin::one::A",
            "namespace burin::one { struct A {}; }",
            "namespace burin { namespace one { struct A {}; } }",
        )

    def test_the_repository(self):
        result = subprocess.run(
            [sys.executable, ROOT / "scripts/check_names.py"], capture_output=True, text=True, check=False
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
