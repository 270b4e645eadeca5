#include "analyze/reshape/extra_threads.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "read/isa/traits.h"

namespace burin::analyze {

namespace {

using read::Instruction;
using read::Operand;
using read::RegisterFile;

// What a condition may be for some thread.
struct Condition {
  bool may_hold = false;
  bool may_fail = false;

  Condition operator!() const { return {may_fail, may_hold}; }
  Condition operator|(Condition o) const {
    return {may_hold || o.may_hold, may_fail || o.may_fail};
  }
};
constexpr Condition kHolds{true, false}, kFails{false, true}, kEither{true, true};

Condition both(Condition a, Condition b) {
  return {a.may_hold && b.may_hold, a.may_fail || b.may_fail};
}

// By a table of eight truth values; the first condition is the highest bit of the index.
Condition looked_up(std::uint64_t table, const Condition (&in)[3]) {
  Condition out;
  for (unsigned k = 0; k < 8; ++k) {
    bool possible = true;
    for (unsigned j = 0; j < 3; ++j)
      possible &= (k >> (2 - j) & 1) != 0 ? in[j].may_hold : in[j].may_fail;
    if (possible) (table >> k & 1 ? out.may_hold : out.may_fail) = true;
  }
  return out;
}

Condition combined(std::string_view logic, Condition a, Condition b) {
  if (logic == "AND") return both(a, b);
  if (logic == "OR") return !both(!a, !b);
  return kEither;
}

// The orders in which numbers of two ranges may stand.
struct Order {
  bool less = true;
  bool equal = true;
  bool greater = true;
};

class Walk {
 public:
  Walk(const read::Kernel& kernel, const ThreadValues& values, const Positions& threads)
      : kernel_(kernel), values_(values), threads_(threads), visited_(kernel.blocks.size()) {}

  std::uint32_t first_effect() {
    enter(0);
    while (!open_.empty()) {
      const std::uint32_t block = open_.back();
      open_.pop_back();
      walk(block);
    }
    return effect_;
  }

 private:
  void enter(std::uint32_t block) {
    if (block == read::kNoIndex || visited_[block] != 0) return;
    visited_[block] = 1;
    open_.push_back(block);
  }

  void walk(std::uint32_t number) {
    const read::BasicBlock& block = kernel_.blocks[number];
    if (block.loop != read::kNoIndex || block.unresolved) note(block.first);
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      const Instruction& at = kernel_.instructions[i];
      const Condition executed = executes(i);
      if (!executed.may_hold) continue;
      if (has_effect(at)) note(i);
      if (at.known() && at.opcode->flow == read::Opcode::kExit && !executed.may_fail) return;
    }
    follow(block);
  }

  void follow(const read::BasicBlock& block) {
    const Instruction& last = kernel_.instructions[block.last];
    const bool branch = last.known() && last.opcode->flow == read::Opcode::kBranch;
    const Condition taken = branch ? executes(block.last) : kEither;
    for (const read::Edge& edge : block.successors) {
      const bool jump = edge.kind == read::Edge::Kind::kBranch;
      if (branch && jump && !taken.may_hold) continue;
      if (branch && edge.kind == read::Edge::Kind::kFallThrough && !taken.may_fail) continue;
      enter(edge.block);
    }
    enter(block.callee);
  }

  static bool has_effect(const Instruction& i) {
    if (!i.known() || i.opcode->flow == read::Opcode::kTrap) return true;
    if (read::is_synchronization(i) || read::has(i, read::Trait::kCrossLane)) return true;
    const bool memory = i.opcode->loads || i.opcode->stores;
    return memory && i.opcode->space != read::Space::kConstant &&
           i.opcode->space != read::Space::kLocal;
  }

  void note(std::uint32_t instruction) { effect_ = std::min(effect_, instruction); }

  // The guard, and the predicate that a branch or exit may have besides.
  Condition executes(std::uint32_t instruction) {
    const Instruction& i = kernel_.instructions[instruction];
    Condition condition = kHolds;
    if (i.guard.index != read::kZeroRegister) {
      condition = read(instruction,
                       i.guard.uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate,
                       i.guard.index);
    }
    if (i.guard.negated) condition = !condition;
    if (!i.known() || i.opcode->flow == read::Opcode::kNext) return condition;
    for (const Operand& o : i.operands()) {
      if (is_predicate(o) && !o.written) condition = both(condition, read(instruction, o));
      if (o.is_register(RegisterFile::kUniform)) condition = condition | kFails;
    }
    return condition;
  }

  static bool is_predicate(const Operand& o) {
    return o.is_register(RegisterFile::kPredicate) ||
           o.is_register(RegisterFile::kUniformPredicate);
  }

  Condition read(std::uint32_t instruction, const Operand& o) {
    const Condition condition = is_predicate(o) ? read(instruction, o.file, o.index) : kEither;
    return o.inverted ? !condition : condition;
  }

  // Of all definitions that reach the instruction. A guarded one may leave the earlier value, which
  // then is among them.
  Condition read(std::uint32_t instruction, RegisterFile file, std::uint16_t index) {
    if (index == read::kZeroRegister) return kHolds;
    if (std::ranges::binary_search(kernel_.partial, instruction)) return kEither;
    Condition condition;
    for (const read::Dependence& d : kernel_.dependences_of(instruction)) {
      if (d.kind != read::Dependence::Kind::kRegister || d.file != file || d.index != index)
        continue;
      condition = condition | defined(d.producer, file, index);
    }
    return condition.may_hold || condition.may_fail ? condition : kEither;
  }

