#!/usr/bin/env python3
"""Makes a large cubin for timing listings: many kernels of straight-line code, 240,000 instructions.

    make_large_cubin.py OUT.cubin [--arch sm_90] [--kernels 165]
"""
import argparse
import subprocess
import tempfile


def kernel(number, statements):
    """A kernel whose statements depend on each other and on memory, so that ptxas keeps them all."""
    lines = [
        f".visible .entry k{number}(.param .u64 p, .param .u32 n)",
        "{",
        ".reg .u64 %p; .reg .u32 %n, %t; .reg .f32 %f<8>; .reg .u32 %i<8>; .reg .pred %q;",
        "ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;",
    ]
    lines += [f"ld.global.f32 %f{i}, [%p+{4 * i}]; cvt.rzi.u32.f32 %i{i}, %f{i};" for i in range(8)]
    for s in range(statements):
        a, b, c = s % 8, (s * 3 + 1) % 8, (s * 5 + number) % 8
        lines.append(
            (
                f"fma.rn.f32 %f{a}, %f{b}, %f{c}, %f{a};",
                f"mad.lo.u32 %i{a}, %i{b}, %i{c}, %n;",
                f"ld.global.f32 %f{a}, [%p+{4 * (s % 4096)}];",
                f"xor.b32 %i{a}, %i{b}, {s + 17};",
                f"setp.gt.u32 %q, %i{b}, %t; @%q add.u32 %i{a}, %i{a}, %i{c};",
                f"st.global.f32 [%p+{4 * (s % 4096)}], %f{a};",
                f"shf.l.wrap.b32 %i{a}, %i{b}, %i{c}, %t;",
                f"add.f32 %f{a}, %f{a}, %f{b};",
            )[(s + number) % 8]
        )
    lines += [f"st.global.u32 [%p+{64 + 4 * i}], %i{i}; st.global.f32 [%p+{128 + 4 * i}], %f{i};" for i in range(8)]
    return "\n".join(lines + ["ret;", "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("out")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--kernels", type=int, default=165)
    parser.add_argument("--ptxas", default="ptxas")
    options = parser.parse_args()
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as ptx:
        ptx.write(f".version 8.0\n.target {options.arch}\n.address_size 64\n")
        for number in range(options.kernels):
            ptx.write(kernel(number, 1800))
        ptx.flush()
        command = [options.ptxas, f"-arch={options.arch}", "-O1", ptx.name, "-o", options.out]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
