"""What ncu counts of each launch, as evidence of what bounds it: how full every part of the GPU was, and
what warps waited for."""

from accuracy import counters

# How full each part was, in per cent of what it can sustain, by the names of burin's resources. `l1`
# and `shared` are passes over the data banks, `fmaheavy` is the half of the FMA units that IMAD needs.
FULL = {
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "fma": "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
    "fmaheavy": "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_active",
    "alu": "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active",
    "fp64": "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active",
    "xu": "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
    "tensor": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    "tensor_hmma": "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active",
    "tensor_dmma": "sm__pipe_tensor_op_dmma_cycles_active.avg.pct_of_peak_sustained_active",
    "uniform": "sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_active",
    "lsu": "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
    "lsu_in": "l1tex__lsuin_requests.avg.pct_of_peak_sustained_active",
    "shared": "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_active",
    "l1": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active",
    "l1_any": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "l1_tags": "l1tex__t_output_wavefronts_pipe_lsu.avg.pct_of_peak_sustained_active",
    "l2": "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    "l2_any": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "constant": "idc__request_cycles_active.avg.pct_of_peak_sustained_active",
}
COUNTS = (
    "time_ns cycles instructions issued warps_active dram_read_bytes dram_write_bytes l1_sectors l1_hits "
    "l2_sm_sectors l2_sm_hits shared_wavefronts shared_load_conflicts"
).split()


def metric_names():
    """{ncu's name: where it goes in an entry}."""
    names = {counters.METRICS[key]: (key,) for key in COUNTS}
    for part, metric in FULL.items():
        names[metric] = ("full", part)
    for reason in counters.STALLS:
        name = f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
        names[name] = ("stalls", reason)
    return names
