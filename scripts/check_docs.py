#!/usr/bin/env python3
"""Checks that the documents show what burin prints today, and name files that exist.

  scripts/check_docs.py check   [DOCUMENT …]   compares; exit status 1 where something differs
  scripts/check_docs.py rewrite [DOCUMENT …]   writes today's output into the documents
  scripts/check_docs.py list    [DOCUMENT …]   lists the blocks that are not run

Without a DOCUMENT all of README.md, CONTRIBUTING.md and docs/*.md are meant. --burin names the
binary, by default build/burin.

A fenced block with a line `$ burin …` is an example. Every command of it is run by bash from the
root of the repository; what follows, up to the next `$` or the end of the block, is what it prints,
standard output first:

    ```
    $ burin inspect examples/transpose.sm_90.cubin \\
      --loops
    // sm_90  transpose: no loops
    …
    ```

A line `…` stands for one or more lines that are left out, a `…` inside a line for any text. A line
`$ NAME="…"` sets a shell variable for the rest of the document. A word after the fence's opening
says what cannot be compared:

    ```console varies      figures that differ from run to run or computer to computer: only the
                           words are compared
    ```console host        what `burin doctor` finds here: only the parts and their purpose are compared
    ```console recorded    made with a GPU or a program that is not here: not run
    ```sh                  commands without output: not run

Options of commands that are not run must still be known to `burin COMMAND --help`.

In the text, paths between backticks and the targets of links must exist: whole paths
(`bench/advice.py`) and the ends of paths of sources (`memory_system.h`).
"""

import argparse
import difflib
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
ELISION = "…"
MARKS = {"console", "varies", "host", "recorded", "sh"}
TIME_LIMIT_S = 300
FOLDERS = ("bench", "corpus", "data", "docs", "examples", "fuzz", "python", "scripts", "src", "tests")
SOURCE = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:h|cc|cu|py|sh)")
OUTSIDE = {"httplib.h", "lz4.h", "mpi.h", "nvml.h", "nvrtc.h", "sqlite3.h", "zlib.h", "zstd.h",
           "zstd_errors.h"}  # not ours
PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./*-]*")


class Example:
    """One command of a block and what the document shows of its output."""

    def __init__(self, line, source):
        self.line = line  # in the document, counted from 1
        self.source = source  # the lines of the command, as written
        self.shown = []
        self.blank_after = 0  # empty lines between the output and what follows

    @property
    def command(self):
        return "\n".join(self.source)[len("$ ") :]

    @property
    def is_variable(self):
        return re.match(r"\w+=", self.command) is not None

    def take_blank_lines(self):
        while self.shown and not self.shown[-1]:
            self.shown.pop()
            self.blank_after += 1


class Block:
    """A fenced block; `examples` is empty where it holds no prompt."""

    def __init__(self, line, info):
        self.line = line
        self.marks = set(info.split())
        self.body = []
        self.examples = []

    def parse(self):
        continued = False
        for number, text in enumerate(self.body, self.line + 1):
            if continued:
                self.examples[-1].source.append(text)
                continued = text.endswith("\\")
            elif text.startswith("$ "):
                self.examples.append(Example(number, [text]))
                continued = text.endswith("\\")
            elif self.examples:
                self.examples[-1].shown.append(text)
        for example in self.examples:
            example.take_blank_lines()

    def text(self):
        if not self.examples:
            return self.body
        return [
            line
            for e in self.examples
            for line in e.source + e.shown + [""] * e.blank_after
        ]


def parse(text):
    """The document as a list of lines of text and Blocks; the fences stay lines of text."""
    parts = []
    block = None
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            if block:
                block.parse()
                parts.append(block)
                block = None
            else:
                block = Block(number, line[3:])
                parts.append(line)
                continue
        if block:
            block.body.append(line.rstrip())
        else:
            parts.append(line)
    return parts


# --- comparing ---------------------------------------------------------------------------------


def mask_figures(line):
    """Without figures, times, paths and the width of columns."""
    line = re.sub(r"(?<!\S)/\S+", "/", line)
    line = re.sub(r"(?<!\w)(0x[0-9a-f]+|[0-9]+([.,:][0-9]+)*)", "0", line)
    return re.sub(r" {2,}", "  ", line).strip()


def mask_host(line):
    """A line of `burin doctor` without what it found: "nvcc: for run on .cu files"."""
    found = re.match(r"(?:ok|missing|refused)\s+(\S.*?)\s{2,}.*?\b(for .*)", line)
    if found:
        return f"{found[1]}: {found[2]}"
    return "" if line.lstrip().startswith("→") else mask_figures(line)


def mask_of(marks):
    if "host" in marks:
        return mask_host
    return mask_figures if "varies" in marks else str.rstrip


def masked(lines, marks):
    mask = mask_of(marks)
    lines = [mask(line) for line in lines]
    return [line for line in lines if line] if "host" in marks else lines


def same_line(shown, printed):
    if shown == printed:
        return True
    if ELISION not in shown:
        return False
    pattern = ".+".join(re.escape(piece) for piece in shown.split(ELISION))
    return re.fullmatch(pattern, printed) is not None


def segments(shown):
    """The lines between the elisions; the first or the last may be empty."""
    parts = [[]]
    for line in shown:
        if line.strip() == ELISION:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def matches(shown, printed):
    """True where `printed` is what `shown` shows, each elision being one or more lines of it."""
    parts = segments(shown)

    def at(part, start):
        return len(printed) - start >= len(part) and all(
            same_line(a, b) for a, b in zip(part, printed[start:])
        )

    if len(parts) == 1:
        return len(shown) == len(printed) and at(shown, 0)
    if not at(parts[0], 0):
        return False
    end = len(parts[0])
    for part in parts[1:-1]:
        starts = (s for s in range(end + 1, len(printed)) if at(part, s))
        start = next(starts, None)
        if start is None:
            return False
        end = start + len(part)
    start = len(printed) - len(parts[-1])
    return start > end and at(parts[-1], start)


# --- rewriting ---------------------------------------------------------------------------------


def likeness(a, b):
    """How much of two lines is the same: the words first, then the first word, the figures last."""
    figures = difflib.SequenceMatcher(None, a, b).ratio()
    a, b = mask_figures(a), mask_figures(b)
    words = difflib.SequenceMatcher(None, a, b).ratio()
    return words + (a.split()[:1] == b.split()[:1]) + 0.1 * figures


def elide_inside(old, new):
    """`new` with the text left out that `old` leaves out, found by the words around it."""
    if ELISION not in old or ELISION in new:
        return new
    position = 0
    pieces = old.split(ELISION)
    for left, right in zip(pieces, pieces[1:]):
        left = re.search(r"\S*$", left)[0]
        right = re.match(r"\S*", right)[0]
        start = new.find(left, position)
        end = new.find(right, start + len(left) + 1) if right else len(new)
        if start < 0 or end < 0 or len(left + right) < 6:
            return new
        new = new[: start + len(left)] + ELISION + new[end:]
        position = start + len(left) + len(ELISION)
    return new


def place_of(part, printed, begin, limit, first, last):
    """Where in `printed[begin:limit]` the lines of `part` stand now: (start, end). The first segment
    stays at the beginning and the last at the end; how long they are follows from the line at the
    other end, as nearly as possible as long as before."""
    length = len(part)

    def lengths(slack):
        return range(max(1, length - slack), length + slack + 1)

    if first:
        places = [(0, n) for n in lengths(20)]
    elif last:
        places = [(len(printed) - n, len(printed)) for n in lengths(20)]
    else:
        places = [(s, s + n) for s in range(begin, len(printed)) for n in lengths(3)]
    places = [(s, e) for s, e in places if begin <= s and e <= limit]
    if not places:
        return min(begin, len(printed)), min(begin + length, len(printed))

    def score(place):
        start, end = place
        longer = abs(end - start - length)
        return likeness(part[0], printed[start]) + likeness(part[-1], printed[end - 1]) - 0.02 * longer

    return max(places, key=score)


def renewed(shown, printed):
    """What the document should show of `printed`: as many parts of it as before, at the same places."""
    parts = segments(shown)
    inside = [s for s in shown if ELISION in s and s.strip() != ELISION and s not in printed]

    def elide(line):
        shorter = (elide_inside(old, line) for old in inside)
        return next((s for s in shorter if s != line), line)

    if len(parts) == 1:
        return [elide(line) for line in printed]
    indents = [line[: line.index(ELISION)] for line in shown if line.strip() == ELISION]
    result = []
    end = 0
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if part:
            rest = sum(1 + min(1, len(p)) for p in parts[i + 1 :])  # lines that the others need
            start, new_end = place_of(part, printed, end + (i > 0), len(printed) - rest, i == 0, last)
        else:
            start, new_end = (end, end) if not last else (len(printed), len(printed))
        if i > 0 and start > end:
            result.append(indents[i - 1] + ELISION)
        result += [elide(line) for line in printed[start:new_end]]
        end = new_end
    return result


# --- commands ----------------------------------------------------------------------------------


class Burin:
    """The binary, found as `burin` by the shell that runs the examples."""

    def __init__(self, binary, root):
        self.root = root
        self.folder = tempfile.TemporaryDirectory()
        os.symlink(os.path.abspath(binary), os.path.join(self.folder.name, "burin"))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("BURIN_")}
        self.environment["PATH"] = self.folder.name + ":" + os.environ.get("PATH", "")
        self.helps = {}

    def run(self, command):
        """(status, lines) of a shell command."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIME_LIMIT_S,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        lines = [line.rstrip() for line in (done.stdout + done.stderr).split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        return done.returncode, lines

    def unknown_options(self, command):
        """Options of burin in the command that `--help` does not have."""
        words = re.sub(r"\s--\s.*", "", command.replace("\\\n", " ")).split()
        if len(words) < 2 or not re.fullmatch(r"[a-z]+", words[1]):
            return []
        name = words[1]
        if name not in self.helps:
            status, lines = self.run(f"burin {name} --help")
            if status != 0:
                return [name]
            self.helps[name] = set(re.findall(r"--?[a-zA-Z][\w-]*", "\n".join(lines)))
        comment = words.index("#") if "#" in words else len(words)
        options = [w.split("=")[0].strip("[]") for w in words[2:comment]]
        return [o for o in options if re.match(r"--?[a-zA-Z]", o) and o not in self.helps[name]]


# --- names of files ----------------------------------------------------------------------------


class Files:
    """What the repository holds, for paths that the documents name."""

    def __init__(self, root):
        self.paths = set()
        for folder in FOLDERS:
            for path, folders, names in os.walk(root / folder):
                folders[:] = [f for f in folders if f != "__pycache__"]
                here = os.path.relpath(path, root)
                self.paths.add(here)
                self.paths.update(f"{here}/{name}" for name in names)

    def has(self, path):
        path = path.rstrip("/.")
        if "*" in path:
            return any(fnmatch.fnmatch(known, path) for known in self.paths)
        return path in self.paths

    def has_end(self, end):
        return any(known == end or known.endswith("/" + end) for known in self.paths)

    def moved(self, path):
        """Where the only file of this name is now, or None."""
        name = path.rsplit("/", 1)[-1]
        found = [p for p in self.paths if p.rsplit("/", 1)[-1] == name and "." in name]
        return found[0] if len(found) == 1 else None


def anchors(text):
    """The anchors that a code host makes for a page's headings."""
    made = set()
    for line in text.split("\n"):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            words = re.sub(r"[^\w\- ]", "", heading[1].lower())
            made.add(words.strip().replace(" ", "-"))
    return made


# --- one document ------------------------------------------------------------------------------


class Document:
    def __init__(self, path, root, burin, files):
        self.path = path
        self.name = os.path.relpath(path, root)
        self.root = root
        self.burin = burin
        self.files = files
        self.parts = parse(path.read_text(encoding="utf-8"))
        self.blocks = [part for part in self.parts if isinstance(part, Block)]
        self.problems = []

    def problem(self, line, text):
        self.problems.append(f"{self.name}:{line}: {text}")

    def check(self, rewrite=False):
        variables = ""
        for block in self.blocks:
            self.check_marks(block)
            for example in block.examples:
                if example.is_variable:
                    variables += example.command + "\n"
                elif "recorded" in block.marks:
                    self.check_options(example.line, example.command)
                elif example.command.startswith("burin "):
                    self.check_output(example, block.marks, variables, rewrite)
                else:
                    self.problem(example.line, "only burin's commands and NAME=… are run")
        self.check_names(rewrite)

    def check_marks(self, block):
        prompts = any(not e.is_variable for e in block.examples)
        if prompts and not block.marks <= MARKS - {"sh"}:
            self.problem(block.line, f"unknown words after the fence: {' '.join(sorted(block.marks))}")
        if prompts and not block.body[0].startswith("$ "):
            self.problem(block.line, "text stands before the first command of the block")
        commands = []
        for number, line in enumerate(block.body, block.line + 1):
            if line.startswith("burin ") and not prompts:
                commands.append((number, line))
            elif commands and commands[-1][1].endswith("\\"):
                commands[-1] = (commands[-1][0], commands[-1][1] + "\n" + line)
        if commands and "sh" not in block.marks:
            self.problem(block.line, "a command without `$`: write `$ burin …`, or ```sh if it shall not be run")
        for number, command in commands:
            self.check_options(number, command)

    def check_options(self, line, command):
        unknown = self.burin.unknown_options(command)
        if unknown:
            self.problem(line, f"burin does not know {' '.join(unknown)}")

    def check_output(self, example, marks, variables, rewrite):
        status, printed = self.burin.run(variables + example.command)
        if not 0 <= status <= 4:
            self.problem(example.line, f"ended with status {status}: {example.source[0]}")
            return
        shown = [line.rstrip() for line in example.shown]
        if matches(masked(shown, marks), masked(printed, marks)):
            return
        new = renewed(shown, printed)
        if rewrite:
            example.shown = new
            return
        if new == shown:
            new = printed
        difference = difflib.unified_diff(shown, new, "shown", "printed", lineterm="", n=1)
        self.problem(
            example.line,
            f"{example.source[0]}\n    "
            + "\n    ".join(difference)
            + "\n    (scripts/check_docs.py rewrite writes it anew)",
        )

    def check_names(self, rewrite):
        number = 0
        for i, part in enumerate(self.parts):
            if isinstance(part, Block):
                number += len(part.body)
                continue
            number += 1
            if rewrite:
                self.parts[i] = part = re.sub(r"`[^`]+`", self.renamed, part)
            for code in re.findall(r"`([^`]+)`", part):
                for name in self.missing(code):
                    new = self.files.moved(name)
                    self.problem(number, f"{name} does not exist" + (f"; {new} does" if new else ""))
            for target in re.findall(r"\]\(([^)\s]+)\)", part):
                self.check_link(number, target)

    def missing(self, code):
        """Paths of the repository inside a piece of code that do not exist."""
        missing = []
        for word in code.split():
            word = word.strip("()[],;:").rstrip(".")
            if PATH.fullmatch(word) and not self.files.has(word):
                missing.append(word)
            elif word in OUTSIDE or PATH.fullmatch(word) or not SOURCE.fullmatch(word):
                continue
            elif not self.files.has_end(word):
                missing.append(word)
        return missing

    def renamed(self, code):
        """A piece of code with files that moved under their new path."""
        text = code[0]
        for name in self.missing(text[1:-1]):
            new = self.files.moved(name)
            if new:
                text = text.replace(name, new if PATH.fullmatch(name) else new.removeprefix("src/"))
        return text

    def check_link(self, number, target):
        if re.match(r"[a-z]+:", target):
            return
        name, _, anchor = target.partition("#")
        page = (self.path.parent / name) if name else self.path
        if not page.exists():
            self.problem(number, f"the link to {target} leads nowhere")
        elif anchor and anchor not in anchors(page.read_text(encoding="utf-8")):
            self.problem(number, f"{name or self.name} has no heading #{anchor}")

    def write(self):
        """Writes the document where it changed; true where it did."""
        lines = []
        for part in self.parts:
            lines += part.text() if isinstance(part, Block) else [part]
        text = "\n".join(lines)
        if text == self.path.read_text(encoding="utf-8"):
            return False
        self.path.write_text(text, encoding="utf-8")
        return True


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mode", choices=["check", "rewrite", "list"])
    parser.add_argument("documents", nargs="*", type=pathlib.Path)
    parser.add_argument("--burin", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    arguments = parser.parse_intermixed_args()
    root = arguments.root.resolve()
    paths = [p.resolve() for p in arguments.documents] or [
        p for p in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
        if p.exists()
    ]
    binary = arguments.burin or root / "build/burin"
    if arguments.mode != "list" and not binary.exists():
        sys.exit(f"{binary} does not exist: build it, or name one with --burin")
    burin = Burin(binary, root)
    documents = [Document(path, root, burin, Files(root)) for path in paths]

    if arguments.mode == "list":
        for document in documents:
            for block in document.blocks:
                if block.marks & {"recorded", "host", "varies"} and block.examples:
                    mark = " ".join(sorted(block.marks - {"console"}))
                    print(f"{document.name}:{block.line}: {mark}: {block.examples[0].source[0]}")
        return
    problems = []
    for document in documents:
        document.check(rewrite=arguments.mode == "rewrite")
        if arguments.mode == "rewrite" and document.write():
            print(f"{document.name} rewritten")
        problems += document.problems
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)


if __name__ == "__main__":
    main()
