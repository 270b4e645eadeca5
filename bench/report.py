#!/usr/bin/env python3
"""Size of HTML reports, time to write them, and time to first paint in Chromium.

    report.py                       the transpose example and a kernel of 20,000 instructions, which is
                                    compiled for it (nvcc)
    report.py --capture FILE        also this capture

Written in: what --timings says of `html`, so beyond the analysis. First paint: the best of three, by
`node web/tests/paint.mjs`, which needs the packages of web/package-lock.json (`make test-web`
installs them). Limits: 3 MB; written in 1 s; first paint in 1 s for the example and 2 s for the others.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MAX_BYTES, MAX_WRITE_S = 3_000_000, 1.0
STATEMENTS = 2400  # groups of three: some 20,000 instructions


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--capture", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leaves the reports there")
    return parser.parse_args()


def large_source():
    """A long kernel, written out: arithmetic, shared memory, loads, and a square root in every fourth."""
    lines = [
        'extern "C" __global__ void mix(float* out, const float* in, int n) {',
        "  __shared__ float tile[512];",
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
        "  float a = in[i % n], b = a * 0.5f, c = 1.0f;",
        "  for (int turn = 0; turn < 2; ++turn) {",
        "    tile[threadIdx.x] = a;",
        "    tile[threadIdx.x + 256] = b;",
        "    __syncthreads();",
    ]
    for k in range(STATEMENTS):
        lines.append("    a = a * b + c;")
        lines.append(f"    b = tile[threadIdx.x + {k % 256}] - a * c;")
        term = "__fsqrt_rn(fabsf(b * b + a))" if k % 4 == 0 else f"b * {k}.5f"
        lines.append(f"    c = {term} + in[i + {37 * k}];")
    return "\n".join(lines + ["    __syncthreads();", "  }", "  out[i] = a + b + c;", "}", ""])


def reports(folder, options):
    """Name, words of the command, limit of the first paint in seconds."""
    cubin = ROOT / "examples/transpose.sm_90.cubin"
    buffers = ["--arg", "buf:16M:f32", "--arg", "buf:16M:undef", "--arg", "i32:2048"]
    launch = ["--grid", "64,64", "--block", "32,8", *buffers, "--machine", "h200"]
    rows = [("transpose example, explain --ladder", ["explain", cubin, "--kernel", "transpose", *launch, "--ladder"], 1)]
    source, large = folder / "large.cu", folder / "large.cubin"
    source.write_text(large_source(), encoding="utf-8")
    subprocess.run(["nvcc", "-arch=sm_90", "-lineinfo", "-cubin", source, "-o", large], check=True)
    shape = ["--grid", "64", "--block", "256", "--arg", "buf:1M:undef", "--arg", "buf:16M:f32", "--arg", "i32:1000"]
    for command in ("predict", "advise"):
        rows.append((f"long kernel, {command}", [command, large, *shape, "--machine", "h200"], 2))
    if options.capture:
        rows.append((f"capture {options.capture.name}", ["inspect", options.capture.resolve()], 2))
    return rows


def written(words, file, options):
    """Seconds that writing the report took."""
    command = [options.burin.resolve(), *words, "--html", file, "--force", "--timings", "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if run.returncode > 1:
        sys.exit(f"{' '.join(map(str, command))}: {run.stderr}")
    return float(re.search(r"^html +\d+ +([\d.]+)", run.stderr, re.MULTILINE)[1])


def counts(file):
    """Instructions and launches in a report."""
    page = file.read_text(encoding="utf-8")
    start = page.index(">", page.index('id="data"')) + 1
    view = json.loads(page[start : page.index("</script>", start)])["views"][0]
    found = {each["schema"].split("/")[0]: each for each in view}
    if "burin.capture" in found:
        return f"{len(found['burin.capture']['launches'])} launches"
    return f"{found['burin.code']['instructions']} instructions"


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        rows = []
        for k, (name, words, limit) in enumerate(reports(folder, options)):
            file = folder / f"report{k}.html"
            rows.append((name, file, written(words, file, options), limit))
        command = ["node", "tests/paint.mjs", *(file.resolve() for _, file, _, _ in rows)]
        painted = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT / "web").stdout)
        missed = 0
        print(f"{'report':44} {'of':>20} {'size':>9} {'written in':>11} {'first paint':>12}")
        for (name, file, seconds, limit), paint in zip(rows, painted):
            size, paint_s = file.stat().st_size, paint["first_paint_ms"] / 1000
            over = size >= MAX_BYTES or seconds >= MAX_WRITE_S or paint_s >= limit
            missed += over
            print(
                f"{name:44} {counts(file):>20} {size / 1e6:>6.2f} MB {1000 * seconds:>8.0f} ms {paint_s:>10.2f} s"
                + ("  over the limit" if over else "")
            )
        return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
