"""The roofline, the baseline that any model must beat: the time of the busiest resource alone.

It is given what the hardware counted (bytes of DRAM, instructions of each pipe), so it errs by what
it leaves out: latency, caches, conflicts, imbalance.
"""

SMS = 132
CLOCK_HZ = 1.98e9
# A copy of 8.6 GB moves 4.3 TB/s, read and written.
DRAM_BYTES_PER_SECOND = 4.3e12

# Cycles of an SM's quarter for a warp's instruction. Tensor instructions at the dense peak: mma.sync
# of m16n8k16 halves, m16n8k32 bytes and m8n8k4 doubles, wgmma of m64n64k16 (all that our kernels use).
GAPS = {
    "fma": 1,
    "alu": 2,
    "fp64": 2,
    "xu": 8,
    "lsu": 4,
    "tensor_op_hmma": 4,
    "tensor_op_imma": 4,
    "tensor_op_dmma": 8,
    "tensor_op_gmma": 32,
}


def bounds_us(counters):
    """{resource: microseconds that it alone needs}."""
    quarters = 4 * SMS * CLOCK_HZ
    bytes_moved = counters["dram_read_bytes"] + counters["dram_write_bytes"]
    bounds = {
        "dram": bytes_moved / DRAM_BYTES_PER_SECOND,
        "issue": counters["instructions"] / quarters,
    }
    for pipe, gap in GAPS.items():
        bounds[pipe] = counters["pipes"].get(pipe, 0) * gap / quarters
    return {resource: 1e6 * seconds for resource, seconds in bounds.items()}


def time_us(counters):
    return max(bounds_us(counters).values())
