#include "advise/patterns/mapping/launch_shape.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "advise/case/place.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/carried.h"
#include "analyze/reshape/thread_values.h"
#include "base/format.h"
#include "emulate/values/lanes.h"
#include "machine/occupancy.h"
#include "read/isa/traits.h"
#include "read/program/launch_size.h"

namespace burin::advise {

namespace {

using analyze::AxisForm;
using analyze::Freedom;
using analyze::ShapeChange;
using analyze::ShapeReason;
using analyze::ShapeUse;

launch::Launch launch_of(const Case& c) {
  return c.study != nullptr ? c.study->launch() : launch::Launch{.grid = c.grid, .block = c.block};
}

bool is_analysed(const Case& c) {  // sm_70 to sm_90, see launch_size.h
  return c.kernel.image->arch.sm >= 70 && c.kernel.image->arch.sm <= 90;
}

// Whether the instruction adds a multiple of blockDim.
bool steps_by_block(const analyze::ThreadValues& values, const read::Instruction& at,
                    std::uint32_t i) {
  if (!read::adds_integers(at)) return false;
  return std::ranges::any_of(at.operands(), [&](const read::Operand& o) {
    if (o.written || o.kind == read::Operand::Kind::kMemory) return false;
    const analyze::ThreadForm form = values.read(i, o);
    if (!form.reached || !form.known || form.constant != 0) return false;
    return std::ranges::any_of(form.axes, [](const AxisForm& axis) {
      AxisForm rest = axis;
      rest.factors[AxisForm::kBlockSize] = 0;
      return axis.factors[AxisForm::kBlockSize] != 0 && rest.constant();
    });
  });
}

// Whether it starts at the thread's own index. A counter shared by all threads does not.
bool follows_thread(const analyze::ThreadValues& values, std::uint32_t branch) {
  for (unsigned d = 0; d < analyze::kAxes; ++d) {
    const ShapeUse::Kind kind = values.guard(branch).use(d).kind;
    if (kind == ShapeUse::Kind::kThreadIndex || kind == ShapeUse::Kind::kScaledBlock) return true;
  }
  return false;
}

}  // namespace

LaunchShape::LaunchShape(const Case& c)
    : c_(c), launch_(launch_of(c)), reshape_(analyze::reshape_proof(c.kernel, launch_)) {
  const std::array<std::uint64_t, analyze::kAxes> threads{std::uint64_t{c.grid.x} * c.block.x,
                                                          std::uint64_t{c.grid.y} * c.block.y,
                                                          std::uint64_t{c.grid.z} * c.block.z};
  longest_ = static_cast<unsigned>(std::ranges::max_element(threads) - threads.begin());
}

std::optional<launch::Launch> LaunchShape::with_block(launch::Dims block) const {
  machine::KernelNeeds needs = c_.needs;
  needs.threads = block.total();
  if (!machine::occupancy(c_.machine, needs)) return std::nullopt;
  const Result<launch::Dims> grid = analyze::reshaped_grid(reshape_, c_.kernel, launch_, block);
  if (!grid) return std::nullopt;
  launch::Launch shaped = launch_;
  shaped.grid = *grid;
  shaped.block = block;
  return shaped;
}

std::string LaunchShape::obstacle(std::string_view blocks) const {
  // Where blockDim in place of a number is not enough, what remains then is the obstacle.
  const bool scaled = longest().reason == ShapeReason::kScaledBlock;
  const std::string& rest = edited().axes[longest_].text;
  const std::string& why = scaled && !rest.empty() ? rest : why_fixed();
  return why.empty() ? "" : fmt::format("{} need other code: {}.", blocks, why);
}

const analyze::Reshape& LaunchShape::edited() const {
  if (!edited_)
    edited_ = analyze::reshape_proof(c_.kernel, launch_, analyze::LiteralSize::kBlockDim);
  return *edited_;
}

std::optional<LaunchShape::Edited> LaunchShape::after_edit(launch::Dims block) const {
  analyze::Reshape proof = edited();
  const std::array<std::uint32_t, analyze::kAxes> sides{block.x, block.y, block.z};
  const std::array<std::uint32_t, analyze::kAxes> old{c_.block.x, c_.block.y, c_.block.z};
  const std::array<std::uint32_t, analyze::kAxes> grid{c_.grid.x, c_.grid.y, c_.grid.z};
  std::string edit;
  const auto add = [&](std::string clause) {
    edit += edit.empty() ? std::move(clause) : " and " + std::move(clause);
  };
  for (unsigned d = 0; d < analyze::kAxes; ++d) {
    if (sides[d] == old[d]) continue;
    const std::uint64_t threads = std::uint64_t{grid[d]} * old[d];
    if (sides[d] > threads) return std::nullopt;  // there is no work for its threads
    const analyze::AxisFreedom& now = reshape_.axes[d];
    const char axis = analyze::kAxisNames[d];
    const std::string at =
        now.instruction == read::kNoIndex ? "" : place_name(c_.kernel, now.instruction);
    if (now.freedom == Freedom::kFixed && now.reason == ShapeReason::kScaledBlock) {
      add(fmt::format("{}: use blockDim.{} there first", now.text, axis));
    } else if (now.freedom == Freedom::kFixed && old[d] == 1) {
      add(
          fmt::format("use blockIdx.{0} * blockDim.{0} + threadIdx.{0} in place of blockIdx.{0} "
                      "at {1}",
                      axis, at));
    } else if (now.freedom == Freedom::kFixed) {
      add(fmt::format("use blockDim.{} in place of {}", axis, old[d]));
    }
    analyze::AxisFreedom& then = proof.axes[d];
    if (then.freedom != Freedom::kDivisors || then.reason != ShapeReason::kExtraThreads) continue;
    if (threads % sides[d] != 0) {
      add(fmt::format("let threads from number {} in {} on return before {}", threads, axis,
                      place_name(c_.kernel, then.instruction)));
    }
    then.freedom = Freedom::kAny;
  }
  if (edit.empty()) return std::nullopt;
  machine::KernelNeeds needs = c_.needs;
  needs.threads = block.total();
  if (!machine::occupancy(c_.machine, needs)) return std::nullopt;
  const Result<launch::Dims> shaped = analyze::reshaped_grid(proof, c_.kernel, launch_, block);
  if (!shaped) return std::nullopt;
  if (edit.starts_with("use ") || edit.starts_with("let "))
    edit[0] = static_cast<char>(edit[0] - 'a' + 'A');
  Edited result{.launch = launch_, .edit = std::move(edit)};
  result.launch.grid = *shaped;
  result.launch.block = block;
  return result;
}

namespace {

// Whether the code reads threadIdx or blockDim along the axis.
bool reads_thread_axis(const read::Kernel& kernel, unsigned axis) {
  static constexpr std::array<std::string_view, analyze::kAxes> kIndex{"SR_TID.X", "SR_TID.Y",
                                                                       "SR_TID.Z"};
  constexpr std::int64_t kSize = 4;  // of blockDim's components, at the start of constant bank 0
  const std::int64_t first = axis * kSize;
  return std::ranges::any_of(kernel.instructions, [&](const read::Instruction& i) {
    const std::int64_t bytes = std::max<std::int64_t>(kSize, read::access_bytes(i));
    return std::ranges::any_of(i.operands(), [&](const read::Operand& o) {
      if (o.kind == read::Operand::Kind::kSpecial) return o.suffix == kIndex[axis];
      return o.kind == read::Operand::Kind::kConstant && o.bank == 0 && o.value < first + kSize &&
             o.value + bytes > first;
    });
  });
}

bool has_barrier(const read::Kernel& kernel) {
  return std::ranges::any_of(kernel.instructions,
                             [](const read::Instruction& i) { return read::is_barrier(i); });
}

}  // namespace

std::optional<LaunchShape::Stacked> LaunchShape::stacked(std::uint32_t blocks) const {
  constexpr std::uint32_t kMaxZ = 64;
  if (!is_analysed(c_) || c_.kernel.function->required_block ||
      launch::cluster_of(launch_, *c_.kernel.function)) {
    return std::nullopt;
  }
  Stacked stack{.grid = c_.grid, .block = c_.block};
  unsigned layer = 0;
  if (c_.block.y == 1 && c_.block.z == 1 && !reads_thread_axis(c_.kernel, 1)) {
    layer = 1;
    stack.block.y = blocks;
  } else if (c_.block.z == 1 && blocks <= kMaxZ && !reads_thread_axis(c_.kernel, 2)) {
    layer = 2;
    stack.block.z = blocks;
  } else {
    return std::nullopt;
  }
  // Lanes that exchange values stay in a warp of their own only where a block is whole warps.
  const bool by_warps = c_.block.total() % emulate::kWarpLanes == 0;
  if (!by_warps && lanes_cooperate(c_.kernel)) return std::nullopt;
  const std::array<std::uint32_t launch::Dims::*, analyze::kAxes> sides{
      &launch::Dims::x, &launch::Dims::y, &launch::Dims::z};
  const auto most = static_cast<unsigned>(
      std::ranges::max_element(sides, {}, [&](auto side) { return c_.grid.*side; }) -
      sides.begin());
  const std::uint32_t before = c_.grid.*sides[most];
  if (before < blocks) return std::nullopt;
  stack.grid.*sides[most] = (before + blocks - 1) / blocks;
  const char a = analyze::kAxisNames[most];
  const char s = analyze::kAxisNames[layer];
  const bool one_warp = c_.block.total() == emulate::kWarpLanes;
  stack.steps = fmt::format(
      "Put {} blocks into one{}: launch dim3({}, {}, {}) in a grid of dim3({}, {}, {}) and replace "
      "blockIdx.{} by blockIdx.{} * blockDim.{} + threadIdx.{}",
      blocks, one_warp ? ", a warp for each" : "", stack.block.x, stack.block.y, stack.block.z,
      stack.grid.x, stack.grid.y, stack.grid.z, a, a, s, s);
  if (read::grid_sizes_read(c_.kernel)[most])
    stack.steps += fmt::format(", and gridDim.{} by gridDim.{} * blockDim.{}", a, a, s);
  stack.steps += fmt::format("; {} stay as they are.",
                             layer == 1 ? "threadIdx.x and blockDim.x" : "x and y of threads");
  if (c_.needs.shared > 0)
    stack.steps += fmt::format(" Each threadIdx.{} needs shared arrays of its own.", s);
  if (has_barrier(c_.kernel)) {
    stack.steps += one_warp ? " Replace __syncthreads() by __syncwarp()."
                            : fmt::format(
                                  " Threads of every threadIdx.{} must reach each "
                                  "__syncthreads().",
                                  s);
  }
  if (before % blocks != 0)
    stack.steps += fmt::format(" Threads whose block is {} or more must do nothing.", before);
  return stack;
}

bool LaunchShape::cooperates() const {
  const ShapeReason reason = longest().reason;
  return reason == ShapeReason::kBarrier || reason == ShapeReason::kSharedMemory ||
         reason == ShapeReason::kWarp;
}

namespace {

template <typename Wanted>
std::uint32_t first_block_stride_loop(const Case& c, Wanted wanted) {
  if (!is_analysed(c)) return read::kNoIndex;
  const analyze::ThreadValues values(c.kernel, launch_of(c));
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {  // outer loops first
    const read::Loop& loop = c.kernel.loops[l];
    if (!wanted(l)) continue;
    const bool follows = std::ranges::any_of(loop.latches, [&](std::uint32_t latch) {
      return follows_thread(values, c.kernel.blocks[latch].last);
    });
    if (!follows) continue;
    for (const std::uint32_t b : loop.blocks) {
      for (std::uint32_t i = c.kernel.blocks[b].first; i <= c.kernel.blocks[b].last; ++i)
        if (steps_by_block(values, c.at(i), i)) return l;
    }
  }
  return read::kNoIndex;
}

}  // namespace

std::array<bool, analyze::kAxes> block_indices_read(const read::Kernel& kernel) {
  static constexpr std::array<std::string_view, analyze::kAxes> kNames{"SR_CTAID.X", "SR_CTAID.Y",
                                                                       "SR_CTAID.Z"};
  std::array<bool, analyze::kAxes> found{};
  for (const read::Instruction& i : kernel.instructions) {
    for (const read::Operand& o : i.operands()) {
      if (o.kind != read::Operand::Kind::kSpecial) continue;
      for (unsigned d = 0; d < analyze::kAxes; ++d) found[d] = found[d] || o.suffix == kNames[d];
    }
  }
  return found;
}

bool lanes_cooperate(const read::Kernel& kernel) {
  static constexpr std::string_view kOfLane[] = {"SR_LANEID", "SR_EQMASK", "SR_LTMASK",
                                                 "SR_LEMASK", "SR_GTMASK", "SR_GEMASK"};
  return std::ranges::any_of(kernel.instructions, [](const read::Instruction& i) {
    if (!i.known()) return true;
    if (read::has(i, read::Trait::kCrossLane) || i.opcode->pipe == read::Pipe::kTensor) return true;
    return std::ranges::any_of(i.operands(), [](const read::Operand& o) {
      return o.kind == read::Operand::Kind::kSpecial &&
             std::ranges::find(kOfLane, o.suffix) != std::end(kOfLane);
    });
  });
}

namespace {

// The axis of a form that is a multiple of gridDim, or of gridDim * blockDim, and nothing else.
std::uint32_t axis_of_grid(const analyze::ThreadForm& form) {
  if (!form.reached || !form.known || form.constant != 0) return read::kNoIndex;
  std::uint32_t found = read::kNoIndex;
  for (unsigned d = 0; d < analyze::kAxes; ++d) {
    AxisForm rest = form.axes[d];
    const bool grid =
        rest.factors[AxisForm::kGridSize] != 0 || rest.factors[AxisForm::kThreads] != 0;
    rest.factors[AxisForm::kGridSize] = rest.factors[AxisForm::kThreads] = 0;
    if (!rest.constant()) return read::kNoIndex;
    if (grid && found == read::kNoIndex) found = d;
  }
  return found;
}

std::uint32_t grid_axis_added(const analyze::ThreadValues& values, const read::Instruction& at,
                              std::uint32_t i) {
  std::vector<analyze::ThreadForm> from;
  for (const read::Operand& o : at.operands()) {
    if (o.written || o.kind == read::Operand::Kind::kMemory) continue;
    if (o.is_register(read::RegisterFile::kPredicate) ||
        o.is_register(read::RegisterFile::kUniformPredicate))
      continue;
    from.push_back(values.read(i, o));
  }
  if (read::arithmetic_of(at) == read::Arithmetic::kMultiplyAdd && from.size() >= 3) {
    if (!from[0].reached || !from[1].reached) return read::kNoIndex;
    return axis_of_grid(analyze::form_product(from[0], from[1], i));
  }
  if (!read::adds_integers(at) && read::arithmetic_of(at) != read::Arithmetic::kShiftAdd)
    return read::kNoIndex;
  for (const analyze::ThreadForm& form : from) {
    const std::uint32_t axis = axis_of_grid(form);
    if (axis != read::kNoIndex) return axis;
  }
  return read::kNoIndex;
}

// The axis of gridDim if the value is a product of that axis alone and of sizes that are the same
// for all threads, such as gridDim.y * blockDim.x, which no ThreadForm holds.
std::uint32_t axis_of_product(const Case& c, std::uint32_t value) {
  std::set<std::uint32_t> seen{value};
  std::vector<std::uint32_t> open{value};
  std::uint32_t found = read::kNoIndex;
  while (!open.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    const read::Instruction& at = c.at(i);
    const bool product = at.known() && !at.opcode->loads &&
                         (read::has(at, read::Trait::kMove) ||
                          read::arithmetic_of(at) == read::Arithmetic::kMultiplyAdd ||
                          read::arithmetic_of(at) == read::Arithmetic::kMultiply);
    const bool constant = at.known() && at.opcode->space == read::Space::kConstant;
    if (!product && !constant) return read::kNoIndex;
    const std::array<bool, 3> sizes = read::grid_sizes_read(at);
    for (std::uint32_t axis = 0; axis < sizes.size(); ++axis) {
      if (!sizes[axis]) continue;
      if (found != read::kNoIndex && found != axis) return read::kNoIndex;
      found = axis;
    }
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      if (d.kind != read::Dependence::Kind::kRegister) continue;
      if (seen.insert(d.producer).second) open.push_back(d.producer);
    }
  }
  return found;
}

// The axis whose multiple the instruction of a loop adds to a value of the loop.
std::uint32_t product_axis_added(const Case& c, std::uint32_t loop, std::uint32_t i) {
  if (!read::adds_integers(c.at(i))) return read::kNoIndex;
  std::uint32_t axis = read::kNoIndex;
  bool carried = false;
  for (const read::Dependence& d : c.kernel.dependences_of(i)) {
    if (d.kind != read::Dependence::Kind::kRegister) continue;
    if (const std::uint32_t of = axis_of_product(c, d.producer); of != read::kNoIndex) {
      axis = of;
    } else if (c.places.in_loop(d.producer, loop)) {
      carried = true;
    }
  }
  return carried ? axis : read::kNoIndex;
}

// Whether the instruction adds a multiple of the block's threads to its own earlier value.
bool steps_by_number(const Case& c, std::uint32_t i) {
  const read::Instruction& at = c.at(i);
  if (!read::adds_integers(at) || at.operands().empty()) return false;
  bool number = false;
  bool own = false;
  for (const read::Operand& o : at.operands()) {
    if (o.written) continue;
    if (o.kind == read::Operand::Kind::kImmediate)
      number |= o.value > 0 && o.value % static_cast<std::int64_t>(c.block.total()) == 0;
  }
  for (const read::Dependence& d : c.kernel.dependences_of(i))
    own |= d.kind == read::Dependence::Kind::kRegister && d.producer == i;
  return number && own && c.block.total() > 1;
}

bool starts_at_thread(const analyze::ThreadValues& values, std::uint32_t branch) {
  return values.guard(branch).use(0).kind == ShapeUse::Kind::kThreadIndex;
}

}  // namespace

