#!/usr/bin/env python3
"""Holds every direct #include in src/ against the tables of docs/architecture.md.

    check_layers.py [ROOT]
    check_layers.py --sizes [ROOT]      files and lines of each room, and the longest files

ROOT is the repository (default: the one this script stands in). Prints one line per violation,
`file:line: what, and the rule it breaks`, and exits 1 if there is any.
"""

import fnmatch
import pathlib
import re
import sys

MAIN_MOST_LINES = 59  # app/main.cc

# Headers of C and POSIX (and the two that GCC and clang add for C++ names and SIMD). The C++
# library's own are recognised by their shape: one lower-case word with no suffix.
SYSTEM = set(
    """assert ctype errno fenv float inttypes limits locale math setjmp signal stdarg stddef stdint
    stdio stdlib string time wchar cxxabi dirent dlfcn elf fcntl fnmatch ftw getopt glob grp libgen
    link netdb poll pthread pwd regex sched semaphore spawn strings syslog termios unistd utime
    wordexp execinfo""".split()
)
SYSTEM_FOLDERS = ("sys/", "netinet/", "arpa/", "linux/")

SOURCES = (".h", ".cc", ".cu", ".inc", ".def")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def is_system(header):
    if header.startswith(SYSTEM_FOLDERS):
        return True
    if header.endswith(".h"):
        return header[:-2] in SYSTEM
    return re.fullmatch(r"[a-z_0-9]+", header) is not None


def table(text, first_column):
    """The rows below the header that begins with `first_column`, as lists of cells."""
    rows, inside = [], False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            inside = False
        elif cells[0] == first_column:
            inside = True
        elif inside and not set(line) <= set("|-: "):
            rows.append(cells)
    if not rows:
        raise SystemExit(f"docs/architecture.md: no table whose first column is '{first_column}'")
    return rows


def words(cell):
    return [word.strip("`") for word in cell.split() if word != "–"]


class Rules:
    def __init__(self, text):
        self.rooms = {}  # name -> (rooms it may include, third-party names)
        self.headers = {}  # third-party name -> patterns
        for name, headers in table(text, "third-party"):
            self.headers[name] = words(headers)
        for room, _, may_include, third_party in table(text, "room"):
            allowed = self.allowed(words(may_include))
            self.rooms[room.strip("`").rstrip("/")] = (allowed, words(third_party))
        for room, (may_include, third_party) in self.rooms.items():
            unknown = [r for r in may_include if r.removesuffix("/*") not in self.rooms]
            unknown += [t for t in third_party if t not in self.headers]
            if unknown:
                raise SystemExit(f"docs/architecture.md: room {room} names unknown {unknown[0]}")

    def allowed(self, cell):
        """A cell's rooms; `all above`, or `all above but ROOM …`, names those of the rows before."""
        if cell[:2] != ["all", "above"]:
            return cell
        without = cell[3:]
        return [r for r in self.rooms if not any((r + "/").startswith(w + "/") for w in without)]

    def room_of(self, path):
        """The innermost room that holds `path` (relative to src/), or None."""
        inside = [room for room in self.rooms if path.startswith(room + "/")]
        return max(inside, key=len, default=None)

    def third_party_of(self, header):
        for name, patterns in self.headers.items():
            if any(fnmatch.fnmatch(header, pattern) for pattern in patterns):
                return name
        return None

    def objection(self, room, header, is_project):
        """Why a file of `room` may not include `header`, or None."""
        if is_project:
            other = self.room_of(header)
            if other is None:
                return f'"{header}" is in no room of the table'
            if other == room:
                return None
            may_include = self.rooms[room][0]
            for allowed in may_include:
                whole = allowed.removesuffix("/*")
                if other == allowed or (whole != allowed and (other + "/").startswith(whole + "/")):
                    return None
            return f'{room} may not include "{header}": its row allows {" ".join(may_include) or "nothing"}'
        if is_system(header):
            return None
        name = self.third_party_of(header)
        if name is None:
            return f"<{header}> is neither a system header nor in the third-party table"
        if name not in self.rooms[room][1]:
            owners = [r for r, (_, third_party) in self.rooms.items() if name in third_party]
            return f"{room} may not include <{header}>: {name} is for {' '.join(owners) or 'no room'}"
        return None


def check(root):
    rules = Rules((root / "docs/architecture.md").read_text(encoding="utf-8"))
    source = root / "src"
    problems = []
    for path in sorted(p for p in source.rglob("*") if p.suffix in SOURCES):
        relative = path.relative_to(source).as_posix()
        room = rules.room_of(relative)
        if room is None:
            problems.append(f"src/{relative}:1: is in no room of the table")
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            header = match.group(1) or match.group(2)
            is_project = (source / header).exists()
            if match.group(1) and not is_project:
                objection = f'"{header}" is not a path below src/ (other headers go in <>)'
            else:
                objection = rules.objection(room, header, is_project)
            if objection:
                problems.append(f"src/{relative}:{number}: {objection}")
        if relative == "app/main.cc" and len(lines) > MAIN_MOST_LINES:
            problems.append(f"src/{relative}:{len(lines)}: main.cc must stay under 60 lines")
    return problems


def print_sizes(root):
    rules = Rules((root / "docs/architecture.md").read_text(encoding="utf-8"))
    lines = {}  # room -> lines of each of its files
    files = [p for p in (root / "src").rglob("*") if p.suffix in SOURCES]
    lengths = {p: len(p.read_text(encoding="utf-8").splitlines()) for p in files}
    for path, length in lengths.items():
        room = rules.room_of(path.relative_to(root / "src").as_posix())
        lines.setdefault(room, []).append(length)
    for room in rules.rooms:
        if room in lines:
            print(f"{room + '/':24}{len(lines[room]):6}{sum(lines[room]):8}")
    print(f"{'all':24}{len(files):6}{sum(lengths.values()):8}")
    for path in sorted(files, key=lengths.get, reverse=True)[:5]:
        print(f"{lengths[path]:6}  {path.relative_to(root)}")


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    arguments = [a for a in sys.argv[1:] if a != "--sizes"]
    root = pathlib.Path(arguments[0]) if arguments else here
    if "--sizes" in sys.argv:
        print_sizes(root)
        return 0
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print("The rules are the tables of docs/architecture.md.", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