  Condition defined(std::uint32_t instruction, RegisterFile file, std::uint16_t index) {
    const Instruction& i = kernel_.instructions[instruction];
    const std::span<const Operand> operands = i.operands();
    const auto is_result = [&](const Operand& o) {
      return o.written && o.is_register(file) && o.index == index;
    };
    const bool second = operands.size() > 1 && !is_result(operands[0]) && is_result(operands[1]);
    if (!second && (operands.empty() || !is_result(operands[0]))) return kEither;
    const auto [known, is_new] = conditions_.try_emplace({instruction, second}, kEither);
    if (!is_new) return known->second;
    if (depth_ == kDeepest) return kEither;
    ++depth_;  // a cycle ends at the entry above
    known->second = evaluate(instruction, second);
    --depth_;
    return known->second;
  }

  Condition evaluate(std::uint32_t instruction, bool second) {
    const Instruction& i = kernel_.instructions[instruction];
    const std::span<const Operand> operands = i.operands();
    const bool integers = i.known() && i.opcode->operand_type == read::ValueType::kInteger;
    if (integers && read::has(i, read::Trait::kCompare) && operands.size() >= 5) {
      const Condition compared = compare(instruction);
      return combined(i.modifier("logic"), second ? !compared : compared,
                      read(instruction, operands[4]));
    }
    if (read::arithmetic_of(i) == read::Arithmetic::kLogic && operands.size() == 7 &&
        is_predicate(operands[2])) {
      const Condition in[3] = {read(instruction, operands[2]), read(instruction, operands[3]),
                               read(instruction, operands[4])};
      return looked_up(static_cast<std::uint64_t>(operands[second ? 6 : 5].value), in);
    }
    return kEither;
  }

  Condition compare(std::uint32_t instruction) {
    const Instruction& i = kernel_.instructions[instruction];
    const Order order = order_of(instruction, !i.modifier("u32").empty());
    const std::string_view how = i.modifier("compare");
    Condition out;
    const auto take = [&](bool possible, bool result) {
      if (possible) (result ? out.may_hold : out.may_fail) = true;
    };
    take(order.less, how == "LT" || how == "LE" || how == "NE" || how == "T");
    take(order.greater, how == "GT" || how == "GE" || how == "NE" || how == "T");
    if (i.modifier("ex").empty()) {
      take(order.equal, how == "EQ" || how == "LE" || how == "GE" || how == "T");
    } else if (order.equal) {  // the upper words are equal: the lower ones have decided
      out = out | (i.operands().size() > 5 ? read(instruction, i.operands()[5]) : kEither);
    }
    return out;
  }

  Order order_of(std::uint32_t instruction, bool is_unsigned) const {
    const Instruction& i = kernel_.instructions[instruction];
    const auto range = [&](const Operand& o) {
      std::optional<Positions::Range> r = range_of(instruction, o);
      if (!r || !is_unsigned || r->first >= 0) return r;
      if (r->last >= 0) return std::optional<Positions::Range>{};
      return std::optional<Positions::Range>{{r->first + kTwo32, r->last + kTwo32}};
    };
    const std::optional<Positions::Range> a = range(i.operands()[2]);
    const std::optional<Positions::Range> b = range(i.operands()[3]);
    if (!a || !b) return {};
    return {.less = a->first < b->last,
            .equal = a->first <= b->last && b->first <= a->last,
            .greater = a->last > b->first};
  }

  // Of an affine value, or of one that is shifted right: `position / 32`.
  std::optional<Positions::Range> range_of(std::uint32_t instruction, const Operand& o) const {
    const ThreadForm form = values_.read(instruction, o);
    if (form.known) return form_range(form, threads_);
    const std::uint32_t shift = only_producer(instruction, o);
    if (shift == read::kNoIndex) return std::nullopt;
    const Instruction& i = kernel_.instructions[shift];
    const std::span<const Operand> operands = i.operands();
    const bool right = read::arithmetic_of(i) == read::Arithmetic::kShift &&
                       i.modifier("direction") == "R" && !i.modifier("hi").empty() &&
                       i.modifier("type").ends_with("32") && i.guard.always();
    if (!right || operands.size() != 4) return std::nullopt;
    const ThreadForm by = values_.read(shift, operands[2]);
    const std::optional<Positions::Range> r =
        form_range(values_.read(shift, operands[3]), threads_);
    if (!r || r->first < 0 || !by.is_constant() || by.constant > 31) return std::nullopt;
    return Positions::Range{r->first >> by.constant, r->last >> by.constant};
  }

  // The one instruction that gives the operand its value; kNoIndex: there are others.
  std::uint32_t only_producer(std::uint32_t instruction, const Operand& o) const {
    std::uint32_t producer = read::kNoIndex;
    if (o.kind != Operand::Kind::kRegister || o.negated || o.inverted || o.absolute)
      return producer;
    for (const read::Dependence& d : kernel_.dependences_of(instruction)) {
      if (d.kind != read::Dependence::Kind::kRegister || d.file != o.file || d.index != o.index)
        continue;
      if (producer != read::kNoIndex) return read::kNoIndex;
      producer = d.producer;
    }
    return producer;
  }

  static constexpr std::size_t kDeepest = 64;  // conditions that depend on one another
  static constexpr std::int64_t kTwo32 = std::int64_t{1} << 32;

  const read::Kernel& kernel_;
  const ThreadValues& values_;
  const Positions& threads_;
  std::vector<std::uint8_t> visited_;  // per block
  std::vector<std::uint32_t> open_;    // blocks
  std::size_t depth_ = 0;
  std::map<std::pair<std::uint32_t, bool>, Condition> conditions_;
  std::uint32_t effect_ = read::kNoIndex;
};

}  // namespace

std::uint32_t first_effect(const read::Kernel& kernel, const ThreadValues& values,
                           const Positions& threads) {
  return Walk(kernel, values, threads).first_effect();
}

}  // namespace burin::analyze
