#include "analyze/reshape/reshape.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analyze/code/code_place.h"
#include "analyze/reshape/extra_threads.h"
#include "analyze/reshape/memory_order.h"
#include "analyze/reshape/thread_values.h"
#include "base/format.h"
#include "read/isa/traits.h"

namespace burin::analyze {

namespace {

using read::Instruction;

constexpr unsigned kOldestSm = 70, kNewestSm = 90;  // whose constants are known (docs/run.md)

std::array<std::uint32_t, kAxes> sides(const launch::Dims& dims) {
  return {dims.x, dims.y, dims.z};
}

// Integer sums, extremes and bits; two kinds on one word do not commute with each other, so the
// kernel has only one `operation`.
bool commutes(const Instruction& i, std::string_view operation) {
  const std::string_view own = i.modifier("operation");
  const bool floats = i.modifier("type").find('F') != std::string_view::npos;
  return !floats && own == operation && own != "INC" && own != "DEC";
}

// What ties an instruction to the threads of its block or warp, whatever its operands are.
ShapeReason tie_of(const read::Kernel& kernel, std::uint32_t at, std::string_view operation,
                   bool whole_warps) {
  const Instruction& i = kernel.instructions[at];
  if (!i.known()) return ShapeReason::kUnknownCode;
  const read::BasicBlock& block = kernel.blocks[kernel.block_of[at]];
  const bool last = at == block.last;
  if (i.opcode->flow == read::Opcode::kCall && block.callee == read::kNoIndex)
    return ShapeReason::kUnknownCode;
  if (last && block.unresolved) return ShapeReason::kUnknownCode;
  if (read::is_barrier(i) || read::sync_of(i) == read::Sync::kBarrierResult)
    return ShapeReason::kBarrier;
  if (i.opcode->space == read::Space::kShared || i.opcode->pipe == read::Pipe::kBulk ||
      read::has(i, read::Trait::kAsync) || read::sync_of(i) == read::Sync::kMbarrier)
    return ShapeReason::kSharedMemory;
  const bool by_warp = read::has(i, read::Trait::kCrossLane) ||
                       i.opcode->pipe == read::Pipe::kTensor ||
                       read::sync_of(i) == read::Sync::kWarp || i.modifier("mode") == "DIV" ||
                       i.modifier("mode") == "CONV";
  if (by_warp && !whole_warps) return ShapeReason::kWarp;
  if (i.opcode->pipe == read::Pipe::kTexture) return ShapeReason::kTexture;
  if (read::is_returning_atomic(i)) return ShapeReason::kReturningAtomic;
  if (read::is_atomic(i) && !commutes(i, operation)) return ShapeReason::kOrderedAtomic;
  const bool strong = !read::is_atomic(i) && i.modifier("order").starts_with("STRONG");
  const bool waits = read::is_synchronization(i) && read::sync_of(i) != read::Sync::kWarp;
  if (waits || read::has(i, read::Trait::kCacheControl) || strong) return ShapeReason::kFence;
  return ShapeReason::kNone;
}

// Whether a thread's effect on others, or what it executes, follows from the operands.
bool is_observed(const Instruction& i) {
  const bool local = i.opcode->space == read::Space::kLocal;
  return (i.opcode->stores && !local) || i.opcode->flow == read::Opcode::kBranch ||
         i.opcode->flow == read::Opcode::kExit || i.opcode->flow == read::Opcode::kReturn ||
         i.opcode->flow == read::Opcode::kCall || i.opcode->flow == read::Opcode::kTrap;
}

ShapeReason reason_of(ShapeUse::Kind kind) {
  switch (kind) {
    case ShapeUse::Kind::kNone:
      return ShapeReason::kNone;
    case ShapeUse::Kind::kThreadCount:
      return ShapeReason::kThreadCount;
    case ShapeUse::Kind::kScaledBlock:
      return ShapeReason::kScaledBlock;
    case ShapeUse::Kind::kThreadIndex:
      return ShapeReason::kThreadIndex;
    case ShapeUse::Kind::kBlockIndex:
      return ShapeReason::kBlockIndex;
    case ShapeUse::Kind::kBlockSize:
      return ShapeReason::kBlockSize;
    case ShapeUse::Kind::kGridSize:
      return ShapeReason::kGridSize;
    case ShapeUse::Kind::kUnknown:
      return ShapeReason::kUnknownCode;
    case ShapeUse::Kind::kWarpPosition:
      return ShapeReason::kWarp;
  }
  return ShapeReason::kNone;
}

// The clause that says why; `at` is "k.cu:12", `d` the axis' letter.
std::string clause(ShapeReason reason, const std::string& at, char d, std::uint32_t factor,
                   std::uint32_t block) {
  switch (reason) {
    case ShapeReason::kNone:
      return "";
    case ShapeReason::kArchitecture:
      return "burin does not know the launch constants of this architecture";
    case ShapeReason::kUnknownCode:
      return fmt::format("burin cannot follow the code at {}", at);
    case ShapeReason::kRequiredBlock:
      return "the kernel was compiled for this block shape";
    case ShapeReason::kCluster:
      return "blocks are launched in clusters";
    case ShapeReason::kBarrier:
      return fmt::format("the threads of a block synchronise at {}", at);
    case ShapeReason::kSharedMemory:
      return fmt::format("shared memory at {} belongs to one block", at);
    case ShapeReason::kWarp:
      return fmt::format("the code at {} depends on which threads form a warp", at);
    case ShapeReason::kTexture:
      return fmt::format("the texture or surface access at {} is not analysed", at);
    case ShapeReason::kReturningAtomic:
      return fmt::format("what the atomic at {} returns depends on the order of the threads", at);
    case ShapeReason::kOrderedAtomic:
      return fmt::format("the result of the atomic at {} depends on the order of the threads", at);
    case ShapeReason::kFence:
      return fmt::format("threads communicate through memory at {}", at);
    case ShapeReason::kMemoryOrder:
      return fmt::format("the load at {} may read what other threads write", at);
    case ShapeReason::kScaledBlock:
      if (factor != block) {
        return fmt::format("blockIdx.{} and threadIdx.{} are used separately at {}", d, d, at);
      }
      return fmt::format("blockIdx.{} * {} at {} fixes blocks of {} threads in {}", d, factor, at,
                         factor, d);
    case ShapeReason::kThreadIndex:
      return fmt::format("threadIdx.{} is used without its block at {}", d, at);
    case ShapeReason::kBlockIndex:
      return fmt::format("blockIdx.{} is used without its threads at {}", d, at);
    case ShapeReason::kBlockSize:
      return fmt::format("a result depends on blockDim.{} at {}", d, at);
    case ShapeReason::kGridSize:
      return fmt::format("a result depends on gridDim.{} at {}", d, at);
    case ShapeReason::kThreadCount:
      return fmt::format("the number of threads in {} is used at {}, as by a grid-stride loop", d,
                         at);
    case ShapeReason::kExtraThreads:
      return fmt::format("no bounds check in {} stops additional threads before {}", d, at);
  }
  return "";
}

class Proof {
 public:
  Proof(const read::Kernel& kernel, const launch::Launch& launch, LiteralSize literals)
      : kernel_(kernel),
        launch_(launch),
        literals_(literals),
        blocks_(sides(launch.block)),
        grid_(sides(launch.grid)) {}

