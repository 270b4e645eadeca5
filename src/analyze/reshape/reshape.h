// May a launch be given another block shape with the same results? Decided from the code, for the
// launch's arguments.
//
//   const Reshape reshape = reshape_proof(kernel, launch);
//   reshape.axes[0].freedom                      Freedom::kAny: any number of threads along x
//   Result<launch::Dims> grid = reshaped_grid(reshape, kernel, launch, {128, 4});
//
//   shape along x: any number of threads
//   shape along y: fixed: blockIdx.y * 16 at k.cu:12 fixes blocks of 16 threads in y
//
// A thread is known by its position blockIdx·blockDim + threadIdx along each axis. The proof shows
// that what a thread executes, loads and stores depends on its position, on memory and on the
// arguments, never on how positions are cut into blocks: no shared memory, no barrier, nothing that
// lanes of a warp exchange, and every condition, address and stored value a function of the
// position (thread_form.h). The new grid covers at least the old positions; the threads beyond them
// must be seen to leave before they do anything (extra_threads.h), else only block sizes that
// divide the number of threads are allowed. Where the lanes of a warp work together, lines of whole
// warps may be cut into other lines of whole warps: each warp has the same threads in every shape.
//
// Integer atomics of one kind without a result commute and are allowed. Atomics that return a value
// depend on the order of the threads and are refused, as are float atomics, whose sums depend on
// it, and threads that may read what others write (memory_order.h). Two threads that write
// different values to one address have no defined result in any shape; that is not looked for.
//
// An axis is proved whatever the shape of the others is, so any combination of allowed axes is
// allowed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "analyze/reshape/thread_form.h"
#include "analyze/reshape/thread_values.h"
#include "base/result.h"
#include "launch/launch.h"
#include "read/program/kernel.h"

namespace burin::analyze {

// Why a block shape is fixed, or not quite free.
enum class ShapeReason : std::uint8_t {
  kNone,
  kArchitecture,   // burin does not know where its launch dimensions are
  kUnknownCode,    // an unknown instruction, a call or jump out of the kernel, or too complex
  kRequiredBlock,  // compiled for one block size
  kCluster,
  kBarrier,
  kSharedMemory,
  kWarp,             // lanes of a warp exchange values, or their number is used
  kTexture,          // not followed
  kReturningAtomic,  // the order of the threads decides what it returns
  kOrderedAtomic,    // the order of the threads decides the result: floats, or several operations
  kFence,            // threads of the launch communicate through memory
  kMemoryOrder,      // a thread may read what another one writes
  kScaledBlock,      // blockIdx * 32 + threadIdx
  kThreadIndex,
  kBlockIndex,
  kBlockSize,
  kGridSize,
  kThreadCount,   // depends on the number of threads, as a grid-stride loop does
  kExtraThreads,  // threads beyond the old ones are not seen to leave
};
std::string_view name(ShapeReason reason);  // "barrier", as in JSON

enum class Freedom : std::uint8_t {
  kFixed,     // the block size must stay
  kDivisors,  // any size that divides the number of threads along the axis
  kAny,
};
std::string_view name(Freedom freedom);  // "fixed", "divisors", "any"

struct AxisFreedom {
  Freedom freedom = Freedom::kFixed;
  ShapeReason reason = ShapeReason::kNone;     // why it is not kAny
  std::uint32_t instruction = read::kNoIndex;  // with the reason; kNoIndex: the whole kernel
  // Block sizes must be a multiple: 32 along x where the lanes of a warp work together and blocks
  // are lines of whole warps.
  std::uint32_t multiple = 1;
  // A clause: "blockIdx.x * 32 at k.cu:12 fixes blocks of 32 threads in x"; "": free.
  std::string text{};
};

struct Reshape {
  std::array<AxisFreedom, kAxes> axes{};

  bool free(unsigned axis) const { return axes[axis].freedom == Freedom::kAny; }
  bool fixed() const;  // no axis has another shape
};

// `kernel` needs dependences. The launch must have passed check_launch. With kBlockDim, the proof
// is for the code after an edit: blockDim in place of the block size, wherever a number stands for
// it.
Reshape reshape_proof(const read::Kernel& kernel, const launch::Launch& launch,
                      LiteralSize literals = LiteralSize::kFixed);

// Returns the grid that gives all threads of the launch with blocks of this shape: rounded up
// along each axis. Error: a sentence that says what forbids it; also where the block or the new
// grid is beyond the limits of CUDA or of the kernel.
Result<launch::Dims> reshaped_grid(const Reshape& reshape, const read::Kernel& kernel,
                                   const launch::Launch& launch, launch::Dims block);

}  // namespace burin::analyze
