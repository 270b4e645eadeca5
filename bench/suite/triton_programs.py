"""Kernels in Triton: `triton_programs.py PROGRAM`, one of the functions at the end."""

import sys

import torch
import triton
import triton.language as tl

torch.manual_seed(0)
cuda = {"device": "cuda"}


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, k, K):
        left = tl.load(a + rows[:, None] * k + start + depth[None, :])
        right = tl.load(b + (start + depth)[:, None] * n + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def quantised_matmul(a, b, scales, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, k, K):
        left = tl.load(a + rows[:, None] * k + start + depth[None, :])
        packed = tl.load(b + (start + depth)[:, None] * n + columns[None, :])
        total = tl.dot(left, packed.to(tl.bfloat16), total)
    total = total * tl.load(scales + columns)[None, :]
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.bfloat16))


@triton.jit
def softmax(x, y, width, W: tl.constexpr):
    columns = tl.arange(0, W)
    row = tl.program_id(0) * width
    values = tl.load(x + row + columns, columns < width, other=float("-inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(y + row + columns, powers / tl.sum(powers, 0), columns < width)


@triton.jit
def layer_norm(x, weight, bias, y, width, W: tl.constexpr):
    columns = tl.arange(0, W)
    row = tl.program_id(0) * width
    inside = columns < width
    values = tl.load(x + row + columns, inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, 0) / width
    apart = tl.where(inside, values - mean, 0.0)
    scale = tl.rsqrt(tl.sum(apart * apart, 0) / width + 1e-5)
    out = apart * scale * tl.load(weight + columns, inside) + tl.load(bias + columns, inside)
    tl.store(y + row + columns, out, inside)


@triton.jit
def attention(q, k, v, out, length, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1) * length * D
    rows = tl.program_id(0) * M + tl.arange(0, M)
    inner, columns = tl.arange(0, D), tl.arange(0, N)
    query = tl.load(q + head + rows[:, None] * D + inner[None, :])
    top = tl.full((M,), float("-inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    sums = tl.zeros((M, D), tl.float32)
    for start in range(0, length, N):
        key = tl.load(k + head + (start + columns)[None, :] * D + inner[:, None])
        scores = tl.dot(query, key) * scale
        higher = tl.maximum(top, tl.max(scores, 1))
        powers = tl.exp(scores - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(powers, 1)
        value = tl.load(v + head + (start + columns)[:, None] * D + inner[None, :])
        sums = sums * shrink[:, None] + tl.dot(powers.to(tl.bfloat16), value)
        top = higher
    tl.store(out + head + rows[:, None] * D + inner[None, :], (sums / total[:, None]).to(tl.bfloat16))


@triton.jit
def count_values(x, counts, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + offsets, offsets < n, other=0)
    tl.atomic_add(counts + values, 1, offsets < n)


@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    found = tl.histogram(tl.load(x + offsets, offsets < n, other=0), BINS)
    tl.atomic_add(counts + tl.arange(0, BINS), found)


def repeat(call):
    for _ in range(3):
        call()
    torch.cuda.synchronize()


def triton_matmul():
    for size, tiles in ((2048, (128, 128, 64)), (1024, (64, 64, 32)), (2048, (128, 256, 64))):
        a, b = (torch.randn(size, size, **cuda).bfloat16() for _ in range(2))
        c, (m, n, k) = torch.empty_like(a), tiles
        repeat(lambda: matmul[(size // m, size // n)](a, b, c, size, size, size, m, n, k, num_warps=8))  # noqa: B023
    a, b = (torch.randn(1024, 1024, **cuda) for _ in range(2))
    c = torch.empty_like(a)
    repeat(lambda: matmul[(16, 16)](a, b, c, 1024, 1024, 1024, 64, 64, 32))


def triton_quantised():
    a = torch.randn(512, 4096, **cuda).bfloat16()
    b = torch.randint(-128, 127, (4096, 4096), dtype=torch.int8, **cuda)
    scales, c = torch.rand(4096, **cuda), torch.empty(512, 4096, **cuda).bfloat16()
    repeat(lambda: quantised_matmul[(8, 32)](a, b, scales, c, 512, 4096, 4096, 64, 128, 64))


def triton_rows():
    for width in (512, 1000, 4096):
        x = torch.randn(4096, width, **cuda)
        y, wide = torch.empty_like(x), triton.next_power_of_2(width)
        weight, bias = torch.ones(width, **cuda), torch.zeros(width, **cuda)
        repeat(lambda: softmax[(4096,)](x, y, width, wide))  # noqa: B023
        repeat(lambda: layer_norm[(4096,)](x, weight, bias, y, width, wide))  # noqa: B023


def triton_attention():
    for size, length in ((64, 2048), (128, 1024)):
        q, k, v = (torch.randn(16, length, size, **cuda).bfloat16() for _ in range(3))
        out = torch.empty_like(q)
        repeat(lambda: attention[(length // 128, 16)](q, k, v, out, length, 0.1, 128, 64, size, num_warps=8))  # noqa: B023


def triton_histogram():
    n = 1 << 21
    x, counts = torch.randint(0, 64, (n,), dtype=torch.int32, **cuda), torch.zeros(64, dtype=torch.int32, **cuda)
    repeat(lambda: count_values[(n // 1024,)](x, counts, n, 1024))
    repeat(lambda: histogram[(n // 1024,)](x, counts, n, 1024, 64))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
