// What integer instructions make of affine forms: the part of ThreadValues that knows arithmetic.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "analyze/reshape/thread_values.h"
#include "read/isa/traits.h"

namespace burin::analyze {

namespace {

using read::Instruction;
using read::Operand;

}  // namespace

ThreadForm ThreadValues::added(std::uint32_t instruction) const {
  ThreadForm sum = constant_form(0);
  for (const Operand* o : sources(instruction)) {
    const ThreadForm form = read(instruction, *o);
    if (!form.reached) return form;
    sum = form_sum(sum, form, instruction);
  }
  return sum;
}

ThreadForm ThreadValues::multiplied(std::uint32_t instruction) const {
  const std::vector<const Operand*> from = sources(instruction);
  if (from.size() < 3) return all_read(instruction);
  const ThreadForm a = read(instruction, *from[0]);
  const ThreadForm b = read(instruction, *from[1]);
  const ThreadForm c = read(instruction, *from[2]);
  if (!a.reached || !b.reached || !c.reached) return {};
  return form_sum(form_product(a, b, instruction), c, instruction);
}

// The upper word of a 64-bit product and sum: 0 where all parts are small and none is negative, as
// the position is in 64 bits.
ThreadForm ThreadValues::upper_product(std::uint32_t instruction, const ThreadForm& low) const {
  const std::vector<const Operand*> from = sources(instruction);
  if (!low.reached || from.size() < 3) return low.reached ? all_read(instruction) : low;
  constexpr std::uint32_t kSmall = 1 << 15;  // products of two factors do not wrap around
  for (const Operand* o : from) {
    const ThreadForm form = read(instruction, *o);
    const std::optional<Positions::Range> range = form_range(form, positions_);
    const bool third = o == from[2];
    if (!range || range->first < 0 || (!third && form.is_constant() && form.constant >= kSmall))
      return all_read(instruction);
    for (const AxisForm& axis : form.axes) {
      if (std::ranges::any_of(axis.factors, [](std::uint32_t f) { return f >= kSmall; }))
        return all_read(instruction);
    }
  }
  const ThreadForm upper = read(instruction, *from[2], 1);
  const std::optional<Positions::Range> range = form_range(low, positions_);
  const bool zero = upper.is_constant() && upper.constant == 0 && range && range->first >= 0;
  return zero ? constant_form(0) : all_read(instruction);
}

// Of the pair (third, first): left, its lower word; right, its upper word.
ThreadForm ThreadValues::shifted(std::uint32_t instruction) const {
  const Instruction& i = kernel_.instructions[instruction];
  const std::vector<const Operand*> from = sources(instruction);
  if (from.size() < 3 || !i.modifier("xor").empty()) return all_read(instruction);
  const bool left = i.modifier("direction") == "L";
  const bool upper = !i.modifier("hi").empty();
  const ThreadForm by = read(instruction, *from[1]);
  const ThreadForm value = read(instruction, *from[left ? 0 : 2]);
  if (!by.reached || !value.reached) return {};
  if (!by.is_constant() || by.constant > 31 || left == upper) return all_read(instruction);
  if (left) return form_scaled(value, 1u << by.constant);
  const bool is_signed = i.modifier("type") == "S32";
  if (!is_signed && i.modifier("type") != "U32") return all_read(instruction);
  const std::optional<Positions::Range> range = form_range(value, positions_);
  const bool same = range && (range->first >= 0 || is_signed) &&
                    range->first >> by.constant == range->last >> by.constant;
  return same ? constant_form(static_cast<std::uint32_t>(range->first >> by.constant))
              : all_read(instruction);
}

ThreadForm ThreadValues::shifted_and_added(std::uint32_t instruction) const {
  const Instruction& i = kernel_.instructions[instruction];
  const std::vector<const Operand*> from = sources(instruction);
  if (from.size() < 3) return all_read(instruction);
  const ThreadForm a = read(instruction, *from[0]);
  const ThreadForm b = read(instruction, *from[1]);
  const ThreadForm by = read(instruction, *from.back());
  if (!a.reached || !b.reached) return {};
  if (!by.is_constant() || by.constant > 31) return all_read(instruction);
  if (i.modifier("hi").empty()) {
    return form_sum(form_scaled(a, 1u << by.constant), b, instruction);
  }
  // The upper word of a number that is shifted: of a rounding towards zero, mostly.
  const ThreadForm c = from.size() > 3 ? read(instruction, *from[2]) : unknown_form();
  if (!a.is_constant() || !c.is_constant()) return all_read(instruction);
  const std::uint64_t pair = std::uint64_t{c.constant} << 32 | a.constant;
  return form_sum(constant_form(static_cast<std::uint32_t>(pair << by.constant >> 32)), b,
                  instruction);
}

// A value of whose bits only those of `mask` matter: `threadIdx.x & 31`, where blocks are lines of
// whole warps. blockIdx·blockDim and blockDim are multiples of 32 then.
ThreadForm ThreadValues::masked(ThreadForm form, std::uint32_t mask) const {
  if (!whole_warps_) return form;
  const std::uint64_t bits = std::bit_ceil(std::uint64_t{mask} + 1);
  std::array<std::uint32_t, AxisForm::kTerms>& factors = form.axes[0].factors;
  for (const AxisForm::Term term :
       {AxisForm::kThread, AxisForm::kBlockStart, AxisForm::kBlockSize, AxisForm::kThreads}) {
    if (std::uint64_t{factors[term]} * 32 % bits == 0) factors[term] = 0;
  }
  return form;
}

// By a table of eight bits, its index made of one bit of each source. Where a constant has a zero,
// the result may not depend on another source.
ThreadForm ThreadValues::combined_bits(std::uint32_t instruction) const {
  const std::vector<const Operand*> from = sources(instruction);
  if (from.size() != 4 || from[3]->kind != Operand::Kind::kImmediate) return all_read(instruction);
  const auto table = static_cast<unsigned>(from[3]->value);
  std::array<ThreadForm, 3> forms;
  for (unsigned k = 0; k < 3; ++k) forms[k] = read(instruction, *from[k]);
  ThreadForm all = unknown_form();
  for (unsigned k = 0; k < 3; ++k) {
    ThreadForm form = forms[k];
    if (!form.reached) return form;
    for (unsigned m = 0; m < 3; ++m) {
      if (m == k || !forms[m].is_constant()) continue;
      bool ignored = true;  // where the constant's bit is 0
      for (unsigned index = 0; index < 8; ++index) {
        const unsigned flipped = index ^ 4u >> k;
        if ((index & 4u >> m) == 0) ignored &= ((table >> index ^ table >> flipped) & 1) == 0;
      }
      if (ignored) form = masked(form, forms[m].constant);
    }
    all = form_bent(all, form);
  }
  return all;
}

}  // namespace burin::analyze
