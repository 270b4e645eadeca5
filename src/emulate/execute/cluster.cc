// The barrier of a cluster (UCGABAR).
#include "emulate/access/bulk.h"
#include "read/isa/traits.h"

namespace burin::emulate {

namespace {

// The cluster's barrier opens when every warp that has not ended has come once more.
void open_cluster_barrier(Cluster& cluster) {
  for (const auto& block : cluster.blocks)
    for (const auto& warp : block->warps)
      if (warp->live != 0 && warp->cluster_arrivals <= cluster.phase) return;
  ++cluster.phase;
}

void execute_cluster_arrive(Warp& warp, const Op&) {
  ++warp.cluster_arrivals;
  join(warp.block->cluster_clock, warp.clock);
  ++warp.clock[warp.index % warp.clock.size()];
  open_cluster_barrier(*warp.block->cluster);
}

void execute_cluster_wait(Warp& warp, const Op&) {
  Cluster& cluster = *warp.block->cluster;
  if (cluster.phase < warp.cluster_arrivals) open_cluster_barrier(cluster);
  if (cluster.phase < warp.cluster_arrivals) {
    warp.retry = true;
    return;
  }
  join(warp.clock, warp.block->cluster_clock);
}

}  // namespace

bool lower_cluster_barrier(Lowering&, const read::Instruction& i, Op& op) {
  op.execute = read::sync_of(i) == read::Sync::kClusterArrive ? execute_cluster_arrive
                                                              : execute_cluster_wait;
  return true;
}

}  // namespace burin::emulate
