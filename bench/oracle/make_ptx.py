#!/usr/bin/env python3
"""Makes PTX from the form tables in corpus/oracle, and cubins from the PTX.

A table holds one PTX instruction a line, as a pattern (README.md has the syntax):

    add<|.sat>.s32 %o32, %s32, %s32;

Each pattern becomes many statements: every choice in angle brackets, with every kind of operand
(a register, a constant, a uniform value, an immediate, a negated register). ptxas then rejects what
an architecture lacks: the refused statements are left out and the rest is assembled again.

    make_ptx.py --arch sm_90a                     how many statements and distinct forms
    make_ptx.py --arch sm_90a --refused           also the patterns of which ptxas takes nothing
    make_ptx.py --arch sm_90a --print FILE.forms  the PTX
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cubin

TABLES = pathlib.Path(__file__).resolve().parents[2] / "corpus/oracle"
STATEMENTS_PER_KERNEL = 16
STATEMENTS_PER_FILE = 400

CHOICE = re.compile(r"<([^<>]*)>")
NAMED = re.compile(r"([a-z]):(?!:)(.*)")
OPERAND = re.compile(
    r"%(o|b|i|s|f|h|e)(16|32|64|128|2|)(x\d+)?\b|%(op|p|global|shared|local|const|generic)\b"
)

# What an input may come from, the plain register first. Values: register, constant, uniform,
# immediate, negated, absolute, minus absolute. Addresses: register, offset, constant or its symbol,
# base and index, scaled index, uniform.
KINDS = {
    "i16": "rci", "i32": "rcui", "i64": "rcui", "i128": "r",
    "s16": "rcin", "s32": "rcuin", "s64": "rcuin",
    "f32": "rcuinam", "f64": "rcuinam",
    "h": "rcina", "h2": "rcuina", "e": "rcina", "e2": "rcuina",
    "p": "rn",
    "global": "rocdux", "shared": "rosxu", "local": "roc", "const": "roc", "generic": "roc",
}
SIZE = {"h": 16, "h2": 32, "e": 16, "e2": 32}
IMMEDIATES = {
    "i16": ("0x1234", "7"), "i32": ("0x12345678", "5", "0"), "i64": ("0x123456789abcdef0", "9", "0"),
    "s16": ("-77", "7"), "s32": ("-559038737", "11"), "s64": ("-81985529216486896", "3"),
    "f32": ("0f3FC00000", "0fC2280000"), "f64": ("0d3FF8000000000000", "0dC00921FB54442D18"),
    "h": ("0x3e00",), "h2": ("0x3e00c400", "0x3c003c00"), "e": ("0x3fc0",), "e2": ("0x3fc0c080",),
}  # fmt: skip
SUFFIX = {"s16": "s16", "s32": "s32", "s64": "s64", "f32": "f32", "f64": "f64",
          "h": "f16", "h2": "f16x2", "e": "bf16", "e2": "bf16x2"}  # fmt: skip


def expand(pattern):
    """Every way to take the choices `<a|b>`. `<n:a|b>` names one: `<n>` repeats what it took, and
    `<n=x|y>` takes x where it took a, y where it took b."""
    found = CHOICE.search(pattern)
    if not found:
        return [pattern]
    named = NAMED.match(found[1])
    name, choices = named.groups() if named else (None, found[1])
    results = []
    for i, choice in enumerate(choices.split("|")):
        text = pattern[: found.start()] + choice + pattern[found.end() :]
        if name:
            text = text.replace(f"<{name}>", choice)
            text = re.sub(f"<{name}=([^<>]*)>", lambda m: m[1].split("|")[i], text)
        results += expand(text)
    return results


class Statement:
    """One line of PTX: the operands' set-up, the instruction, and stores that keep its results."""

    def __init__(self, number):
        self.number = number
        self.before, self.after, self.names = [], [], 0

    def fresh(self, size):
        self.names += 1
        name = f"v{size}_{self.names}"
        self.before.append(f".reg .{'pred' if size == 'p' else f'b{size}'} {name};")
        return name

    def pool(self, size, step=0):
        return f"r{size}_{(self.number + self.names + step) % 6}"

    def output(self, name, size):
        offset = self.number % STATEMENTS_PER_KERNEL * 1024 + len(self.after) * 16
        if size == "p":
            number = self.fresh(32)
            self.after.append(f"selp.b32 {number},7,9,{name};")
            name, size = number, 32
        self.after.append(f"st.global.b{size} [out+{offset}],{name};")

    def value(self, kind, token, size):
        if kind == "r":
            self.names += 1
            return self.pool(size)
        if kind == "c":
            return f"c{size}_{self.number % 3}"
        if kind == "u":
            return f"u{size}_{self.number % 2}"
        if kind == "i":
            name = self.fresh(size)
            choices = IMMEDIATES[token]
            self.before.append(f"mov.b{size} {name},{choices[self.number % len(choices)]};")
            return name
        source = self.pool(size, 1)
        for step in {"n": ["neg"], "a": ["abs"], "m": ["abs", "neg"]}[kind]:
            name = self.fresh(size)
            self.before.append(f"{step}.{SUFFIX[token]} {name},{source};")
            source = name
        return source

    def address(self, kind, space):
        size = 32 if space == "shared" else 64
        base = {"global": "in", "shared": "sa", "local": "la", "const": "ca", "generic": "ge"}[space]
        if kind == "r":
            return base
        if kind == "o":
            return f"{base}+{(self.number % 5 + 1) * 64}" if self.number % 3 else f"{base}+-128"
        if kind == "s" or kind == "c" and space in ("local", "const"):
            return f"{space}_memory+{self.number % 7 * 16}"
        if kind == "c":
            return f"c64_{self.number % 3}+{self.number % 2 * 32}"
        if kind == "u":
            return f"u{size}_0+{self.number % 2 * 16}"
        name = self.fresh(size)
        if kind == "d":
            wide = self.fresh(64)
            self.before.append(f"cvt.u64.u32 {wide},{self.pool(32)};add.u64 {name},{wide},c64_0;")
            return name
        if size == 32:
            self.before.append(f"shl.b32 {name},{self.pool(32)},4;")
        else:
            self.before.append(f"mad.wide.u32 {name},{self.pool(32)},16,c64_1;")
        return f"{name}+{self.number % 2 * 16}"

    def operand(self, match, kinds):
        role, width, count, word = match.groups()
        if word == "op":
            name = self.fresh("p")
            self.output(name, "p")
            return name
        if word == "p":
            if kinds.pop(0) == "r":
                return f"rp_{self.number % 3}"
            name = self.fresh("p")
            self.before.append(f"not.pred {name},rp_{self.number % 3};")
            return name
        if word:
            return self.address(kinds.pop(0), word)
        token = role + width
        size = SIZE.get(token) or int(width)
        if role in "ob" or count:
            names = [self.fresh(size) for _ in range(int(count[1:]) if count else 1)]
            for i, name in enumerate(names):
                if role != "o":
                    space = 16 * ((self.number * 7 + i) % 64)
                    self.before.append(f"ld.global.b{size} {name},[in+{space}];")
                if role in "ob":
                    self.output(name, size)
            return "{" + ",".join(names) + "}" if count else names[0]
        return self.value(kinds.pop(0), token, size)

    def text(self, pattern, kinds):
        kinds = list(kinds)
        body = OPERAND.sub(lambda match: self.operand(match, kinds), pattern)
        return "{" + "".join(self.before) + body + "".join(self.after) + "}"


