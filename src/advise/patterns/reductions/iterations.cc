#include "advise/patterns/reductions/iterations.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/reductions/carried.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

bool is_general(const read::Operand& o) {
  return o.kind == read::Operand::Kind::kRegister && o.file == read::RegisterFile::kGeneral;
}

// A move of one register, which every lane makes, also as an addition to zero.
bool moves(const read::Instruction& i) {
  if (!is_arithmetic(i) || i.opcode->pipe == read::Pipe::kXu || !i.guard.always()) return false;
  const read::Arithmetic kind = read::arithmetic_of(i);
  if (kind != read::Arithmetic::kNone && kind != read::Arithmetic::kAdd &&
      kind != read::Arithmetic::kMultiplyAdd) {
    return false;
  }
  const auto reads = std::ranges::count_if(i.operands(), [](const read::Operand& o) {
    return o.read && !o.written && !(is_general(o) && o.index == read::kZeroRegister);
  });
  return reads == 1;
}

// Whether the value is the result of `of` in the iteration before, perhaps moved.
bool comes_from(const Case& c, std::uint32_t loop, std::uint32_t value, std::uint32_t of) {
  std::vector<std::uint32_t> open{value};
  std::set<std::uint32_t> seen{value};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (at == of) return true;
    if (!c.places.in_loop(at, loop) || !moves(c.at(at))) continue;
    for (const read::Dependence& d : c.kernel.dependences_of(at)) {
      if (d.kind != read::Dependence::Kind::kRegister) continue;
      if (seen.insert(d.producer).second) open.push_back(d.producer);
    }
  }
  return false;
}

// Whether the instruction advances an address: what it has of the iteration before is an addend.
bool advances(const Case& c, const Slack& slack, std::uint32_t loop, std::uint32_t instruction) {
  const read::Instruction& at = c.at(instruction);
  if (read::adds_integers(at) || moves(at)) return true;
  const read::Arithmetic kind = read::arithmetic_of(at);
  if (kind != read::Arithmetic::kMultiplyAdd && kind != read::Arithmetic::kShiftAdd) return false;
  const read::Operand* last = nullptr;
  for (const read::Operand& o : at.operands()) {
    if (o.read && !o.written && is_general(o)) last = &o;
  }
  return std::ranges::all_of(c.kernel.dependences_of(instruction), [&](const read::Dependence& d) {
    const bool carried = d.kind == read::Dependence::Kind::kRegister &&
                         d.file == read::RegisterFile::kGeneral &&
                         c.places.in_loop(d.producer, loop) && slack.recurrent(d.producer, loop);
    return !carried ||
           (last != nullptr && d.index >= last->index && d.index < last->index + last->count);
  });
}

}  // namespace

bool iterations_apart(const Case& c, const Slack& slack, std::uint32_t loop) {
  const CarriedValues carried(c, loop);
  if (!carried.only_reductions()) return false;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, loop) || !c.executed(i) || !is_arithmetic(c.at(i))) continue;
    if (carried.values[i] != 0) {
      if (slack.ends(i, loop)) return false;
    } else if (slack.recurrent(i, loop) && !advances(c, slack, loop, i)) {
      return false;
    }
  }
  return true;
}

Step step_of(const Case& c, const Slack& slack, std::uint32_t loop) {
  Step found = Step::kUnknown;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (c.places.loop_of(i) != loop || !read::adds_integers(c.at(i))) continue;
    std::set<std::pair<read::RegisterFile, std::uint16_t>> own;
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      if (d.kind == read::Dependence::Kind::kRegister && comes_from(c, loop, d.producer, i)) {
        own.insert({d.file, d.index});
      }
    }
    if (own.empty() || !slack.ends(i, loop)) continue;
    bool other = std::ranges::any_of(c.at(i).operands(), [](const read::Operand& o) {
      return o.kind == read::Operand::Kind::kConstant;
    });
    bool varies = false;  // from iteration to iteration
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      if (d.kind != read::Dependence::Kind::kRegister || own.contains({d.file, d.index})) continue;
      other = true;
      varies |= c.places.in_loop(d.producer, loop);
    }
    if (!other) return Step::kNumber;
    if (!varies) found = Step::kVariable;
  }
  return found;
}

}  // namespace burin::advise
