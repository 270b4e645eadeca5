#include "advise/patterns/mapping/launch_shape.h"

#include <algorithm>
#include <array>

#include "advise/case/place.h"
#include "analyze/reshape/thread_values.h"
#include "base/format.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

using analyze::AxisForm;
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

std::string LaunchShape::what_must_change() const {
  std::string sentence = why_fixed();
  if (sentence.empty()) return sentence;
  if (sentence[0] >= 'a' && sentence[0] <= 'z' && !sentence.starts_with("blockIdx") &&
      !sentence.starts_with("threadIdx")) {
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  }
  const char axis = analyze::kAxisNames[longest_];
  switch (longest().reason) {
    case ShapeReason::kScaledBlock:
      return fmt::format("{}: use blockDim.{} there first.", sentence, axis);
    case ShapeReason::kThreadIndex:
    case ShapeReason::kBlockIndex:
      return fmt::format(
          "{}: compute the element from blockIdx.{} * blockDim.{} + threadIdx.{} first.", sentence,
          axis, axis, axis);
    case ShapeReason::kBarrier:
    case ShapeReason::kSharedMemory:
    case ShapeReason::kWarp:
      return fmt::format("{}: the code must change first, with other tiles per block.", sentence);
    default:
      return fmt::format("{}: the code must change first.", sentence);
  }
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
