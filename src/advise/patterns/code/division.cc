#include "advise/patterns/code/division.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/call_site.h"
#include "advise/patterns/code/loop_values.h"
#include "analyze/code/regions.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

bool is_high_product(const read::Instruction& i) {
  return machine::timing_class(i) == machine::TimingClass::kFmaHigh;
}

// I2F only. I2FP conversions come from the source: no division starts with one.
bool is_i2f(const read::Instruction& i) {
  return read::converts(i, read::ValueType::kInteger, read::ValueType::kF32) &&
         i.opcode->pipe == read::Pipe::kXu;
}

bool is_f2i(const read::Instruction& i) {
  return read::converts(i, read::ValueType::kF32, read::ValueType::kInteger) &&
         i.opcode->pipe == read::Pipe::kXu;
}

class DivisionSearch {
 public:
  explicit DivisionSearch(const Case& c)
      : c_(c), origins_(c.kernel), consumers_(consumers_of(c.kernel)) {}

  std::vector<Division> run() {
    for (std::uint32_t i = 0; i < c_.size(); ++i) {
      // 64-bit divisions also use a reciprocal; they are found as calls.
      if (is_i2f(c_.at(i)) && !c_.places.of_compiler(c_.places.function_of(i))) {
        from_conversion(i);
      }
    }
    of_calls();
    return std::move(found_);
  }

 private:
  // I2F, MUFU.RCP, an addition, F2I: the reciprocal of the divisor.
  void from_conversion(std::uint32_t i2f) {
    for (const std::uint32_t reciprocal : consumers_[i2f]) {
      if (!read::has(c_.at(reciprocal), read::Trait::kSpecialFunction)) continue;
      for (const std::uint32_t add : consumers_[reciprocal]) {
        for (const std::uint32_t f2i : consumers_[add]) {
          if (!is_f2i(c_.at(f2i))) continue;
          Division division{.bits = 32, .site = i2f, .instructions = {i2f, reciprocal, add, f2i}};
          add_quotient(f2i, division);
          division.is_signed = has_signs(division);
          look_at_loop(division);
          found_.push_back(std::move(division));
          return;
        }
      }
    }
  }

  // A signed division starts from the absolute values of divisor and dividend.
  bool has_signs(const Division& division) const {
    const auto absolute = [&](std::uint32_t i) {
      return read::arithmetic_of(c_.at(i)) == read::Arithmetic::kAbsolute;
    };
    return std::ranges::any_of(division.instructions, [&](std::uint32_t i) {
      return absolute(i) ||
             std::ranges::any_of(c_.kernel.dependences_of(i), [&](const read::Dependence& d) {
               return d.kind == read::Dependence::Kind::kRegister && absolute(d.producer);
             });
    });
  }

  void look_at_loop(Division& division) {
    const std::uint32_t loop = c_.places.loop_of(division.instructions.back());
    if (loop == read::kNoIndex) return;
    const LoopValues values(c_, loop);
    const std::vector<std::uint32_t>& all = division.instructions;
    division.counted =
        std::ranges::all_of(all, [&](std::uint32_t i) { return values.known_on_entry(i); }) &&
        std::ranges::any_of(all, [&](std::uint32_t i) { return values.counts(i); });
    constexpr Origins::Mask kIds =
        Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ | Origins::kBlock;
    division.by_thread = division.counted && std::ranges::any_of(all, [&](std::uint32_t i) {
                           return (origins_.of(i) & kIds) != 0;
                         });
    if (division.counted) add_following(values, loop, division);
  }

