#include "advise/patterns/code/loop_values.h"

#include <algorithm>
#include <span>

#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// Whether the result depends only on operands and constant memory.
bool computes(const read::Instruction& i) {
  if (!i.known()) return false;
  const bool constant = i.opcode->loads && i.opcode->space == read::Space::kConstant;
  return constant || i.opcode->pipe == read::Pipe::kUniform || is_arithmetic(i);
}

}  // namespace

bool is_arithmetic(const read::Instruction& i) {
  if (!i.known() || i.opcode->loads || i.opcode->stores) return false;
  return i.opcode->pipe == read::Pipe::kFma || i.opcode->pipe == read::Pipe::kAlu ||
         i.opcode->pipe == read::Pipe::kXu;
}

bool is_integer(const read::Instruction& i) {
  return is_arithmetic(i) && i.opcode->pipe != read::Pipe::kXu &&
         i.opcode->operand_type == read::ValueType::kInteger;
}

std::vector<std::vector<std::uint32_t>> consumers_of(const read::Kernel& kernel) {
  std::vector<std::vector<std::uint32_t>> consumers(kernel.instructions.size());
  for (const read::Dependence& d : kernel.dependences) {
    if (d.kind == read::Dependence::Kind::kRegister) consumers[d.producer].push_back(d.consumer);
  }
  return consumers;
}

LoopValues::LoopValues(const Case& c, std::uint32_t loop)
    : c_(c),
      inside_(c.places.instructions_of_loop(loop)),
      known_on_entry_(c.size(), 1),
      counts_(c.size()) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (inside_[i] == 0) continue;
    counts_[i] = is_counter(i) || is_upper_half(i) ? 1 : 0;
    known_on_entry_[i] = counts_[i];
  }
  // A value that depends on itself other than as a counter is not known on entry.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (inside_[i] != 0) look(i, changed);
    }
  }
}

void LoopValues::look(std::uint32_t i, bool& changed) {
  bool known_on_entry = computes(c_.at(i));
  bool counts = false;
  for (const read::Dependence& d : c_.kernel.dependences_of(i)) {
    if (d.kind != read::Dependence::Kind::kRegister) continue;
    known_on_entry &= known_on_entry_[d.producer] != 0;
    counts |= counts_[d.producer] != 0;
  }
  known_on_entry |= known_on_entry_[i] != 0;
  counts |= counts_[i] != 0;
  changed |= known_on_entry != (known_on_entry_[i] != 0) || counts != (counts_[i] != 0);
  known_on_entry_[i] = known_on_entry ? 1 : 0;
  counts_[i] = counts ? 1 : 0;
}

// The upper half of a counter of 64 bits: it adds a carry alone to its own previous value.
bool LoopValues::is_upper_half(std::uint32_t i) const {
  const read::Instruction& at = c_.at(i);
  // Or 0 * 0 + the value: IMAD.X.
  const bool multiplies =
      is_integer(at) && read::arithmetic_of(at) == read::Arithmetic::kMultiplyAdd;
  const auto reads = std::ranges::count_if(at.operands(), [](const read::Operand& o) {
    return o.is_register(read::RegisterFile::kGeneral) && o.read && !o.written &&
           o.index != read::kZeroRegister;
  });
  if (!read::adds_integers(at) && !(multiplies && reads == 1)) return false;
  bool own = false;
  bool carry = false;
  for (const read::Dependence& d : c_.kernel.dependences_of(i)) {
    if (d.kind != read::Dependence::Kind::kRegister) continue;
    const bool predicate = d.file == read::RegisterFile::kPredicate;
    if (d.producer != i && !predicate && inside_[d.producer] != 0) return false;
    if (predicate && !is_counter(d.producer)) return false;
    own |= d.producer == i;
    carry |= predicate;
  }
  return own && carry;
}

bool LoopValues::is_counter(std::uint32_t i) const {
  const std::span<const read::Dependence> reads = c_.kernel.dependences_of(i);
  const auto own = std::ranges::find(reads, i, &read::Dependence::producer);
  const auto is_number = [](const read::Operand& o) {
    return o.kind == read::Operand::Kind::kImmediate;
  };
  return read::adds_integers(c_.at(i)) && own != reads.end() &&
         std::ranges::any_of(c_.at(i).operands(), is_number) &&
         std::ranges::all_of(reads, [&](const read::Dependence& d) {
           return d.kind != read::Dependence::Kind::kRegister || d.index == own->index;
         });
}

}  // namespace burin::advise