std::uint32_t grid_stride_axis(const Case& c) {
  if (!is_analysed(c)) return read::kNoIndex;
  const analyze::ThreadValues values(c.kernel, launch_of(c));
  for (const read::Loop& loop : c.kernel.loops) {
    for (const std::uint32_t b : loop.blocks) {
      for (std::uint32_t i = c.kernel.blocks[b].first; i <= c.kernel.blocks[b].last; ++i) {
        const std::uint32_t axis = grid_axis_added(values, c.at(i), i);
        if (axis != read::kNoIndex) return axis;
      }
    }
  }
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!c.places.in_loop(i, l)) continue;
      const std::uint32_t axis = product_axis_added(c, l, i);
      if (axis != read::kNoIndex) return axis;
    }
  }
  return read::kNoIndex;
}

std::optional<BlockLoops> block_loops(const Case& c) {
  if (!is_analysed(c)) return std::nullopt;
  const analyze::ThreadValues values(c.kernel, launch_of(c));
  BlockLoops found;
  std::vector<std::string> names;
  double most = 0;
  double all = 0;
  std::size_t last_reducing = 0;  // names up to the last loop that reduces
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {
    const read::Loop& loop = c.kernel.loops[l];
    if (loop.parent != read::kNoIndex) continue;
    const bool starts = std::ranges::any_of(loop.latches, [&](std::uint32_t latch) {
      return starts_at_thread(values, c.kernel.blocks[latch].last);
    });
    bool steps = false;
    bool number = false;
    double spent = 0;
    for (const std::uint32_t b : loop.blocks) {
      for (std::uint32_t i = c.kernel.blocks[b].first; i <= c.kernel.blocks[b].last; ++i) {
        steps |= steps_by_block(values, c.at(i), i);
        number |= steps_by_number(c, i);
        spent += c.blamed.total_of(i);
      }
    }
    if (!starts || !(steps || number) || spent <= 0) continue;
    found.by_number = found.by_number || !steps;
    const CarriedValues carried(c, l);
    if (!carried.only_reductions()) return std::nullopt;
    found.reduces = found.reduces || carried.any();
    const std::string name = c.places.loop_name(l);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    if (carried.any()) last_reducing = names.size();
    found.loops.push_back(l);
    all += spent;
    if (spent > most) {
      most = spent;
      found.hottest = l;
    }
  }
  if (found.loops.empty()) return std::nullopt;
  found.names = fmt::format("{}", fmt::join(names, " and the "));
  found.share = c.blamed.total > 0 ? all / c.blamed.total : 0;
  found.continues = found.reduces && last_reducing < names.size();
  bool stores = false;
  bool atomics = false;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_global(c.at(i)) || !c.at(i).opcode->stores) continue;
    (read::is_atomic(c.at(i)) ? atomics : stores) = true;
  }
  found.by_atomics = atomics && !stores;
  return found;
}