  void add_following(const LoopValues& values, std::uint32_t loop, Division& division) {
    std::vector<std::uint32_t> open = division.instructions;
    std::set<std::uint32_t> seen(open.begin(), open.end());
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t next : consumers_[at]) {
        const bool follows = c_.places.in_loop(next, loop) && is_integer(c_.at(next)) &&
                             values.known_on_entry(next) && !values.is_counter(next);
        if (!follows || !seen.insert(next).second) continue;
        division.following.push_back(next);
        open.push_back(next);
      }
    }
  }

  // Adds the code after the reciprocal: products whose high part is the quotient, and the
  // correction, which is on the source line of the last such product.
  void add_quotient(std::uint32_t f2i, Division& division) {
    struct Step {
      std::uint32_t at;
      unsigned products;   // high products so far: of the reciprocal, then of the quotient
      unsigned after;      // steps after the last high product
      std::uint32_t line;  // source line of that product
    };
    std::vector<Step> open{{f2i, 0, 0, 0}};
    std::set<std::uint32_t> seen(division.instructions.begin(), division.instructions.end());
    while (!open.empty()) {
      const Step step = open.back();
      open.pop_back();
      for (const std::uint32_t next : consumers_[step.at]) {
        const bool high = is_high_product(c_.at(next));
        const std::uint32_t line = analyze::line_of(c_.kernel, next).line;
        if (!is_arithmetic(c_.at(next)) || seen.contains(next)) continue;
        const bool elsewhere = step.line != 0 && step.line != line;
        if (high ? step.products >= 2 && elsewhere
                 : step.after >= kLongestCorrection || elsewhere) {
          continue;
        }
        seen.insert(next);
        division.instructions.push_back(next);
        open.push_back({next, step.products + (high ? 1u : 0u), high ? 0 : step.after + 1,
                        high ? line : step.line});
      }
    }
    // The first high product refines the reciprocal; each further one is a quotient.
    const auto products = std::ranges::count_if(
        division.instructions, [&](std::uint32_t i) { return is_high_product(c_.at(i)); });
    division.quotients = static_cast<unsigned>(std::max<std::ptrdiff_t>(1, products - 1));
    std::ranges::sort(division.instructions);
  }

  // 64-bit divisions are calls of functions added by the compiler.
  void of_calls() {
    for (std::uint32_t f = 1; f < c_.places.functions(); ++f) {
      const std::string name = c_.places.function_name(f);
      if (!c_.places.of_compiler(f)) continue;
      const bool integer = std::ranges::any_of(
          kCalls, [&](std::string_view part) { return name.find(part) != std::string::npos; });
      if (!integer) continue;
      Division division{.bits = 64, .site = read::kNoIndex, .instructions = {}};
      for (std::uint32_t i = 0; i < c_.size(); ++i) {
        if (c_.places.function_of(i) == f) division.instructions.push_back(i);
      }
      add_sites(f, division);
      if (division.site != read::kNoIndex) found_.push_back(std::move(division));
    }
  }

  // The calls of function `f`, most executed first.
  void add_sites(std::uint32_t f, Division& division) {
    const std::map<Register, std::set<std::uint32_t>> arguments = arguments_of(f);
    std::vector<std::uint32_t> calls;
    for (const read::BasicBlock& block : c_.kernel.blocks) {
      if (block.callee == c_.kernel.entries[f]) calls.push_back(block.last);
    }
    std::ranges::stable_sort(calls, std::ranges::greater(),
                             [&](std::uint32_t i) { return c_.blamed.issued[i]; });
    for (const std::uint32_t call : calls) {
      const std::optional<std::uint32_t> product = product_before(call, arguments);
      const bool divides = product && may_have(c_, *product, Construct::kDivision);
      const std::uint32_t site = divides ? *product : call;
      if (division.site == read::kNoIndex) {
        division.site = site;
        division.of_product = product.has_value();
      }
      if (call == calls[0] || c_.executed(call)) division.sites.push_back(site);
    }
  }

  using Register = std::pair<read::RegisterFile, std::uint16_t>;

  // The registers that function `f` takes its arguments in, and the instructions that write them.
  std::map<Register, std::set<std::uint32_t>> arguments_of(std::uint32_t f) const {
    std::map<Register, std::set<std::uint32_t>> arguments;
    for (const read::Dependence& d : c_.kernel.dependences) {
      if (d.kind == read::Dependence::Kind::kRegister && c_.places.function_of(d.consumer) == f &&
          c_.places.function_of(d.producer) != f) {
        arguments[{d.file, d.index}].insert(d.producer);
      }
    }
    return arguments;
  }

  // The 64-bit product that is an argument of the call; the nearest in front of it.
  std::optional<std::uint32_t> product_before(
      std::uint32_t call, const std::map<Register, std::set<std::uint32_t>>& arguments) const {
    for (const auto& [of, writers] : arguments) {
      for (const std::uint32_t writer : last_writers(call, writers)) {
        if (const std::optional<std::uint32_t> product = product_in(writer)) return product;
      }
    }
    return std::nullopt;
  }

  // Which of the instructions are the last on a path to the call.
  std::vector<std::uint32_t> last_writers(std::uint32_t call,
                                          const std::set<std::uint32_t>& writers) const {
    std::vector<std::uint32_t> found;
    std::vector<std::uint32_t> open{c_.kernel.block_of[call]};
    std::set<std::uint32_t> seen;
    while (!open.empty()) {
      const read::BasicBlock& block = c_.kernel.blocks[open.back()];
      open.pop_back();
      auto last = writers.upper_bound(block.last);
      if (last != writers.begin() && *--last >= block.first) {
        found.push_back(*last);
        continue;
      }
      for (const read::Edge& edge : block.predecessors) {
        if (seen.insert(edge.block).second) open.push_back(edge.block);
      }
    }
    return found;
  }

  // The 64-bit product that the value is, or is a half of.
  std::optional<std::uint32_t> product_in(std::uint32_t value) const {
    constexpr int kFar = 3;  // moves and additions of partial products
    std::set<std::uint32_t> seen{value};
    for (int far = 0; far <= kFar; ++far) {
      std::set<std::uint32_t> more;
      for (const std::uint32_t i : seen) {
        if (machine::timing_class(c_.at(i)) == machine::TimingClass::kFmaWide) return i;
        if (!is_arithmetic(c_.at(i)) && !is_move(c_.at(i))) continue;
        for (const read::Dependence& d : c_.kernel.dependences_of(i)) {
          const bool here = c_.places.function_of(d.producer) == c_.places.function_of(value);
          if (d.kind == read::Dependence::Kind::kRegister && here) more.insert(d.producer);
        }
      }
      seen = std::move(more);
    }
    return std::nullopt;
  }

  static constexpr unsigned kLongestCorrection = 7;
  static constexpr std::string_view kCalls[] = {"_div_u64", "_div_s64", "_rem_u64", "_rem_s64",
                                                "_div_u16", "_div_s16", "_rem_u16", "_rem_s16"};

  const Case& c_;
  Origins origins_;
  std::vector<std::vector<std::uint32_t>> consumers_;
  std::vector<Division> found_;
};

