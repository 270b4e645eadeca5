// Estimates how much work the blocks of a grid do from a sample of them: the grid is divided into
// cells along its axes, and one block of each cell represents the others in it.
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
  WorkSample(launch::Dims grid, std::uint64_t most);  // `most`: maximum cells

  // Returns the block of each cell, at a varying position within the cell so that the sample does
  // not align with a pattern of the grid.
  std::vector<std::uint64_t> blocks() const;
  void set(std::vector<BlockWork> works) { works_ = std::move(works); }  // works of blocks()

  bool empty() const { return works_.empty(); }
  void scale(double by);  // multiplies the steps of all works
  const BlockWork& of(std::uint64_t block) const;
  double mean_steps() const;  // mean over the blocks of the grid
  bool even() const;          // all blocks do about the same work

 private:
  std::uint64_t cell_of(std::uint64_t block) const;

  launch::Dims grid_{};
  launch::Dims cells_{};
  std::vector<BlockWork> works_;
};

}  // namespace burin::timing
