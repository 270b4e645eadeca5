// Makes threads fatter and fewer: PTX in, PTX out, with the same results.
//
//   Result<Coarsened> fat = coarsen(ptx, "saxpy", {.grid = {64, 1, 1}, .block = {256, 1, 1}},
//                                   {{{.level = Level::kThread, .axis = 0, .factor = 4}}});
//   // fat->launch.block == {64, 1, 1}; each thread does the work of four
//
// *Thread* coarsening by a factor cf and a stride st: copy k of the new thread t is the original
// thread (t / st) * cf * st + t % st + k * st, so that a stride that is a multiple of 32 leaves the
// warps as they were. *Block* coarsening: copy k of the new block b is the original block
// b * cf + k; every copy has its own shared memory.
//
// How: operations that give the same result in all copies are executed once, the others once for
// each copy, side by side, as long as all copies take the same way. At a branch that they do not
// take together, each copy goes through the region of the branch alone, one after the other, and
// they meet at its end. See plan.h for the branches at which staying together is tried at all.
//
// The parameters of the kernel never change. An Error (exit status 3) says what cannot be coarsened
// and why, with the line in the PTX.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace burin::coarsen {

enum class Level : std::uint8_t { kThread, kBlock };

struct Coarsening {
  Level level = Level::kThread;
  unsigned axis = 0;  // 0: x, 1: y, 2: z
  unsigned factor = 1;
  unsigned stride = 0;  // between the threads that become one; 0: the new size of the block along
                        // the axis. Not used for blocks
};
// "thread x=4, stride 32"
std::string describe(const Coarsening& coarsening);

struct LaunchShape {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t shared_bytes = 0;  // dynamic
};

struct Coarsened {
  std::string ptx{};
  LaunchShape launch{};
  // The grid did not divide by the factor: its size is a constant in the kernel, which is right for
  // a launch of this size alone.
  bool specialised_grid = false;
};

// Applies the coarsenings one after the other. Each axis may be named once for threads and once for
// blocks.
Result<Coarsened> coarsen(std::string ptx, const std::string& kernel, const LaunchShape& launch,
                          std::span<const Coarsening> coarsenings);

}  // namespace burin::coarsen