def slots(pattern):
    """The kinds that each varying operand of the pattern may take."""
    result = []
    for role, width, count, word in OPERAND.findall(pattern):
        if word == "op" or role in ("o", "b") or count:
            continue
        result.append(KINDS[word or role + width])
    return result


def variants(pattern, few, number):
    """Operand kinds to try: each operand through all of its kinds, or only one mixture of them."""
    choices = slots(pattern)
    if few:
        mixture = number * 2654435761 >> 7
        yield tuple(c[(mixture >> 3 * i) % len(c)] for i, c in enumerate(choices))
        return
    plain = tuple("r" for _ in choices)
    yield plain
    for i, kinds in enumerate(choices):
        for kind in kinds[1:]:
            yield plain[:i] + (kind,) + plain[i + 1 :]
    for kind in "uc" if len(choices) > 1 else "":  # all alike for the warp: the uniform datapath
        yield tuple(kind if kind in kinds else "r" for kinds in choices)


def read_table(path):
    """[(pattern's line, statement)], and the directives of the kernels, of one form table."""
    result, directives, number, texts = [], "", 0, {}
    for line in path.read_text().splitlines():
        line = line.strip()
        name, defines, text = line.partition(" := ")
        if defines:
            texts["$" + name] = text
            continue
        if line.startswith("directives "):
            directives = line.partition(" ")[2]
            continue
        if not line or line.startswith("#"):
            continue
        few, whole = line.startswith("~"), line.lstrip("~ ")
        for name, text in texts.items():
            whole = whole.replace(name, text)
        for pattern in expand(whole):
            for kinds in variants(pattern, few, number):
                result.append((line, Statement(number).text(pattern, kinds)))
                number += 1
    return result, directives


