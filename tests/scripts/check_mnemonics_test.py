#!/usr/bin/env python3
"""Plants questions by name in a small source tree and asks check_mnemonics.py about them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = """const char* const kTable = R"(
IADD3   | alu[add] | _10:28ac | 70- | | >R@16
ATOMG   | lsu[global load store atomic] | 3a8 | 70- | | >R@16
ATOMS   | lsu[shared load store atomic] | 38c | 70- | | >R@16
ISETP   | alu[compare] | _0c:28ac | 70- | | >P@81
RED     | lsu[global store] | 98e | 70- | | R@32
)";
"""


class CheckMnemonics(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("read/isa/table_a.cc", TABLE)

    def write(self, path, text):
        file = self.root / "src" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_check(self):
        return subprocess.run(
            [sys.executable, ROOT / "scripts/check_mnemonics.py", self.root],
            capture_output=True,
            text=True,
            check=False,
        )

    def assert_allowed(self, path, text):
        self.write(path, text)
        result = self.run_check()
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def assert_refused(self, path, line, said):
        self.write(path, f"// the first line\n{line}\n")
        result = self.run_check()
        self.assertEqual(result.returncode, 1, line)
        self.assertIn(f"src/{path}:2: {said}", result.stderr)

    def test_comparisons(self):
        self.assert_refused("advise/a.cc", 'if (i.mnemonic() == "IADD3") {', "compares a mnemonic")
        self.assert_refused("advise/a.cc", 'if (name != "IADD3") {', "names IADD3")
        self.assert_refused("advise/a.cc", "if (row.name == i.mnemonic()) {", "compares a mnemonic")
        self.assert_refused("advise/a.cc", "i.opcode->mnemonic[0] == 'F'", "compares a mnemonic")

    def test_parts_of_mnemonics(self):
        self.assert_refused("advise/a.cc", 'name.starts_with("ATOM")', "asks for the beginning")
        self.assert_refused("advise/a.cc", 'name.ends_with("SETP")', "asks for the beginning or end of ISETP")

    def test_lists_of_mnemonics(self):
        self.assert_refused("report/a.cc", '{"atomics", " ATOMG ATOMS "},', "names ATOMG ATOMS")
        self.assert_refused("report/a.h", 'constexpr Row kRows[] = {{"RED", 1}};', "names RED")

    def test_the_execute_files_too(self):
        self.assert_refused("emulate/execute/a.cc", 'x = i.mnemonic() == "ATOMS";', "compares a mnemonic")

    def test_what_is_no_question(self):
        self.assert_allowed("advise/a.cc", '// i.mnemonic() == "IADD3" is asked nowhere\n')
        self.assert_allowed("advise/a.cc", 'text("An IADD3 of R2"); i.modifier("order") == "STRONG";\n')
        self.assert_allowed("advise/a.cc", 'url("http://a"); out.put(i.mnemonic());\n')
        self.assert_allowed("emulate/execute/a.cc", '{"IADD3", lower_iadd3}, {"RED",\n lower_red},\n')
        self.assert_allowed("read/isa/print.cc", 'if (i.mnemonic() == "IADD3") {}\n')

    def test_the_list_of_exceptions(self):
        self.assert_allowed("machine/timing_class.cc", 'if (row.mnemonic == m) return " IADD3 ";\n')
        self.assert_allowed("emulate/execute/barrier.cc", 'mode == "RED"\n')
        self.assert_refused("emulate/execute/barrier.cc", 'name == "ATOMS"', "names ATOMS")

    def test_a_tree_without_tables(self):
        (self.root / "src/read/isa/table_a.cc").unlink()
        self.assertNotEqual(self.run_check().returncode, 0)

    def test_this_repository(self):
        result = subprocess.run(
            [sys.executable, ROOT / "scripts/check_mnemonics.py"], capture_output=True, text=True, check=False
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
