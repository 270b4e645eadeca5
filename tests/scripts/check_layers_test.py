#!/usr/bin/env python3
"""Plants includes in a copy of the architecture table's world and asks check_layers.py about them."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = [
    "base/result.h",
    "read/architecture.h",
    "read/binary/image.h",
    "read/isa/decode.h",
    "read/program/kernel.h",
    "report/write/text.h",
    "app/cli.h",
]


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs").mkdir()
        shutil.copy(ROOT / "docs/architecture.md", self.root / "docs")
        for header in HEADERS:
            self.write(header, "#pragma once\n")

    def write(self, path, text):
        file = self.root / "src" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_check(self):
        return subprocess.run(
            [sys.executable, ROOT / "scripts/check_layers.py", self.root],
            capture_output=True,
            text=True,
            check=False,
        )

    def assert_allowed(self, path, *includes):
        self.write(path, "".join(f"#include {i}\n" for i in includes))
        result = self.run_check()
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def assert_refused(self, path, include, *said):
        self.write(path, f"// first line\n  #  include {include}\n")
        result = self.run_check()
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"src/{path}:2: ", result.stderr)
        for words in said:
            self.assertIn(words, result.stderr)

    def test_all_above_names_the_rows_before_and_what_it_leaves_out(self):
        self.write("gpu/worker.h", "#pragma once\n")
        self.assert_allowed("report/write/text.cc", '"base/result.h"', '"read/isa/decode.h"')
        self.assert_refused("report/write/text.cc", '"gpu/worker.h"', "may not include")
        self.assert_refused("report/write/text.cc", '"app/cli.h"', "may not include")

    def test_floors_of_a_room_include_downwards_alone(self):
        for header in ("timing/trace/trace.h", "timing/sm/sm.h", "timing/predict.h"):
            self.write(header, "#pragma once\n")
        self.assert_allowed("timing/sm/sm.cc", '"timing/trace/trace.h"')
        self.assert_refused("timing/trace/trace.cc", '"timing/sm/sm.h"', "timing/trace may not")
        self.assert_refused("timing/sm/sm.cc", '"timing/predict.h"', "timing/sm may not include")

    def test_what_the_table_allows(self):
        self.assert_allowed("base/text.cc", "<fmt/format.h>", "<string>", "<sys/mman.h>", "<unistd.h>")
        self.assert_allowed("read/binary/unpack.cc", "<zstd.h>", '"read/architecture.h"')
        self.assert_allowed("read/program/a.cc", '"read/binary/image.h"', '"read/isa/decode.h"')
        self.assert_allowed("report/advice/a.cc", '"read/program/kernel.h"', "<nlohmann/json.hpp>")
        self.assert_allowed("app/a.cc", '"report/write/text.h"', "<CLI/CLI.hpp>", "<string_view>")

    def test_the_floor_below(self):
        self.assert_refused("base/text.cc", '"read/architecture.h"', "base may not include")
        self.assert_refused("read/architecture.cc", '"read/isa/decode.h"', "read may not include")
        self.assert_refused("report/advice/a.cc", '"app/cli.h"', "may not include")

    def test_neighbours_inside_read(self):
        self.assert_refused("read/isa/a.cc", '"read/binary/image.h"', "its row allows base read")
        self.assert_refused("read/binary/a.cc", '"read/isa/decode.h"')
        self.assert_refused("read/isa/b.h", '"read/program/kernel.h"')

    def test_angle_brackets_do_not_hide_a_project_header(self):
        self.assert_refused("read/isa/a.cc", "<read/binary/image.h>")

    def test_third_party(self):
        self.assert_refused("read/isa/a.cc", "<zstd.h>", "zstd is for store read/binary")
        self.assert_refused("report/advice/a.cc", "<CLI/CLI.hpp>", "CLI11 is for app")
        self.assert_refused("app/a.cc", "<cuda_runtime.h>", "CUDA is for gpu")

    def test_headers_nobody_has_heard_of(self):
        self.assert_refused("app/a.cc", "<boost/any.hpp>", "third-party table")
        self.assert_refused("app/a.cc", '"cli.h"', "not a path below src/")

    def test_a_folder_that_is_no_room(self):
        self.write("attic/a.cc", "")
        result = self.run_check()
        self.assertEqual(result.returncode, 1)
        self.assertIn("src/attic/a.cc:1: is in no room", result.stderr)

    def test_main_is_short(self):
        self.write("app/main.cc", "\n" * 59)
        self.assertEqual(self.run_check().returncode, 0)
        self.write("app/main.cc", "\n" * 60)
        result = self.run_check()
        self.assertEqual(result.returncode, 1)
        self.assertIn("under 60 lines", result.stderr)

    def test_a_table_that_names_a_room_it_does_not_have(self):
        page = self.root / "docs/architecture.md"
        page.write_text(page.read_text(encoding="utf-8").replace("| base formula |", "| base attic |"))
        result = self.run_check()
        self.assertEqual(result.returncode, 1)
        self.assertIn("unknown attic", result.stderr)


if __name__ == "__main__":
    unittest.main()
