#include "advise/patterns/reductions/carried.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/loop_values.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// Operations whose results can be combined in any order; of a multiply-add, the addend.
constexpr std::array<std::string_view, 16> kCombine = {
    "FADD", "FFMA",  "FMNMX", "DADD",  "DFMA",   "DMNMX", "HADD2", "HFMA2",
    "IADD", "IADD3", "VIADD", "IMNMX", "VIMNMX", "IMAD",  "LOP3",  "POPC"};

// Instructions that keep the better of two values, and an index that belongs to it.
constexpr std::array<std::string_view, 3> kCompare = {"FSETP", "ISETP", "DSETP"};
constexpr std::array<std::string_view, 3> kSelect = {"SEL", "FSEL", "MOV"};

bool is_one_of(const read::Instruction& i, std::span<const std::string_view> names) {
  return i.known() && std::ranges::find(names, i.opcode->mnemonic) != names.end();
}

bool combines(const read::Instruction& i) {
  return is_one_of(i, kCombine);
}

bool multiplies(const read::Instruction& i) {
  return read::arithmetic_of(i) == read::Arithmetic::kMultiplyAdd;
}

// Whether the value enters as a factor of a multiply-add, not as the addend.
bool is_factor(const read::Instruction& consumer, const read::Dependence& d) {
  if (!multiplies(consumer)) return false;
  // x * 1 + y is an addition that the compiler gives to the multiply-add unit.
  const bool adds = std::ranges::any_of(consumer.operands(), [](const read::Operand& o) {
    return o.kind == read::Operand::Kind::kImmediate && o.value == 1;
  });
  if (adds) return false;
  const read::Operand* last = nullptr;
  unsigned uses = 0;
  for (const read::Operand& o : consumer.operands()) {
    const bool source = o.read && !o.written && o.file == read::RegisterFile::kGeneral &&
                        o.kind == read::Operand::Kind::kRegister;
    if (!o.written && o.file == read::RegisterFile::kGeneral) last = &o;
    uses += source && d.index >= o.index && d.index < o.index + o.count ? 1 : 0;
  }
  const bool addend = last != nullptr && last->kind == read::Operand::Kind::kRegister &&
                      d.index >= last->index && d.index < last->index + last->count;
  return !addend || uses > 1;
}

enum class Combines : std::uint8_t { kNeither, kSum, kExtremum, kBoth };

Combines kind_of(const read::Instruction& i) {
  if (read::is_extremum_of_sum(i)) return Combines::kBoth;
  if (read::is_extremum(i)) return Combines::kExtremum;
  const read::Arithmetic kind = read::arithmetic_of(i);
  const bool adds = kind == read::Arithmetic::kAdd || kind == read::Arithmetic::kMultiplyAdd;
  return adds && combines(i) ? Combines::kSum : Combines::kNeither;
}

bool alternate(Combines a, Combines b) {
  return (a == Combines::kSum && b == Combines::kExtremum) ||
         (a == Combines::kExtremum && b == Combines::kSum);
}

using ConsumerLists = std::vector<std::vector<std::uint32_t>>;

// What is computed from some instructions of the loop within an iteration or later ones, also
// through addresses of loads.
template <typename From>
read::InstructionSet reached_from(const Case& c, std::uint32_t loop, const ConsumerLists& consumers,
                                  From from) {
  read::InstructionSet seen(c.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (c.places.in_loop(i, loop) && from(i)) open.push_back(i);
  }
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const std::uint32_t next : consumers[at]) {
      if (seen[next] != 0 || !c.places.in_loop(next, loop)) continue;
      seen[next] = 1;
      open.push_back(next);
    }
  }
  return seen;
}

// Whether threads of the block pass a carried value on through shared memory within the loop, and
// take it into their own: other threads need the result of each iteration.
bool passes_on(const Case& c, std::uint32_t loop, const ConsumerLists& consumers,
               const read::InstructionSet& from_values, const read::InstructionSet& values) {
  const read::InstructionSet from_shared = reached_from(c, loop, consumers, [&](std::uint32_t i) {
    return touches_shared(c.at(i)) && c.at(i).opcode->loads;
  });
  bool stored = false;
  bool taken = false;
  bool meets = false;  // at a barrier; without one, a thread reads what it wrote itself
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    stored |= from_values[i] != 0 && touches_shared(c.at(i)) && read::is_plain_store(c.at(i));
    taken |= from_shared[i] != 0 && values[i] != 0;
    meets |= c.places.in_loop(i, loop) && read::sync_of(c.at(i)) == read::Sync::kBlockBarrier;
  }
  return stored && taken && meets;
}

