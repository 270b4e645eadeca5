"""Planted errors: one instruction of a PTX kernel changed as a faulty transformation might.

    index       an integer constant is one too large: a copy of a thread has another's index
    register    an operand is a register that was written shortly before: another copy's value
    store       a store or an atomic is missing
    guard       a predicate is negated
    compare     < for <=, and the like
    barrier     a barrier is missing
    special     threadIdx for blockIdx, or the new extent for the old one
"""

import re

KINDS = ("index", "register", "store", "guard", "compare", "barrier", "special")
COMPARISONS = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "eq": "ne", "ne": "eq", "lo": "ls", "hi": "hs"}
SPECIAL = {"%tid.": "%ctaid.", "%ctaid.": "%tid.", "%ntid.": "%nctaid.", "%nctaid.": "%ntid."}
INTEGER = re.compile(
    r"\t(?:@!?%p\d+ )?(?:add|sub|mul|mad|shl|xor|and|mov)\.\S*[sub](?:16|32|64)\s.*, (-?\d+);"
)
WRITTEN = re.compile(r"\s(?:@!?%p\d+ )?[a-z]\S*\s+(%[a-z]+)(\d+),")
READ = re.compile(r", (%[a-z]+)(\d+)\b")


def body_lines(lines):
    """The numbers of the lines with instructions."""
    entry = next(i for i, line in enumerate(lines) if ".entry " in line)
    begin = next(i for i in range(entry, len(lines)) if lines[i].startswith("{"))
    return [
        i
        for i in range(begin + 1, len(lines))
        if lines[i].rstrip().endswith(";") and not lines[i].lstrip().startswith((".", "ld.param", "//"))
    ]


def without_lines(text):
    """The PTX without its line table."""
    return re.sub(r"^[ \t]*\.(?:loc|file)\b.*\n", "", text, flags=re.MULTILINE)


def with_own_lines(text):
    """The PTX with a line table in which every instruction is on its own line of the PTX."""
    lines = text.split("\n")
    for number in body_lines(lines):
        lines[number] = f".loc 1 {number + 1} 0\n{lines[number]}"
    return "\n".join(lines) + '\n.file 1 "kernel.ptx"\n'


def index(line, _):
    found = INTEGER.match(line)
    if not found:
        return None
    return line[: found.start(1)] + str(int(found[1]) + 1) + line[found.end(1) :]


def register(line, before):
    """Takes the register of the same class that was written last, unless it is the right one."""
    found = list(READ.finditer(line))
    if not found or line.lstrip().startswith(("bra", "ret")):
        return None
    operand = found[-1]
    for text in reversed(before):
        written = WRITTEN.match(text)
        if written and written[1] == operand[1] and written[2] != operand[2]:
            return line[: operand.start(2)] + written[2] + line[operand.end(2) :]
    return None


def store(line, _):
    return "" if re.match(r"\t(?:@!?%p\d+ )?(?:st\.(?!param)|red\.|atom\.)", line) else None


def guard(line, _):
    found = re.match(r"\s*@(!?)(%p\d+)", line)
    return line.replace("@" + found[1], "@" if found[1] else "@!", 1) if found else None


def compare(line, _):
    found = re.match(r"\s*(?:@!?%p\d+ )?setp\.(\w+)", line)
    if not found or found[1] not in COMPARISONS:
        return None
    return line[: found.start(1)] + COMPARISONS[found[1]] + line[found.end(1) :]


def barrier(line, _):
    return "" if re.match(r"\s*(?:bar|barrier)\.", line) and "warp" not in line else None


def special(line, _):
    for name, other in SPECIAL.items():
        if " " + name in line:
            return line.replace(" " + name, " " + other)
    return None


CHANGES = {
    "index": index,
    "register": register,
    "store": store,
    "guard": guard,
    "compare": compare,
    "barrier": barrier,
    "special": special,
}


def mutations(text):
    """{kind: [(line number, new line)]}: everything that could be changed in a PTX file with one kernel."""
    lines = text.split("\n")
    numbers = body_lines(lines)
    found = {kind: [] for kind in KINDS}
    for at, number in enumerate(numbers):
        before = [lines[i] for i in numbers[max(0, at - 12) : at]]
        for kind, change in CHANGES.items():
            new = change(lines[number], before)
            if new is not None and new != lines[number]:
                found[kind].append((number, new))
    return found


def apply(text, number, line):
    lines = text.split("\n")
    lines[number] = line
    return "\n".join(lines)
