#include "advise/patterns/mapping/strided_loops.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "advise/case/requests.h"
#include "advise/patterns/mapping/launch_shape.h"
#include "advise/patterns/reductions/carried.h"
#include "analyze/reshape/thread_values.h"
#include "base/format.h"
#include "read/isa/traits.h"
#include "read/program/launch_size.h"

namespace burin::advise {

namespace {

using analyze::AxisForm;
using analyze::ShapeChange;
using analyze::ShapeUse;

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

bool is_block_stride_loop(const Case& c, const analyze::ThreadValues& values,
                          const read::Loop& loop) {
  const bool follows = std::ranges::any_of(loop.latches, [&](std::uint32_t latch) {
    return follows_thread(values, c.kernel.blocks[latch].last);
  });
  if (!follows) return false;
  for (const std::uint32_t b : loop.blocks) {
    for (std::uint32_t i = c.kernel.blocks[b].first; i <= c.kernel.blocks[b].last; ++i)
      if (steps_by_block(values, c.at(i), i)) return true;
  }
  return false;
}

template <typename Wanted>
std::uint32_t first_block_stride_loop(const Case& c, Wanted wanted) {
  if (!is_shape_analysed(c)) return read::kNoIndex;
  const analyze::ThreadValues values(c.kernel, launch_of(c));
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {  // outer loops first
    if (wanted(l) && is_block_stride_loop(c, values, c.kernel.loops[l])) return l;
  }
  return read::kNoIndex;
}

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
  if (!is_shape_analysed(c)) return read::kNoIndex;
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
  if (!is_shape_analysed(c)) return std::nullopt;
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

double block_stride_share(const Case& c) {
  if (!is_shape_analysed(c) || c.blamed.total <= 0) return 0;
  const analyze::ThreadValues values(c.kernel, launch_of(c));
  read::InstructionSet inside(c.size());
  for (const read::Loop& loop : c.kernel.loops) {
    if (!is_block_stride_loop(c, values, loop)) continue;
    for (const std::uint32_t b : loop.blocks) {
      const read::BasicBlock& block = c.kernel.blocks[b];
      std::fill(inside.begin() + block.first, inside.begin() + block.last + 1, std::uint8_t{1});
    }
  }
  double spent = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (inside[i] != 0) spent += c.blamed.total_of(i);
  }
  return spent / c.blamed.total;
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
  if (!is_shape_analysed(c)) return read::kNoIndex;
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
