// How much the blocks of a grid do, from a few of them: the grid is cut into cells along its axes,
// and one block of each cell stands for the others in it.
//
//   WorkSample sample(grid, 1024);
//   for (std::uint64_t block : sample.blocks()) …  // execute it
//   sample.set(works);
//   sample.of(block).steps
#pragma once

#include <cstdint>
#include <vector>

#include "launch/launch.h"
#include "timing/trace/block_work.h"

namespace burin::timing {

class WorkSample {
 public:
  WorkSample() = default;
  WorkSample(launch::Dims grid, std::uint64_t most);  // cells

  // The block of each cell: somewhere in it, so that no pattern of the grid is met again and again.
  std::vector<std::uint64_t> blocks() const;
  void set(std::vector<BlockWork> works) { works_ = std::move(works); }  // of those blocks

  bool empty() const { return works_.empty(); }
  void scale(double by);  // the steps of all works
  const BlockWork& of(std::uint64_t block) const;
  double mean_steps() const;  // of the grid's blocks
  bool even() const;          // all do about the same

 private:
  std::uint64_t cell_of(std::uint64_t block) const;

  launch::Dims grid_{};
  launch::Dims cells_{};
  std::vector<BlockWork> works_;
};

}  // namespace burin::timing