PROLOGUE = (
    [".reg .b64 in,out,ge,la,ca;.reg .b32 sa,tid;"]
    + [f".reg .b{s} r{s}_<6>,c{s}_<3>;" for s in (16, 32, 64)]
    + [".reg .b32 u32_<2>;.reg .b64 u64_<2>;.reg .pred rp_<3>;"]
    + ["ld.param.b64 in,[pin];ld.param.b64 out,[pout];ld.param.b64 ge,[pge];mov.u32 tid,%tid.x;"]
    + [f"ld.param.b{s} c{s}_{i},[p{s}_{i}];" for s in (16, 32, 64) for i in range(3)]
    + ["mad.wide.u32 in,tid,1024,in;mad.wide.u32 out,tid,16384,out;mad.wide.u32 ge,tid,16,ge;"]
    + ["mov.u32 u32_0,%ctaid.x;mad.lo.u32 u32_1,u32_0,c32_0,c32_1;"]
    + ["mul.wide.u32 u64_0,u32_0,c32_2;add.u64 u64_0,u64_0,c64_0;shl.b64 u64_1,u64_0,3;"]
    + [f"ld.global.b{s} r{s}_{i},[in+{s * 8 + i * s // 8}];" for s in (16, 32, 64) for i in range(6)]
    + ["mad.lo.u32 sa,r32_3,36,tid;"]
    + [f"setp.gt.s32 rp_{i},r32_{i},{i + 3};" for i in range(3)]
    + ["mov.u64 ca,const_memory;and.b64 r64_1,r64_1,255;add.u64 ca,ca,r64_1;"]
)
PARAMETERS = ",".join(
    [".param .b64 pin,.param .b64 pout,.param .b64 pge"]
    + [f".param .b{s} p{s}_{i}" for s in (16, 32, 64) for i in range(3)]
)


def module(statements, arch, directives=""):
    """(PTX text, {its line: index of the statement}) for these statements."""
    lines = [".version 9.0", f".target {arch}", ".address_size 64"]
    lines += [".extern .shared .align 128 .b8 shared_memory[];"]
    lines += [".const .align 16 .b8 const_memory[512];"]
    where = {}
    for first in range(0, len(statements), STATEMENTS_PER_KERNEL):
        group = statements[first : first + STATEMENTS_PER_KERNEL]
        text = " ".join(group)
        lines += [f".visible .entry k{first}({PARAMETERS}) {directives}", "{", *PROLOGUE]
        # Only where they are used: not every architecture has the one, and the other costs a frame.
        if "r128_" in text:
            lines.append(".reg .b128 r128_<6>;")
            lines += [f"mov.b128 r128_{i},{{r64_{i},r64_{(i + 1) % 6}}};" for i in range(6)]
        if "local_memory" in text or "[la" in text:
            lines.append(".local .align 16 .b8 local_memory[512];")
            lines.append("mov.u64 la,local_memory;and.b64 r64_0,r64_0,255;add.u64 la,la,r64_0;")
        for i, statement in enumerate(group):
            lines.append(statement)
            where[len(lines)] = first + i
        lines += ["ret;", "}"]
    return "\n".join(lines) + "\n", where


