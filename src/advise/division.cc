#include "advise/division.h"

#include <algorithm>
#include <set>

#include "analyze/regions.h"

namespace burin {

namespace {

// Who needs what each instruction makes, through registers.
std::vector<std::vector<std::uint32_t>> consumers_of(const Kernel& kernel) {
  std::vector<std::vector<std::uint32_t>> consumers(kernel.instructions.size());
  for (const Dependence& d : kernel.dependences) {
    if (d.kind == Dependence::Kind::kRegister) consumers[d.producer].push_back(d.consumer);
  }
  return consumers;
}

bool is_arithmetic(const Instruction& i) {
  if (!i.known() || i.opcode->loads || i.opcode->stores) return false;
  return i.opcode->pipe == Pipe::kFma || i.opcode->pipe == Pipe::kAlu ||
         i.opcode->pipe == Pipe::kXu;
}

bool is_high_product(const Instruction& i) {
  return i.mnemonic() == "IMAD" && timing_class(i) == TimingClass::kFmaHigh;
}

class DivisionSearch {
 public:
  explicit DivisionSearch(const Case& c) : c_(c), consumers_(consumers_of(c.kernel)) {}

  std::vector<Division> run() {
    for (std::uint32_t i = 0; i < c_.size(); ++i) {
      // Those of 64 bits divide by a reciprocal too, and are found whole.
      if (c_.at(i).mnemonic() == "I2F" && !c_.places.of_compiler(c_.places.function_of(i))) {
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
      if (c_.at(reciprocal).mnemonic() != "MUFU") continue;
      for (const std::uint32_t add : consumers_[reciprocal]) {
        for (const std::uint32_t f2i : consumers_[add]) {
          if (c_.at(f2i).mnemonic() != "F2I") continue;
          Division division{.bits = 32, .site = i2f, .instructions = {i2f, reciprocal, add, f2i}};
          add_quotient(f2i, division);
          found_.push_back(std::move(division));
          return;
        }
      }
    }
  }

  // What follows the reciprocal: products whose high part is the quotient, and its correction,
  // which stands in the line of the last such product.
  void add_quotient(std::uint32_t f2i, Division& division) {
    struct Step {
      std::uint32_t at;
      unsigned products;   // high ones on the way: the reciprocal's own, then the quotient
      unsigned after;      // steps behind the last of them
      std::uint32_t line;  // of that product
    };
    std::vector<Step> open{{f2i, 0, 0, 0}};
    std::set<std::uint32_t> seen(division.instructions.begin(), division.instructions.end());
    while (!open.empty()) {
      const Step step = open.back();
      open.pop_back();
      for (const std::uint32_t next : consumers_[step.at]) {
        const bool high = is_high_product(c_.at(next));
        const std::uint32_t line = line_of(c_.kernel, next).line;
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
    // The first high product makes the reciprocal exact, each other one is a quotient.
    const auto products = std::ranges::count_if(
        division.instructions, [&](std::uint32_t i) { return is_high_product(c_.at(i)); });
    division.quotients = static_cast<unsigned>(std::max<std::ptrdiff_t>(1, products - 1));
    std::ranges::sort(division.instructions);
  }

  // 64 bits: functions that the compiler brought.
  void of_calls() {
    for (std::uint32_t f = 1; f < c_.places.functions(); ++f) {
      const std::string name = c_.places.function_name(f);
      if (!c_.places.of_compiler(f)) continue;
      const bool integer = std::ranges::any_of(
          kCalls, [&](std::string_view part) { return name.find(part) != std::string::npos; });
      if (!integer) continue;
      Division division{.bits = 64, .site = kNoIndex, .instructions = {}};
      for (std::uint32_t i = 0; i < c_.size(); ++i) {
        if (c_.places.function_of(i) == f) division.instructions.push_back(i);
      }
      for (std::uint32_t b = 0; b < c_.kernel.blocks.size() && division.site == kNoIndex; ++b) {
        const BasicBlock& block = c_.kernel.blocks[b];
        if (block.callee == c_.kernel.entries[f]) division.site = block.last;
      }
      if (division.site != kNoIndex) found_.push_back(std::move(division));
    }
  }

  static constexpr unsigned kLongestCorrection = 7;
  static constexpr std::string_view kCalls[] = {"_div_u64", "_div_s64", "_rem_u64", "_rem_s64",
                                                "_div_u16", "_div_s16", "_rem_u16", "_rem_s16"};

  const Case& c_;
  std::vector<std::vector<std::uint32_t>> consumers_;
  std::vector<Division> found_;
};

}  // namespace

std::vector<Division> integer_divisions(const Case& c) {
  return DivisionSearch(c).run();
}

}  // namespace burin
