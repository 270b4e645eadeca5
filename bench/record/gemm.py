"""Matrix products through cuBLAS, in three types: `gemm.py [SIZE]`."""

import sys

import torch

size = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
for kind in (torch.float32, torch.float16, torch.bfloat16):
    a = torch.randn(size, size, device="cuda", dtype=kind)
    b = torch.randn(size, size, device="cuda", dtype=kind)
    for _ in range(5):
        c = a @ b
torch.cuda.synchronize()
print(f"{c.shape}")
