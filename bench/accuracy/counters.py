"""What Nsight Compute counts of each launch: one ncu over a worker that serves many of them."""

import csv
import io
import math
import subprocess

# What is kept, by its name in the results.
METRICS = {
    "time_ns": "gpu__time_duration.sum",
    "cycles": "sm__cycles_elapsed.max",
    "instructions": "smsp__inst_executed.sum",
    "issued": "smsp__inst_issued.sum",
    "active_cycles": "smsp__cycles_active.avg",
    "warps_active": "sm__warps_active.avg.per_cycle_active",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "l1_sectors": "l1tex__t_sectors.sum",
    "l1_hits": "l1tex__t_sectors_lookup_hit.sum",
    "l1_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1_load_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l2_sectors": "lts__t_sectors.sum",
    "l2_hits": "lts__t_sectors_lookup_hit.sum",
    "l2_sm_sectors": "lts__t_sectors_srcunit_tex.sum",
    "l2_sm_hits": "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "l2_sm_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_sm_read_hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "l2_read_sectors": "lts__t_sectors_op_read.sum",
    "l2_read_hits": "lts__t_sectors_op_read_lookup_hit.sum",
    "l2_write_sectors": "lts__t_sectors_op_write.sum",
    "l2_atomic_sectors": "lts__t_sectors_op_atom.sum",
    "l2_reduction_sectors": "lts__t_sectors_op_red.sum",
    "lsu_wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}
PIPES = (
    "alu fma fmaheavy fp64 xu lsu uniform cbu adu tensor tensor_op_hmma tensor_op_gmma "
    "tensor_op_imma tensor_op_dmma"
).split()
STALLS = (
    "barrier branch_resolving dispatch_stall drain gmma imc_miss lg_throttle long_scoreboard "
    "math_pipe_throttle membar mio_throttle misc no_instruction not_selected selected "
    "short_scoreboard sleeping tex_throttle wait"
).split()

NCU = ["--csv", "--print-units", "base", "--clock-control", "none", "--cache-control", "all"]


def metric_names():
    """{ncu's name: where it goes in an entry}."""
    names = {metric: (key,) for key, metric in METRICS.items()}
    for pipe in PIPES:
        names[f"sm__inst_executed_pipe_{pipe}.sum"] = ("pipes", pipe)
    for reason in STALLS:
        name = f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
        names[name] = ("stalls", reason)
    return names


def known_names(ncu, names):
    """Those that this ncu knows of this GPU; all where it does not tell."""
    done = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True, check=False)
    known = {line.split()[0] for line in done.stdout.splitlines() if "__" in line}
    if not known:
        return dict(names)
    return {name: place for name, place in names.items() if name.split(".")[0] in known}


def number(text):
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) else float(f"{value:.5g}")


def entries_of(text, names):
    """[(kernel, counters)] from ncu's CSV, in the order of the launches."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    entries = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
        place = names.get(row.get("Metric Name"))
        value = number(row.get("Metric Value") or "")
        kernel, counters = entries.setdefault(row["ID"], (row["Kernel Name"], {}))
        if place is not None and value is not None:
            into = counters
            for key in place[:-1]:
                into = into.setdefault(key, {})
            into[place[-1]] = value
    return list(entries.values())


def count(requests, burin, ncu, names, limit_seconds):
    """Runs the worker's requests below ncu; entries as far as they came, and the last words."""
    command = [ncu, *NCU, "--metrics", ",".join(names), str(burin), "worker"]
    try:
        done = subprocess.run(
            command,
            input="\n".join(requests) + "\n",
            capture_output=True,
            text=True,
            timeout=limit_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        words = (late.stdout or b"").decode(errors="replace")
        return entries_of(words, names), f"ncu did not end in {limit_seconds} seconds"
    return entries_of(done.stdout, names), (done.stdout[-600:] + done.stderr[-600:]).strip()
