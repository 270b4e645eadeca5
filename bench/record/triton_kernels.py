"""Two specialisations of one Triton kernel, which differ in everything but the name."""

import torch
import triton
import triton.language as tl


@triton.jit
def axpy(x, y, n, factor, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y + offsets, factor * tl.load(x + offsets, mask) + tl.load(y + offsets, mask), mask)


x = torch.arange(100000, device="cuda", dtype=torch.float32)
y = torch.zeros_like(x)
for block in (256, 1024):
    for _ in range(5):
        axpy[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), 2.0, BLOCK=block)
torch.cuda.synchronize()
print(f"sum {y.sum().item():.1f}")
