"""Softmax over the rows of a matrix that is stored by columns, in Triton: docs/advise.md takes it from advice to gain.

    python3 examples/triton_softmax.py rows      # a program per row: neighbouring lanes are a whole row apart
    python3 examples/triton_softmax.py strips    # a program per 8 rows, which lie side by side
"""

import sys

import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 8192, 1024


@triton.jit
def softmax_rows(out, x, row_step, column_step, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    at = tl.program_id(0) * row_step + column * column_step
    value = tl.load(x + at, column < columns, other=float("-inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(out + at, value / tl.sum(value, 0), column < columns)


@triton.jit
def softmax_strips(out, x, row_step, column_step, columns, BLOCK: tl.constexpr, STRIP: tl.constexpr):
    row = tl.program_id(0) * STRIP + tl.arange(0, STRIP)
    column = tl.arange(0, BLOCK)
    at = row[None, :] * row_step + column[:, None] * column_step
    inside = column[:, None] < columns
    value = tl.load(x + at, inside, other=float("-inf"))
    value = tl.exp(value - tl.max(value, 0)[None, :])
    tl.store(out + at, value / tl.sum(value, 0)[None, :], inside)


def main(way):
    x = torch.randn(COLUMNS, ROWS, device="cuda").t()  # a view: its rows are columns in memory
    out = torch.empty_like(x)
    steps = (x.stride(0), x.stride(1), COLUMNS)

    def launch():
        if way == "rows":
            softmax_rows[(ROWS,)](out, x, *steps, BLOCK=COLUMNS)
        else:
            softmax_strips[(ROWS // 8,)](out, x, *steps, BLOCK=COLUMNS, STRIP=8, num_warps=8)

    launch()
    torch.testing.assert_close(out, torch.softmax(x, 1))
    times = []
    for _ in range(20):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        launch()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1000)
    print(f"{way}: {sorted(times)[len(times) // 2]:.1f} µs")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "rows")
