#!/usr/bin/env python3
"""Finds code that asks what an instruction is by its name, outside of the instruction tables.

    check_mnemonics.py [ROOT]

What an instruction is stands in its row of src/read/isa/table_*.cc and is asked through
read/isa/traits.h. A mnemonic in a string anywhere else in src/ is a second place to keep in mind
when an instruction is added. ROOT is the repository (default: the one this script stands in).
Prints one line per place, `file:line: what`, and exits 1 if there is any.

Rows of the emulator's dispatch, {"IADD3", lower_iadd3}, are no questions and are left alone.
"""

import fnmatch
import pathlib
import re
import sys

# Where a mnemonic may stand in a string: (file, mnemonics or "*", why). Patterns of fnmatch.
ALLOWED = [
    ("*/timing_class.cc", "*", "a table: the class of each mnemonic in the machine files"),
    ("*/micro/*", "*", "microbenchmarks say which instructions they time"),
    ("*/execute/barrier.cc", "RED", "a mode of BAR, no instruction"),
    ("*/execute/mbarrier.cc", "CCTL", "a kind of SYNCS, no instruction"),
    ("*/execute/warpgroup.cc", "DEPBAR", "a kind of WARPGROUP, no instruction"),
    ("*/execute/warpgroup.cc", "POPC", "a modifier of BGMMA, no instruction"),
    ("*/execute/tensor_integer.cc", "POPC", "a modifier of BMMA, no instruction"),
    ("*/patterns/reductions/carried.cc", "*", "a table: the operations whose results combine in any order"),
    ("*/machine/entries.cc", "*", "what the entries of a machine file are about, for its readers"),
]
# Files that may compare an instruction's mnemonic with another text.
COMPARING = [
    ("*/timing_class.cc", "searches its table"),
    ("*/patterns/reductions/carried.cc", "searches its table"),
    ("*/lower.cc", "searches the emulator's dispatch"),
    ("*/micro/check_code.cc", "checks the code of a microbenchmark"),
    ("*/advise_capture.cc", "compares with the text that another tool has printed"),
]

ROW = re.compile(r"^([A-Z][A-Z0-9_]*)\s*\|", re.MULTILINE)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
DISPATCH = re.compile(r'\{\s*"[A-Z0-9_]+"\s*,\s*lower_')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
ASKED = re.compile(
    r"mnemonic(?:\(\))?\s*(?:==|!=|\.(?:starts_with|ends_with|find|contains|compare)\(|\[)"
    r"|(?:==|!=)\s*[\w.\->\[\]()]*\bmnemonic\b|find\([^;\n]*\bmnemonic\b"
)
AFFIX = re.compile(r'\b(starts_with|ends_with)\("([A-Z][A-Z0-9_]{2,})"\)')


def mnemonics(root):
    found = set()
    for table in sorted((root / "src/read/isa").glob("table_*.cc")):
        found.update(ROW.findall(table.read_text(encoding="utf-8")))
    if not found:
        raise SystemExit("no instruction tables in src/read/isa")
    return found


def without_comments(text):
    """The text with comments blanked, strings and line numbers kept."""
    strings = [(m.start(), m.end()) for m in STRING.finditer(text)]

    def blank(match):
        if any(start < match.start() < end for start, end in strings):
            return match.group(0)
        return re.sub(r"[^\n]", " ", match.group(0))

    return COMMENT.sub(blank, text)


def is_allowed(path, word):
    return any(
        fnmatch.fnmatch(path, pattern) and words in ("*", word) for pattern, words, _ in ALLOWED
    )


def may_compare(path):
    return any(fnmatch.fnmatch(path, pattern) for pattern, _ in COMPARING)


def problems_in(path, text, known):
    """(position, what) for each question by name in one file."""
    text = without_comments(text)
    rows = {m.start() + m.group(0).index('"') for m in DISPATCH.finditer(text)}
    for match in STRING.finditer(text):
        words = match.group(1).split()
        named = [w for w in words if w in known and not is_allowed(path, w)]
        if match.start() not in rows and named and all(w in known for w in words):
            yield match.start(), f'names {" ".join(named)}'
    for match in AFFIX.finditer(text):
        how, affix = match.groups()
        if affix in known or is_allowed(path, affix):
            continue
        like = sorted(m for m in known if getattr(m, how.replace("_", ""))(affix))
        if like:
            yield match.start(), f"asks for the beginning or end of {like[0]}"
    if not may_compare(path):
        for match in ASKED.finditer(text):
            yield match.start(), "compares a mnemonic"


def check(root):
    known = mnemonics(root)
    problems = []
    source = root / "src"
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cc", ".inc")):
        relative = path.relative_to(root).as_posix()
        if relative.startswith("src/read/isa/"):
            continue
        text = path.read_text(encoding="utf-8")
        for at, what in sorted(problems_in(relative, text, known)):
            problems.append(f"{relative}:{text.count(chr(10), 0, at) + 1}: {what}")
    return problems


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print("Give the instruction's row a flag, and ask read/isa/traits.h.", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
