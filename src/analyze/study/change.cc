#include "analyze/study/change.h"

#include <algorithm>

#include "machine/entries.h"

namespace burin::analyze {

namespace {

using enum machine::Resource;
using enum Mode;

// Which entries of a machine are a resource's latency or throughput. Those of classes of
// instructions go with the class's resource.
struct Row {
  machine::Resource resource;
  Mode mode;
  std::string_view entry;
};
constexpr Row kRows[] = {
    {kIssue, kLatency, "issue.branch"},
    {kIssue, kLatency, "issue.rejoin"},
    {kIssue, kLatency, "issue.call"},
    {kIssue, kLatency, "issue.indirect"},
    {kIssue, kLatency, "issue.indirect_gap"},
    {kLsu, kLatency, "lsu.release"},
    {kLsu, kLatency, "lsu.release_store"},
    {kLsu, kLatency, "lsu.match_latency"},
    {kLsu, kLatency, "lsu.match_value"},
    {kLsu, kThroughput, "lsu.match_gap"},
    {kLsu, kThroughput, "lsu.gap"},
    {kLsu, kThroughput, "lsu.issue_gap"},
    {kShared, kLatency, "shared.latency"},
    {kShared, kLatency, "shared.atomic_latency"},
    {kShared, kLatency, "shared.conflict_latency"},
    {kShared, kLatency, "bulk.cluster_latency"},
    {kShared, kThroughput, "shared.bandwidth"},
    {kShared, kThroughput, "shared.atomic_gap"},
    {kShared, kThroughput, "cluster.sector_gap"},
    {kL1, kLatency, "l1.latency"},
    {kL1, kThroughput, "l1.bandwidth"},
    {kL1, kThroughput, "l1.tags"},
    {kL1, kThroughput, "l1.fill"},
    {kL1, kThroughput, "l1.drain"},
    {kL1, kThroughput, "bulk.tma_gap"},
    {kL1, kThroughput, "bulk.tma_bandwidth"},
    {kL2, kLatency, "l2.latency"},
    {kL2, kLatency, "l2.far_latency"},
    {kL2, kLatency, "l2.atomic_latency"},
    {kL2, kLatency, "l2.fence"},
    {kL2, kLatency, "l2.fence_used"},
    {kL2, kThroughput, "l2.fence_gap"},
    {kL2, kLatency, "bulk.tma_latency"},
    {kL2, kThroughput, "l2.bandwidth"},
    {kL2, kThroughput, "l2.write_bandwidth"},
    {kL2, kThroughput, "l2.requests"},
    {kL2, kThroughput, "l2.write_requests"},
    {kL2, kThroughput, "l2.atomic_requests"},
    {kL2, kThroughput, "l2.atomic_bandwidth"},
    {kL2, kThroughput, "l2.atomic_gap"},
    {kL2, kThroughput, "l2.atomic_full"},
    {kL2, kThroughput, "l2.atomic_wide"},
    {kL2, kThroughput, "l2.atomic_real"},
    {kDram, kLatency, "dram.latency"},
    {kDram, kLatency, "dram.loaded"},
    {kDram, kThroughput, "dram.bandwidth"},
    {kDram, kThroughput, "dram.write_bandwidth"},
    {kDram, kThroughput, "dram.scattered"},
    {kConstant, kLatency, "constant.miss_latency"},
    {kConstant, kLatency, "constant.cold_latency"},
    {kConstant, kLatency, "constant.word_latency"},
    {kConstant, kThroughput, "constant.buffer_gap"},
    {kFetch, kLatency, "fetch.l1_latency"},
    {kFetch, kLatency, "fetch.l2_latency"},
    {kFetch, kThroughput, "fetch.l1_gap"},
    {kFetch, kThroughput, "fetch.l2_gap"},
    {kBarrier, kLatency, "barrier.latency"},
    {kBarrier, kLatency, "barrier.result"},
    {kBarrier, kLatency, "bulk.mbarrier"},
    {kBarrier, kLatency, "cluster.barrier"},
    {kBarrier, kThroughput, "barrier.gap"},
    {kBarrier, kThroughput, "barrier.any_gap"},
    {kDispatch, kLatency, "dispatch.latency"},
    {kDispatch, kLatency, "dispatch.launch"},
    {kDispatch, kThroughput, "dispatch.block_gap"},
    {kDispatch, kThroughput, "dispatch.sm_gap"},
    {kDispatch, kThroughput, "dispatch.warp_gap"},
    {kDispatch, kThroughput, "cluster.gap"},
};

bool is_rate(const machine::MachineEntry& entry) {
  return entry.unit.ends_with("/cycle");
}

}  // namespace

std::string_view name(Mode mode) {
  return mode == kLatency ? "latency" : "throughput";
}

machine::Machine changed(const machine::Machine& machine, const Change& change) {
  machine::Machine to = machine;
  for (std::size_t c = 0; c < machine::kTimingClasses; ++c) {
    if (machine::resource_of(static_cast<machine::TimingClass>(c)) != change.resource) continue;
    machine::ClassTiming& timing = to.classes[c];
    (change.mode == kLatency ? timing.latency : timing.gap) *= change.factor;
  }
  for (const machine::MachineEntry& entry : machine::machine_entries()) {
    const bool meant = std::ranges::any_of(kRows, [&](const Row& row) {
      return row.resource == change.resource && row.mode == change.mode && row.entry == entry.name;
    });
    if (!meant) continue;
    double& value = entry.in(to);
    value = is_rate(entry) ? value / change.factor : value * change.factor;
  }
  return to;
}

double issue_slots(const Change& change) {
  return change.resource == kIssue && change.mode == kThroughput ? change.factor : 1;
}

}  // namespace burin::analyze