// Whether the index of the best element so far is carried, and that element is loaded again to
// compare it with the one of this iteration.
bool keeps_best_index(const Case& c, std::uint32_t loop, const read::InstructionSet& from_values,
                      const read::InstructionSet& values) {
  bool compares = false;
  bool selects = false;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    selects |= values[i] != 0 && is_one_of(c.at(i), kSelect);
    if (!c.places.in_loop(i, loop) || !is_one_of(c.at(i), kCompare)) continue;
    bool best = false;
    bool other = false;
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      if (d.kind != read::Dependence::Kind::kRegister || !c.places.in_loop(d.producer, loop))
        continue;
      const bool loads = c.at(d.producer).known() && c.at(d.producer).opcode->loads;
      best |= loads && from_values[d.producer] != 0;
      other |= loads && from_values[d.producer] == 0;
    }
    compares |= best && other;
  }
  return compares && selects;
}

}  // namespace

CarriedValues::CarriedValues(const Case& c, std::uint32_t loop) : values(c.size()) {
  const Origins origins(c.kernel);
  const LoopValues known(c, loop);
  const ConsumerLists consumers = consumers_of(c.kernel);
  const auto recurs = [&](std::uint32_t from) {
    std::vector<std::uint32_t> open{from};
    read::InstructionSet seen(c.size());
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t next : consumers[at]) {
        if (next == from) return true;
        if (seen[next] != 0 || !c.places.in_loop(next, loop)) continue;
        seen[next] = 1;
        open.push_back(next);
      }
    }
    return false;
  };
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, loop) || !c.executed(i) || !is_arithmetic(c.at(i))) continue;
    // Counters add a constant each time, or do not depend on loaded values.
    const bool counter = known.known_on_entry(i) || (read::float_operations(c.at(i)) == 0 &&
                                                     (origins.of(i) & Origins::kLoaded) == 0);
    if (!counter && recurs(i)) values[i] = 1;
  }
  // Whether the best value so far is compared with a value loaded in this iteration.
  const auto compares_best = [&](std::uint32_t i) {
    if (!c.places.in_loop(i, loop) || !is_one_of(c.at(i), kCompare)) return false;
    bool best = values[i] != 0;
    bool loaded = false;
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      if (d.kind != read::Dependence::Kind::kRegister) continue;
      best |= values[d.producer] != 0;
      loaded |= values[d.producer] == 0 && (origins.of(d.producer) & Origins::kLoaded) != 0;
    }
    return best && loaded;
  };
  for (std::uint32_t i = 0; i < c.size(); ++i) chooses_ |= compares_best(i);
  const read::InstructionSet spills = spills_in(c.kernel);
  const read::InstructionSet from_values =
      reached_from(c, loop, consumers, [&](std::uint32_t i) { return values[i] != 0; });
  const bool best_index = keeps_best_index(c, loop, from_values, values);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (values[i] == 0) continue;
    any_ = true;
    const bool best = compares_best(i);
    if (!combines(c.at(i)) && !best && !(chooses_ && is_one_of(c.at(i), kSelect))) {
      only_reductions_ = false;
    }
    in_order_ |= kind_of(c.at(i)) == Combines::kBoth;
    for (const std::uint32_t next : consumers[i]) {
      if (!c.places.in_loop(next, loop) || values[next] != 0) continue;
      if (best && !c.at(next).opcode->stores) continue;  // also decides whether the index is kept
      if (compares_best(next)) continue;
      only_reductions_ = false;
      in_order_ |= c.at(next).opcode->stores && c.at(next).opcode->space == read::Space::kLocal &&
                   spills[next] == 0;
    }
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      const bool carried = d.kind == read::Dependence::Kind::kRegister && values[d.producer] != 0;
      if (!carried) continue;
      in_order_ |= alternate(kind_of(c.at(d.producer)), kind_of(c.at(i)));
      if (!is_factor(c.at(i), d)) continue;
      only_reductions_ = false;
      in_order_ |= !(best_index && is_integer(c.at(i)));  // the address of the best element
    }
  }
  if (any_ && passes_on(c, loop, consumers, from_values, values)) {
    only_reductions_ = false;
    in_order_ = true;
  }
}

}  // namespace burin::advise
