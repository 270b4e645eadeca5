// Runs whole clusters of blocks, one after the other, on one thread of the host.
//
// A cluster runs until it ends. One that goes on for long without storing anything may be waiting
// for a block that has not begun (a barrier over the whole grid, say); then it is set aside for
// others and taken up again in turn. The clusters under way are allowed to grow only while they all
// seem to wait.
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

  // Runs what `next` hands out (the number of a cluster, or nothing) until there is no more, or the
  // grid is stopped.
  void run(const std::function<std::optional<std::uint64_t>()>& next,
           const std::function<void()>& ended);

  // From here on, of a block's warps one in so many is run, another one in each block; the others
  // have ended when it begins.
  void run_one_warp_in(std::uint32_t count) { one_warp_in_ = count; }

  // A cluster made ready, for whoever runs its warps himself.
  std::unique_ptr<Cluster> begin(std::uint64_t number);
  // One that has ended, for the next to be made of.
  void take_back(std::unique_ptr<Cluster> cluster) { spare_ = std::move(cluster); }

  const Tally& tally() const { return tally_; }

 private:
  enum class Outcome : std::uint8_t { kEnded, kWaiting, kStopped };

  void begin_block(Block& block, launch::Dims index);
  Outcome run_for_a_while(Cluster& cluster);
  bool run_warp(Warp& warp, std::uint64_t turn, std::uint64_t& executed);
  void stop_endless(const Cluster& cluster);
  void stop_deadlocked(const Cluster& cluster);

  Grid& grid_;
  const Program& program_;
  Listener* listener_;  // may be null
  Tally tally_;
  std::size_t uniform_slots_ = 0;  // from kUniformSlot on, that the program can write
  std::unique_ptr<Cluster> spare_;
  std::uint32_t one_warp_in_ = 1;
};

}  // namespace burin::emulate