const read::Operand* source(const read::Instruction& i, unsigned which) {
  for (const read::Operand& o : i.operands()) {
    const bool value = o.kind == read::Operand::Kind::kConstant ||
                       o.kind == read::Operand::Kind::kFloat ||
                       (o.kind == read::Operand::Kind::kRegister && o.read);
    if (value && which-- == 0) return &o;
  }
  return nullptr;
}

// Whether the operand is invariant in the innermost loop around the instruction.
bool is_invariant(const Case& c, std::uint32_t i, const read::Operand& o) {
  if (o.kind != read::Operand::Kind::kRegister) return true;
  const std::uint32_t around = c.places.loop_of(i);
  const auto constant = [&](const read::Instruction& producer) {
    return producer.known() && producer.opcode->loads &&
           producer.opcode->space == read::Space::kConstant;
  };
  return std::ranges::all_of(c.kernel.dependences_of(i), [&](const read::Dependence& d) {
    const bool of_it =
        d.kind == read::Dependence::Kind::kRegister && d.file == o.file && d.index == o.index;
    return !of_it || !c.places.in_loop(d.producer, around) || constant(c.at(d.producer));
  });
}

bool is_ffma(const read::Instruction& i) {
  return read::arithmetic_of(i) == read::Arithmetic::kMultiplyAdd &&
         i.opcode->operand_type == read::ValueType::kF32;
}

// r ≈ 1/d; s = -d*r + 1; t = r*s + r; q = n*t; e = -d*q + n; q = t*e + q
class FloatDivisionSearch {
 public:
  explicit FloatDivisionSearch(const Case& c) : c_(c), consumers_(consumers_of(c.kernel)) {}

