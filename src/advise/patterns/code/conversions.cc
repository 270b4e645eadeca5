#include "advise/patterns/code/conversions.h"

#include <algorithm>
#include <set>
#include <vector>

#include "advise/patterns/code/call_site.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/math_call.h"
#include "analyze/code/regions.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

bool is_type_conversion(const read::Instruction& instruction) {
  if (!instruction.known()) return false;
  const machine::TimingClass c = machine::timing_class(instruction);
  if (c == machine::TimingClass::kConvert64) return !read::converts_between_floats(instruction);
  return c == machine::TimingClass::kConvert;
}

bool opposite(const read::Instruction& a, const read::Instruction& b) {
  return read::is_conversion(a) && read::is_conversion(b) &&
         a.opcode->operand_type != a.opcode->result_type &&
         a.opcode->operand_type == b.opcode->result_type &&
         a.opcode->result_type == b.opcode->operand_type;
}

class ConversionSearch {
 public:
  explicit ConversionSearch(const Case& c) : c_(c), consumers_(consumers_of(c.kernel)) {
    for (const MathCall& call : math_calls(c)) math_lines_.insert(line_at(call.at));
  }

  read::InstructionSet run() {
    read::InstructionSet found(c_.size());
    for (std::uint32_t i = 0; i < c_.size(); ++i) {
      if (!may_go(i)) continue;
      if (is_same_in_loop(i)) found[i] = 1;
      const std::vector<std::uint32_t> back = converted_back(i);
      if (back.empty()) continue;
      found[i] = 1;
      for (const std::uint32_t b : back) found[b] = 1;
    }
    return found;
  }

 private:
  using Line = std::pair<std::string_view, std::uint32_t>;

  Line line_at(std::uint32_t i) const {
    const analyze::SourceLine line = analyze::line_of(c_.kernel, i);
    return {line.file, line.line};
  }

  // Functions of the math library round a float to an integer and convert that back; those in
  // double precision do so with doubles.
  bool may_go(std::uint32_t i) const {
    return is_type_conversion(c_.at(i)) && c_.executed(i) &&
           !c_.places.of_compiler(c_.places.function_of(i)) &&
           machine::timing_class(c_.at(i)) != machine::TimingClass::kConvert64 &&
           !math_lines_.contains(line_at(i));
  }

  bool is_same_in_loop(std::uint32_t i) const {
    const std::uint32_t loop = c_.places.loop_of(i);
    if (loop == read::kNoIndex) return false;
    return std::ranges::none_of(c_.kernel.dependences_of(i), [&](const read::Dependence& d) {
      return d.kind == read::Dependence::Kind::kRegister && c_.places.in_loop(d.producer, loop);
    });
  }

  // The conversions back, if nothing else uses the result. Empty if something does.
  std::vector<std::uint32_t> converted_back(std::uint32_t i) const {
    std::vector<std::uint32_t> back;
    std::vector<std::uint32_t> open{i};
    std::set<std::uint32_t> seen;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t next : consumers_[at]) {
        if (!seen.insert(next).second) continue;
        if (is_move(c_.at(next))) {
          open.push_back(next);
        } else if (opposite(c_.at(i), c_.at(next))) {
          back.push_back(next);
        } else {
          return {};
        }
      }
    }
    return back;
  }

  const Case& c_;
  std::vector<std::vector<std::uint32_t>> consumers_;
  std::set<Line> math_lines_;
};

}  // namespace

read::InstructionSet needless_conversions(const Case& c) {
  return ConversionSearch(c).run();
}

}  // namespace burin::advise