REFUSED = re.compile(r", line (\d+); (?:error|fatal)")


def assemble(statements, arch, directives="", ptxas="ptxas"):
    """(cubins, indices of the statements that ptxas refused)."""
    if not statements:
        return [], []
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "forms.ptx"), os.path.join(folder, "forms.cubin")
        left, refused = list(range(len(statements))), []
        while left:
            text, where = module([statements[i] for i in left], arch, directives)
            pathlib.Path(source).write_text(text)
            try:
                done = subprocess.run([ptxas, "-arch", arch, "-o", target, source],
                                      capture_output=True, text=True, timeout=120)  # fmt: skip
                status, said = done.returncode, done.stderr + done.stdout
            except subprocess.TimeoutExpired:
                status, said = -1, ""
            if status == 0:
                return [pathlib.Path(target).read_bytes()], refused
            bad = {where[int(n)] for n in REFUSED.findall(said) if int(n) in where}
            if not bad:
                if len(left) == 1:
                    return [], refused + left
                # The assembler gave no line: look for the culprit by halves.
                half, found = len(left) // 2, []
                for part in (left[:half], left[half:]):
                    more, lost = assemble([statements[i] for i in part], arch, directives, ptxas)
                    found += more
                    refused += [part[i] for i in lost]
                return found, refused
            refused += [left[i] for i in bad]
            left = [i for n, i in enumerate(left) if n not in bad]
    return [], refused


def tables(paths=None):
    return sorted(TABLES.glob("*.forms")) if not paths else [pathlib.Path(p) for p in paths]


def assemble_all(paths, arch, threads, ptxas="ptxas"):
    """Yields (table, [(pattern, accepted)], cubins) for each piece of each table."""
    jobs = []
    for path in paths:
        rows, directives = read_table(path)
        for first in range(0, len(rows), STATEMENTS_PER_FILE):
            jobs.append((path, rows[first : first + STATEMENTS_PER_FILE], directives))

    def work(job):
        path, rows, directives = job
        found, refused = assemble([s for _, s in rows], arch, directives, ptxas)
        lost = set(refused)
        return path, [(pattern, i not in lost) for i, (pattern, _) in enumerate(rows)], found

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(work, jobs)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", help="form tables (default: all)")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--print", action="store_true", help="print the PTX, assemble nothing")
    parser.add_argument("--refused", action="store_true", help="list patterns that gave nothing")
    options = parser.parse_args()
    if options.print:
        for path in tables(options.tables):
            rows, directives = read_table(path)
            print(module([s for _, s in rows], options.arch, directives)[0])
        return
    taken, all_keys = collections.Counter(), set()
    per_table = collections.defaultdict(lambda: [0, 0, set()])
    pieces = assemble_all(tables(options.tables), options.arch, options.threads, options.ptxas)
    for path, rows, found in pieces:
        row = per_table[path.name]
        for pattern, accepted in rows:
            taken[path.name, pattern] += accepted
            row[0] += 1
            row[1] += accepted
        for image in found:
            row[2].update(map(cubin.key, cubin.words(image)))
    for name, (statements, accepted, keys) in sorted(per_table.items()):
        print(f"{name:20} {statements:6} statements {accepted:6} accepted {len(keys):6} forms")
        all_keys |= keys
    print(f"{options.arch}: {len(all_keys)} distinct forms, {len({k[0] for k in all_keys})} opcodes")
    if options.refused:
        for (name, pattern), count in taken.items():
            if not count:
                print(f"{name}: {pattern}")


if __name__ == "__main__":
    main()
