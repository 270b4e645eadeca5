"""How long the whole command takes on a kernel of 20,000 instructions, from samples: a kernel is made
(ptxas, no GPU), and a report as Nsight Compute writes it, with samples at every instruction."""

import itertools
import json
import pathlib
import subprocess
import tempfile

from accuracy.predict import run

GOAL_SECONDS = 3
KERNEL = "large"
STALLS = ("selected", "wait", "long_sb", "short_sb", "not_selected", "lg", "mio", "branch_resolve")


def statement(s):
    a, b, c = s % 8, (s * 3 + 1) % 8, (s * 5 + 2) % 8
    return (
        f"fma.rn.f32 %f{a}, %f{b}, %f{c}, %f{a};",
        f"mad.lo.u32 %i{a}, %i{b}, %i{c}, %n;",
        f"ld.global.f32 %f{a}, [%p+{4 * (s % 4096)}];",
        f"xor.b32 %i{a}, %i{b}, {s + 17};",
        f"shf.l.wrap.b32 %i{a}, %i{b}, %i{c}, %t;",
        f"add.f32 %f{a}, %f{a}, %f{b};",
        f"st.global.f32 [%p+{4 * (s % 4096)}], %f{a};",
    )[s % 7]


def source(statements):
    """Loops of some hundred statements each, in which every few stand behind a branch."""
    lines = [
        f".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry {KERNEL}(.param .u64 p,",
        " .param .u32 n)\n{",
        ".reg .u64 %p; .reg .u32 %n, %t, %k; .reg .f32 %f<8>; .reg .u32 %i<8>; .reg .pred %q;",
        "ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;",
    ]
    lines += [f"ld.global.f32 %f{i}, [%p+{4 * i}]; cvt.rzi.u32.f32 %i{i}, %f{i};" for i in range(8)]
    for s in range(statements):
        if s % 300 == 0:
            lines.append(f"mov.u32 %k, 0;\nround{s}:")
        if s % 15 == 5:
            lines.append(f"setp.gt.u32 %q, %i{s % 8}, %t; @%q bra over{s};")
        lines.append(statement(s))
        if s % 15 == 10:
            lines.append(f"over{s - 5}:")
        if s % 300 == 299:
            lines.append(f"add.u32 %k, %k, 1; setp.lt.u32 %q, %k, 4; @%q bra round{s - 299};")
    lines += [f"st.global.u32 [%p+{64 + 4 * i}], %i{i}; st.global.f32 [%p+{128 + 4 * i}], %f{i};" for i in range(8)]
    return "\n".join(lines + ["ret;", "}", ""])


def listing(cubin, options):
    command = [options.burin, "inspect", cubin, "--kernel", KERNEL, "--sass", "--json"]
    content = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return instructions_in(content)


def instructions_in(content):
    """The listing, wherever the JSON has it."""
    if isinstance(content, dict):
        if "instructions" in content and isinstance(content["instructions"], list):
            return content["instructions"]
        content = list(content.values())
    if isinstance(content, list):
        for part in content:
            found = instructions_in(part)
            if found:
                return found
    return []


def report(instructions):
    """A source page: some samples of every reason at every instruction."""
    rows = [
        f'"Kernel Name","{KERNEL}"',
        '"Address","Source","Warp Stall Sampling (All Samples)",'
        + ",".join(f'"stall_{name}"' for name in STALLS),
    ]
    counts = itertools.cycle((3, 0, 7, 1, 12, 0, 2, 5, 0, 9, 4))
    for each in instructions:
        samples = [next(counts) for _ in STALLS]
        text = each["text"].replace('"', "'")
        numbers = ",".join(f'"{n}"' for n in samples)
        rows.append(f'"{each["offset"]}","{text}","{sum(samples)}",{numbers}')
    return "\n".join(rows) + "\n"


def print_speed(options):
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        (at / "large.ptx").write_text(source(options.statements), encoding="utf-8")
        command = ["ptxas", "-arch=sm_90", "-O1", at / "large.ptx", "-o", at / "large.cubin"]
        subprocess.run(command, check=True)
        instructions = listing(at / "large.cubin", options)
        (at / "large.csv").write_text(report(instructions), encoding="utf-8")
        shape = ["--grid", "1056", "--block", "128", "--arg", "buf:16777216:f32", "--arg", "i32:7"]
        known = ["--machine", options.machine, "--json", "-q"]
        words = [options.burin, "advise", at / "large.csv", "--cubin", at / "large.cubin"]
        slow = False
        ways = {
            "samples alone": [],
            "and the launch": shape,
            "emulated all the same": [*shape, "--budget", "60"],
        }
        for name, more in ways.items():
            status, text, said, seconds, usage = run([*words, *more, *known], options.limit)
            if status != 0:
                print(f"{name}: {said.splitlines()[-1] if said else 'no end'}")
                return 1
            cpu = usage.ru_utime + usage.ru_stime
            content = json.loads(text)
            first = content[0] if isinstance(content, list) else content
            print(
                f"{name:24}{len(instructions):7,} instructions {seconds:6.2f} s, {cpu:6.2f} s of"
                f" processor time, {len(first['findings'])} findings"
            )
            slow |= cpu > GOAL_SECONDS and "--budget" not in more
    print(f"goal: under {GOAL_SECONDS} s")
    return 1 if slow else 0
