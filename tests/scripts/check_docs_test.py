#!/usr/bin/env python3
"""Writes small documents beside a burin that prints known lines, and asks check_docs.py about them."""

import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What `burin count N` prints: N numbered lines. `burin words` has words and figures, `burin host`
# what a computer has.
BURIN = r"""#!/bin/sh
case "$1" in
  count) echo "first line"; for i in $(seq 2 "$2"); do echo "line $i of $2"; done ;;
  words) echo "took ${TIME:-12.5} ms in /home/${USER_NAME:-me}/x"; [ -z "$MORE" ] || echo "and more" ;;
  host) echo "burin 1.2.3"; echo "${STATE:-ok}       nvcc     13.0  /usr/bin/nvcc; for compiling"
        [ "$STATE" != missing ] || echo "         → install it" ;;
  long) echo "kernel(${PARAMETERS:-int, int, int}) ${VERB:-takes} 3 µs" ;;
  status) echo "refused"; echo "burin: why" >&2; exit "$2" ;;
  help|*) [ "$2" != --help ] || { echo "  --depth N"; echo "  -o FILE"; exit 0; }; exit 2 ;;
esac
"""


class CheckDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs").mkdir()
        (self.root / "src/deep").mkdir(parents=True)
        (self.root / "src/deep/thing.h").write_text("")
        self.burin = self.root / "fake_burin"
        self.burin.write_text(BURIN)
        self.burin.chmod(0o755)
        self.page = self.root / "docs/page.md"

    def run_script(self, mode, **environment):
        return subprocess.run(
            [sys.executable, ROOT / "scripts/check_docs.py", mode]
            + ["--burin", self.burin, "--root", self.root],
            capture_output=True,
            encoding="utf-8",
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **environment},
            check=False,
        )

    def write(self, text):
        self.page.write_text(textwrap.dedent(text), encoding="utf-8")

    def assert_holds(self, text, **environment):
        self.write(text)
        result = self.run_script("check", **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def assert_fails(self, text, *said, **environment):
        self.write(text)
        result = self.run_script("check", **environment)
        self.assertEqual(result.returncode, 1, text)
        for words in said:
            self.assertIn(words, result.stderr)

    def assert_rewritten(self, before, after, **environment):
        self.write(before)
        result = self.run_script("rewrite", **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.page.read_text(encoding="utf-8"), textwrap.dedent(after))
        again = self.run_script("rewrite", **environment)
        self.assertEqual((again.returncode, again.stdout), (0, ""), "not the same a second time")
        self.assertEqual(self.run_script("check", **environment).returncode, 0)

    def test_what_is_printed(self):
        self.assert_holds("""\
            Text.
            ```
            $ burin count 3
            first line
            line 2 of 3
            line 3 of 3

            $ burin count \\
              1
            first line
            ```
            """)

    def test_a_wrong_figure(self):
        self.assert_fails(
            "```\n$ burin count 2\nfirst line\nline 2 of 3\n```\n",
            "docs/page.md:2: $ burin count 2",
            "-line 2 of 3",
            "+line 2 of 2",
        )

    def test_a_missing_line(self):
        self.assert_fails("```\n$ burin count 2\nfirst line\n```\n", "+line 2 of 2")
        self.assert_fails("```\n$ burin count 2\nline 2 of 2\n```\n", "+first line")

    def test_a_line_too_many(self):
        self.assert_fails("```\n$ burin count 1\nfirst line\nand another\n```\n", "-and another")

    def test_elisions(self):
        self.assert_holds("```\n$ burin count 9\nfirst line\n…\nline 5 of 9\n…\nline 9 of 9\n```\n")
        self.assert_holds("```\n$ burin count 9\n…\nline 9 of 9\n```\n")
        self.assert_holds("```\n$ burin count 9\nfirst line\n   …\n```\n")
        self.assert_holds("```\n$ burin long\nkernel(…) takes 3 µs\n```\n")

    def test_wrong_elisions(self):
        nothing_between = "```\n$ burin count 3\nfirst line\n…\nline 2 of 3\nline 3 of 3\n```\n"
        self.assert_fails(nothing_between)
        self.assert_fails("```\n$ burin count 2\nfirst line\nline 2 of 2\n…\n```\n")
        self.assert_fails("```\n$ burin count 9\nfirst line\n…\nline 5 of 9\n```\n")
        self.assert_fails("```\n$ burin count 9\n…\nline 5 of 9\n…\nline 3 of 9\n…\n```\n")
        self.assert_fails("```\n$ burin long\nkernel(…) gives 3 µs\n```\n")

    def test_standard_error_and_status(self):
        self.assert_holds("```\n$ burin status 3\nrefused\nburin: why\n```\n")
        self.assert_fails("```\n$ burin status 134\nrefused\nburin: why\n```\n", "status 134")

    def test_figures_that_vary(self):
        page = "```console varies\n$ burin words\ntook 3 ms in /tmp/a\n```\n"
        self.assert_holds(page)
        self.assert_holds(page, TIME="1,234.5")
        self.assert_fails(page, "+and more", MORE="1")
        self.assert_fails(page.replace("took", "needed"))
        self.assert_fails(page.replace(" varies", ""))

    def test_what_the_computer_has(self):
        page = "```console host\n$ burin host\nburin 1.0.0\nok  nvcc  12.0  /opt/nvcc; for compiling\n```\n"
        self.assert_holds(page)
        self.assert_holds(page, STATE="missing")
        self.assert_fails(page.replace("for compiling", "for fun"))

    def test_blocks_that_are_not_run(self):
        recorded = "```console recorded\n$ burin record --depth 3 -- ./app --unknown\nanything\n```\n"
        self.assert_holds(recorded)
        self.assert_fails(recorded.replace("--depth", "--width"), "does not know --width")
        self.assert_holds("```sh\nburin record --depth 3 \\\n  -o FILE  # --not-an-option\n```\n")
        self.assert_fails("```sh\nburin record --depth 3 \\\n  --width 2\n```\n", "does not know --width")
        self.write(recorded)
        self.assertIn("docs/page.md:1: recorded: $ burin record", self.run_script("list").stdout)

    def test_blocks_that_would_escape(self):
        self.assert_fails("```\nburin count 1\nfirst line\n```\n", "a command without `$`")
        self.assert_fails("```text recored\n$ burin count 1\nfirst line\n```\n", "unknown words")
        self.assert_fails("```\nsome\n$ burin count 1\nfirst line\n```\n", "before the first command")
        self.assert_fails("```\n$ rm -rf build\n```\n", "only burin's commands")

    def test_variables(self):
        self.assert_holds('```\n$ N="\\\n  2"\n```\n\n```\n$ burin count $N\nfirst line\nline 2 of 2\n```\n')

    def test_names_of_files(self):
        self.assert_holds("`src/deep/thing.h`, `thing.h`, `deep/thing.h`, `src/deep/*.h`, [it](page.md#top)\n\n# Top\n")
        self.assert_fails("`src/thing.h`", "src/thing.h does not exist; src/deep/thing.h does")
        self.assert_fails("`other.h`", "other.h does not exist")
        self.assert_fails("[it](other.md)", "leads nowhere")
        self.assert_fails("[it](page.md#bottom)\n\n# Top\n", "no heading #bottom")
        self.assert_rewritten("see `src/thing.h`\n", "see `src/deep/thing.h`\n")

    def test_rewrite_all_of_it(self):
        self.assert_rewritten(
            "a\n```\n$ burin count 2\nold\n\n$ burin count 1\n```\nb\n",
            "a\n```\n$ burin count 2\nfirst line\nline 2 of 2\n\n$ burin count 1\nfirst line\n```\nb\n",
        )

    def test_rewrite_keeps_the_elisions(self):
        self.assert_rewritten(
            "```\n$ burin count 30\nfirst line\nline 2 of 40\n…\nline 9 of 40\n…\nline 39 of 40\nline 40 of 40\n```\n",
            "```\n$ burin count 30\nfirst line\nline 2 of 30\n…\nline 9 of 30\n…\nline 29 of 30\nline 30 of 30\n```\n",
        )
        self.assert_rewritten(
            "```\n$ burin count 3\nline 1\n…\nline 5 of 5\n```\n",
            "```\n$ burin count 3\nfirst line\n…\nline 3 of 3\n```\n",
        )
        self.assert_rewritten("```\n$ burin count 1\na\n…\nb\n…\nc\n```\n", "```\n$ burin count 1\nfirst line\n```\n")
        self.assert_rewritten(
            "```\n$ burin long\nkernel(…) takes 4 µs\n```\n",
            "```\n$ burin long\nkernel(…) needs 3 µs\n```\n",
            VERB="needs",
        )

    def test_rewrite_leaves_what_holds(self):
        page = "```console varies\n$ burin words\ntook 3 ms in /tmp/a\n```\n"
        self.assert_rewritten(page, page)
        page = "```console recorded\n$ burin record\nanything\n```\n"
        self.assert_rewritten(page, page)


if __name__ == "__main__":
    unittest.main()