std::uint32_t block_stride_loop(const Case& c) {
  return first_block_stride_loop(c, [](std::uint32_t) { return true; });
}

std::uint32_t block_stride_loop_around(const Case& c, std::uint32_t instruction) {
  return first_block_stride_loop(
      c, [&](std::uint32_t loop) { return c.places.in_loop(instruction, loop); });
}

double rounds_of(const Case& c, const read::Loop& loop) {
  const read::BasicBlock& header = c.kernel.blocks[loop.header];
  double entered = 0;
  for (const read::Edge& edge : header.predecessors) {
    if (std::ranges::binary_search(loop.blocks, edge.block)) continue;
    entered += c.blamed.issued[c.kernel.blocks[edge.block].last];
  }
  return entered > 0 ? c.blamed.issued[header.first] / entered : 0;
}

std::uint32_t stored_partial_result(const Case& c) {
  if (!is_analysed(c)) return read::kNoIndex;
  const analyze::ThreadValues values(c.kernel, launch_of(c));
  const auto change = [](const analyze::ThreadForm& form) {
    ShapeChange worst = ShapeChange::kNone;
    for (unsigned d = 0; d < analyze::kAxes; ++d) worst = std::max(worst, form.change(d));
    return worst;
  };
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const read::Instruction& at = c.at(i);
    if (!read::is_plain_store(at) || !read::may_be_global(at)) continue;
    ShapeChange address = ShapeChange::kNone;
    ShapeChange value = ShapeChange::kNone;
    read::for_each_address_register(
        at, [&](read::RegisterFile file, std::uint16_t first, unsigned count) {
          for (unsigned k = 0; k < count; ++k)
            address = std::max(address,
                               change(values.read(i, file, static_cast<std::uint16_t>(first + k))));
        });
    for (const read::Operand& o : at.operands())
      if (o.kind == read::Operand::Kind::kRegister)
        value = std::max(value, change(values.read(i, o)));
    if (address == ShapeChange::kNone && value != ShapeChange::kNone) return i;
  }
  return read::kNoIndex;
}

}  // namespace burin::advise