  Reshape prove() {
    prove_axes(false);
    if (reshape_.axes[0].reason == ShapeReason::kWarp && is_line_of_warps()) prove_whole_warps();
    return std::move(reshape_);
  }

 private:
  void prove_axes(bool whole_warps) {
    if (tied(whole_warps)) return;
    const ThreadValues values(kernel_, launch_, whole_warps, literals_);
    const MemoryOrder order = memory_order(kernel_, values, launch_);
    if (order.load != read::kNoIndex) {
      for (unsigned d = 0; d < kAxes; ++d)
        set(d, Freedom::kFixed, ShapeReason::kMemoryOrder, order.load, 0);
      return;
    }
    for (unsigned d = 0; d < kAxes; ++d) prove_axis(values, d);
  }

  bool is_line_of_warps() const {
    return blocks_[0] % kWarp == 0 && blocks_[1] == 1 && blocks_[2] == 1;
  }

  // Along x alone: the others would no longer be lines.
  void prove_whole_warps() {
    const Reshape by_warp = reshape_;
    prove_axes(true);
    AxisFreedom& x = reshape_.axes[0];
    if (x.freedom == Freedom::kFixed) return;
    x.multiple = kWarp;
    reshape_.axes[1] = by_warp.axes[1];
    reshape_.axes[2] = by_warp.axes[2];
  }

