// Runs whole thread block clusters, one after the other, on one host thread.
//
// A cluster normally runs to completion. A cluster that runs for long without storing anything may
// be waiting for a block that has not started (at a grid-wide barrier, for example); it is then
// suspended, other clusters run, and it is resumed in turn. New clusters are started alongside
// suspended ones only while all clusters in progress appear to wait. Where no more can be started,
// and all are proved to repeat themselves (spin.h), the kernel never ends: the run stops.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "emulate/execute/step.h"
#include "emulate/state/block.h"
#include "emulate/state/grid.h"

namespace burin::emulate {

class ClusterRunner {
 public:
  ClusterRunner(Grid& grid, const Program& program, Listener* listener);

  // Runs the clusters that `next` returns (a cluster number, or nothing at the end) until there are
  // no more or the grid is stopped. Calls `ended` after each cluster. Grid::workers counts the
  // runners that are to do so.
  void run(const std::function<std::optional<std::uint64_t>()>& next,
           const std::function<void()>& ended);

  // From now on, executes only one in `count` warps of each block, a different one in each block;
  // the other warps count as exited when the block starts.
  void run_one_warp_in(std::uint32_t count) { one_warp_in_ = count; }

  // Returns a cluster ready to run, for a caller that steps its warps itself.
  std::unique_ptr<Cluster> begin(std::uint64_t number);
  // Takes back a finished cluster, whose memory is reused for the next one.
  void take_back(std::unique_ptr<Cluster> cluster) { spare_ = std::move(cluster); }

  const Tally& tally() const { return tally_; }

 private:
  enum class Outcome : std::uint8_t { kEnded, kWaiting, kStopped };

  void run_all(const std::function<std::optional<std::uint64_t>()>& next,
               const std::function<void()>& ended);
  void begin_block(Block& block, launch::Dims index);
  Outcome run_for_a_while(Cluster& cluster);
  bool run_warp(Warp& warp, std::uint64_t turn, std::uint64_t& executed);
  void stop_endless(const Cluster& cluster, const std::string& limit);
  void check_limits(Cluster& cluster, std::uint64_t executed);
  const Warp* busy_warp(const Cluster& cluster);
  std::uint64_t most_without_end() const;  // warp instructions; 0: no limit
  bool stop_standstill(const std::deque<std::unique_ptr<Cluster>>& clusters);
  static bool release_left_behind(const Cluster& cluster);  // split.h
  void stop_deadlocked(const Cluster& cluster);

  Grid& grid_;
  const Program& program_;
  Listener* listener_;  // may be null
  Tally tally_;
  std::size_t uniform_slots_ = 0;  // slots from kUniformSlot on that the program can write
  bool has_bulk_copies_ = false;
  std::uint64_t branches_ = 0;  // on Unknown conditions, so far
  std::unique_ptr<Cluster> spare_;
  std::uint32_t one_warp_in_ = 1;
};

}  // namespace burin::emulate
