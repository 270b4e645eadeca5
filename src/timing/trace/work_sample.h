// Estimates how much work the blocks of a grid do from a sample of them: the grid is divided into
// cells along its axes, and one block of each cell represents the others in it.
//
//   WorkSample sample(grid, 1024);
//   for (std::uint64_t block : sample.blocks()) …  // execute it
//   sample.set(works);
//   sample.of(block).steps
//
// The last blocks along an axis (a face) may differ from the others: one block represents each face
// that does much more work than its cell. If most blocks are idle, the cells contain only the
// others.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "launch/launch.h"
#include "timing/trace/active_blocks.h"
#include "timing/trace/block_work.h"

namespace burin::timing {

class WorkSample {
 public:
  WorkSample() = default;
  // `most`: maximum cells; `has_faces`: set_faces() follows, so no block of blocks() is on a face.
  WorkSample(launch::Dims grid, std::uint64_t most, bool has_faces = false);
  WorkSample(ActiveBlocks active, BlockWork idle, std::uint64_t most);

  // Returns the block of each cell, at a varying position within the cell so that the sample does
  // not align with a pattern of the grid. Of active blocks, returns their positions.
  std::vector<std::uint64_t> blocks() const;
  void set(std::vector<BlockWork> works) { works_ = std::move(works); }  // works of blocks()

  // Returns a block of each face. set_faces() takes their works.
  std::vector<std::uint64_t> face_blocks() const;
  void set_faces(std::vector<BlockWork> works);

  bool empty() const { return works_.empty(); }
  void scale(double by);  // multiplies the steps of all works
  // The same, and multiplies the deviation of each block's warps from their mean.
  void even_out(double by, double unevenness);
  const BlockWork& of(std::uint64_t block) const;
  bool even() const { return !has_idle() && active_even(); }  // all blocks do about the same work

  bool has_idle() const { return active_.size() > 0; }
  const ActiveBlocks& active() const { return active_; }
  const BlockWork& idle_work() const { return idle_; }
  // Without idle blocks, these are all blocks of the grid, and a position is a block number.
  const BlockWork& of_active(std::uint64_t position) const;
  double mean_steps() const;  // mean over the active blocks
  bool active_even() const;   // the active blocks do about the same work
  double share_up_to(
      double steps) const;         // share of sampled blocks with at most this work; 1 if empty
  std::uint64_t lightest() const;  // the block of blocks() that does the least work
  std::uint64_t longest() const;   // the one with the longest warp, of blocks() and face_blocks()

 private:
  std::uint64_t cell_of(std::uint64_t position) const;
  std::uint32_t interior(std::size_t axis) const;  // without a face

  launch::Dims grid_{};  // of the active blocks: in one dimension
  launch::Dims cells_{};
  bool has_faces_ = false;
  ActiveBlocks active_;  // empty: all are
  BlockWork idle_;
  std::vector<BlockWork> works_;
  std::array<std::optional<BlockWork>, 3> faces_;  // by axis; empty: like its cell
};

}  // namespace burin::timing