  // What holds for all axes: the most telling reason, at its first place.
  bool tied(bool whole_warps) {
    const read::Function& function = *kernel_.function;
    const unsigned sm = kernel_.image->arch.sm;
    ShapeReason found = ShapeReason::kNone;
    std::uint32_t where = read::kNoIndex;
    if (sm < kOldestSm || sm > kNewestSm) {
      found = ShapeReason::kArchitecture;
    } else if (function.required_block) {
      found = ShapeReason::kRequiredBlock;
    } else if (launch::cluster_of(launch_, function)) {
      found = ShapeReason::kCluster;
    } else {
      std::string_view operation;  // of the first atomic
      for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
        if (!kernel_.blocks[kernel_.block_of[i]].reachable) continue;
        const Instruction& at = kernel_.instructions[i];
        if (read::is_atomic(at) && operation.empty()) operation = at.modifier("operation");
        const ShapeReason tie = tie_of(kernel_, i, operation, whole_warps);
        if (tie == ShapeReason::kNone || (found != ShapeReason::kNone && tie >= found)) continue;
        found = tie;
        where = i;
      }
    }
    if (found == ShapeReason::kNone) return false;
    for (unsigned d = 0; d < kAxes; ++d) set(d, Freedom::kFixed, found, where, 0);
    return true;
  }

  void prove_axis(const ThreadValues& values, unsigned d) {
    ShapeChange worst = ShapeChange::kNone;
    ShapeUse use;
    for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      if (!kernel_.blocks[kernel_.block_of[i]].reachable || !is_observed(kernel_.instructions[i]))
        continue;
      const ThreadForm all = values.all_read(i);
      if (all.change(d) <= worst) continue;
      worst = all.change(d);
      use = all.use(d);
    }
    if (worst == ShapeChange::kNone) return prove_bounds(values, d);
    const bool count = worst == ShapeChange::kThreadCount;
    set(d, count ? Freedom::kDivisors : Freedom::kFixed, reason_of(use.kind),
        first_use(values, d, use.instruction), use.factor);
  }

  // Where a coordinate is only read, by a declaration at the top: the first instruction on another
  // line whose result changes with the shape because of it.
  std::uint32_t first_use(const ThreadValues& values, unsigned d, std::uint32_t read) const {
    if (read == read::kNoIndex || !reads_coordinate(read)) return read;
    const std::uint32_t line = code_place(kernel_, read).line;
    std::uint32_t found = read;
    std::vector<std::uint32_t> open{read};
    std::vector<bool> seen(kernel_.instructions.size());
    for (std::size_t k = 0; k < open.size(); ++k) {
      for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
        if (seen[i] || !depends(i, open[k])) continue;
        const ThreadForm result = values.result(i);
        if (result.reached && result.change(d) != ShapeChange::kShape) continue;
        seen[i] = true;
        if (code_place(kernel_, i).line != line) return i;
        if (found == read) found = i;
        open.push_back(i);
      }
    }
    return found;
  }

  bool reads_coordinate(std::uint32_t instruction) const {
    return std::ranges::any_of(
        kernel_.instructions[instruction].operands(),
        [](const read::Operand& o) { return o.kind == read::Operand::Kind::kSpecial; });
  }

  bool depends(std::uint32_t instruction, std::uint32_t producer) const {
    return std::ranges::any_of(kernel_.dependences_of(instruction),
                               [&](const read::Dependence& dependence) {
                                 return dependence.kind == read::Dependence::Kind::kRegister &&
                                        dependence.producer == producer;
                               });
  }

  void prove_bounds(const ThreadValues& values, unsigned d) {
    Positions beyond = values.positions();
    beyond.position[d].first = std::int64_t{grid_[d]} * blocks_[d];
    const std::uint32_t effect = first_effect(kernel_, values, beyond);
    if (effect == read::kNoIndex) {
      set(d, Freedom::kAny, ShapeReason::kNone, read::kNoIndex, 0);
    } else {
      set(d, Freedom::kDivisors, ShapeReason::kExtraThreads, effect, 0);
    }
  }

  // One thread has no other divisor.
  Freedom possible(unsigned d, Freedom freedom) const {
    const bool one = std::uint64_t{grid_[d]} * blocks_[d] == 1;
    return one && freedom == Freedom::kDivisors ? Freedom::kFixed : freedom;
  }

  void set(unsigned d, Freedom freedom, ShapeReason reason, std::uint32_t instruction,
           std::uint32_t factor) {
    const std::string at =
        instruction == read::kNoIndex ? "" : code_place(kernel_, instruction).name();
    reshape_.axes[d] = {.freedom = possible(d, freedom),
                        .reason = reason,
                        .instruction = instruction,
                        .text = clause(reason, at, kAxisNames[d], factor, blocks_[d])};
  }

  const read::Kernel& kernel_;
  const launch::Launch& launch_;
  const LiteralSize literals_;
  static constexpr std::uint32_t kWarp = 32;
  const std::array<std::uint32_t, kAxes> blocks_;
  const std::array<std::uint32_t, kAxes> grid_;
  Reshape reshape_;
};

}  // namespace