  std::vector<RepeatedDivision> run() {
    std::vector<RepeatedDivision> found;
    for (std::uint32_t i = 0; i < c_.size(); ++i) {
      if (!read::has(c_.at(i), read::Trait::kDivisionCheck) || !c_.executed(i)) continue;
      const read::Operand* divisor = source(c_.at(i), 1);
      if (divisor == nullptr) continue;
      const bool in_loop = c_.places.loop_of(i) != read::kNoIndex && is_invariant(c_, i, *divisor);
      if (!in_loop && !above_too(i, *divisor)) continue;
      RepeatedDivision division{.check = i, .in_loop = in_loop, .needless = {i}};
      if (from_reciprocal(i, *divisor, division)) found.push_back(std::move(division));
    }
    return found;
  }

 private:
  static constexpr std::uint32_t kFar = 40;  // instructions from the reciprocal to the check

  // Whether a dominating division has the same divisor.
  bool above_too(std::uint32_t check, const read::Operand& divisor) {
    if (divisor.kind != read::Operand::Kind::kRegister) return false;
    std::set<std::uint32_t> value;
    for (const read::Dependence& d : c_.kernel.dependences_of(check)) {
      const bool of_it = d.kind == read::Dependence::Kind::kRegister && d.file == divisor.file &&
                         d.index == divisor.index;
      if (of_it) value.insert(d.producer);
    }
    const auto [first, is_new] = first_by_.try_emplace(std::move(value), check);
    return !is_new &&
           c_.kernel.dominates(c_.kernel.block_of[first->second], c_.kernel.block_of[check]);
  }

  bool from_reciprocal(std::uint32_t check, const read::Operand& divisor,
                       RepeatedDivision& division) {
    const std::uint32_t first = check > kFar ? check - kFar : 0;
    const std::uint32_t last = std::min(check + kFar, static_cast<std::uint32_t>(c_.size()) - 1);
    std::uint32_t nearest = read::kNoIndex;
    const auto away = [&](std::uint32_t i) { return i < check ? check - i : i - check; };
    for (std::uint32_t i = first; i <= last; ++i) {
      if (!read::has(c_.at(i), read::Trait::kSpecialFunction)) continue;
      if (c_.places.loop_of(i) != c_.places.loop_of(check)) continue;
      const read::Operand* of = source(c_.at(i), 0);
      if (of == nullptr || of->kind != divisor.kind || of->index != divisor.index) continue;
      if (nearest == read::kNoIndex || away(i) < away(nearest)) nearest = i;
    }
    if (nearest == read::kNoIndex) return false;
    const auto [s, t] = two_steps(nearest);
    if (t == read::kNoIndex) return false;
    const auto [q, corrected] = two_steps(t);
    if (corrected == read::kNoIndex) return false;
    division.needless.insert(division.needless.end(), {nearest, s, t});
    for (const std::uint32_t e : consumers_[q]) {
      if (e != corrected && feeds(e, corrected)) division.needless.push_back(e);
    }
    division.products = {q, corrected};
    return true;
  }

  bool feeds(std::uint32_t producer, std::uint32_t consumer) const {
    return std::ranges::find(consumers_[producer], consumer) != consumers_[producer].end();
  }

  // The first consumer of a value, and the consumer that also needs the first one, directly or
  // through one other instruction.
  std::pair<std::uint32_t, std::uint32_t> two_steps(std::uint32_t value) const {
    for (const std::uint32_t first : consumers_[value]) {
      for (const std::uint32_t second : consumers_[value]) {
        const bool both = is_ffma(c_.at(first)) && is_ffma(c_.at(second));
        if (first != second && both && feeds(first, second)) return {first, second};
      }
    }
    return {read::kNoIndex, read::kNoIndex};
  }

  const Case& c_;
  std::vector<std::vector<std::uint32_t>> consumers_;
  std::map<std::set<std::uint32_t>, std::uint32_t>
      first_by_;  // producers of the divisor → its check
};

}  // namespace

std::vector<RepeatedDivision> repeated_divisions(const Case& c) {
  return FloatDivisionSearch(c).run();
}

std::vector<Division> integer_divisions(const Case& c) {
  return DivisionSearch(c).run();
}

}  // namespace burin::advise