std::string_view name(ShapeReason reason) {
  static constexpr std::string_view kNames[] = {
      "none",           "architecture",  "unknown code", "required block", "cluster",
      "barrier",        "shared memory", "warp",         "texture",        "returning atomic",
      "ordered atomic", "fence",         "memory order", "scaled block",   "thread index",
      "block index",    "block size",    "grid size",    "thread count",   "extra threads"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::string_view name(Freedom freedom) {
  static constexpr std::string_view kNames[] = {"fixed", "divisors", "any"};
  return kNames[static_cast<std::size_t>(freedom)];
}

bool Reshape::fixed() const {
  return std::ranges::all_of(axes,
                             [](const AxisFreedom& a) { return a.freedom == Freedom::kFixed; });
}

Reshape reshape_proof(const read::Kernel& kernel, const launch::Launch& launch,
                      LiteralSize literals) {
  return Proof(kernel, launch, literals).prove();
}

Result<launch::Dims> reshaped_grid(const Reshape& reshape, const read::Kernel& kernel,
                                   const launch::Launch& launch, launch::Dims block) {
  const std::array<std::uint32_t, kAxes> old_block = sides(launch.block);
  const std::array<std::uint32_t, kAxes> old_grid = sides(launch.grid);
  const std::array<std::uint32_t, kAxes> new_block = sides(block);
  std::array<std::uint32_t, kAxes> grid = old_grid;
  for (unsigned d = 0; d < kAxes; ++d) {
    if (new_block[d] == old_block[d]) continue;
    if (new_block[d] == 0) return Error{"a block has at least one thread along each axis"};
    const AxisFreedom& axis = reshape.axes[d];
    const std::uint64_t threads = std::uint64_t{old_grid[d]} * old_block[d];
    const bool divides = threads % new_block[d] == 0;
    if (axis.freedom == Freedom::kFixed) return Error{axis.text};
    if (new_block[d] % axis.multiple != 0) {
      return Error{fmt::format(
          "lanes of a warp work together: a block has a multiple of {} threads", axis.multiple)};
    }
    if (axis.freedom == Freedom::kDivisors && !divides) {
      return Error{fmt::format("{} threads in {} do not divide into blocks of {}, and {}", threads,
                               kAxisNames[d], new_block[d], axis.text)};
    }
    const std::uint64_t blocks = threads / new_block[d] + (divides ? 0 : 1);
    grid[d] = static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, 0xffffffffu));
  }
  launch::Launch shaped = launch;
  shaped.block = block;
  shaped.grid = {grid[0], grid[1], grid[2]};
  if (const Result<void> fits = launch::check_launch(shaped, *kernel.function); !fits)
    return fits.error();
  return shaped.grid;
}

}  // namespace burin::analyze
