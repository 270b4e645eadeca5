#include "advise/patterns/code/math_line.h"

#include <algorithm>

#include "analyze/code/regions.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::uint32_t kReach = 30;  // instructions around a call, without line information
constexpr double kMinKept = 0.02;     // minimum fraction of a line that remains
constexpr double kBeside = 3;         // other instructions of a line that calls a function

// Instructions of a function body: arithmetic, and branches around its slow path.
bool is_body(const read::Instruction& i) {
  return i.known() && !i.opcode->loads && !i.opcode->stores &&
         i.opcode->flow != read::Opcode::kExit && i.opcode->flow != read::Opcode::kReturn;
}

// Double-precision arithmetic and conversions do not belong to a float function, except in the
// range reduction of large arguments of sine and cosine.
bool is_of_doubles(const read::Instruction& i) {
  if (machine::timing_class(i) == machine::TimingClass::kFp64) return true;
  return read::converts_between_floats(i) &&
         (i.modifier("to") == "F64" || i.modifier("from") == "F64");
}

// Sets what the fast functions leave of a line. If the precise functions do not use the special
// function unit, some of their instructions represent those of the fast functions on that unit.
void keep_quick(const Case& c, bool flushing, MathLine& line) {
  double precise = 0;
  double most = 0;
  double quick = 0;
  std::size_t wanted = 0;
  for (const MathCall* call : line.calls) {
    precise += call->precise;
    most += call->most;
    quick += call->quick + (flushing ? 0 : call->scaling);
    wanted += call->special;
  }
  const auto all = static_cast<double>(line.instructions.size());
  for (const std::uint32_t i : line.instructions) {
    if (read::has(c.at(i), read::Trait::kSpecialFunction)) line.special.push_back(i);
  }
  for (const MathCall* call : line.calls) {
    if (line.special.size() >= wanted) break;
    const auto at = std::ranges::find(line.instructions, call->at);
    if (call->special > 0 && at != line.instructions.end()) line.special.push_back(*at);
  }
  const auto special = static_cast<double>(std::min(wanted, line.special.size()));
  if (line.special.size() > wanted) {
    line.kept_special = std::max(kMinKept, special / static_cast<double>(line.special.size()));
  }
  const double left = std::max(0.0, all - std::clamp(all - kBeside, precise, most)) + quick;
  line.kept = std::clamp(left / std::max(all, 1.0), kMinKept, 1.0);
  const double rest = all - static_cast<double>(line.special.size());
  line.kept_rest = std::clamp((left - special) / std::max(rest, 1.0), kMinKept, 1.0);
}

}  // namespace

std::map<MathPlace, MathLine> math_lines(const Case& c, std::span<const MathCall> calls,
                                         bool flushing) {
  std::map<MathPlace, MathLine> lines;
  const auto key = [&](std::uint32_t i) -> MathPlace {
    const analyze::SourceLine line = analyze::line_of(c.kernel, i);
    return {line.file, line.line};
  };
  for (const MathCall& call : calls) {
    MathPlace at = key(call.at);
    if (at.second == 0) at.second = call.at;  // one entry per call
    lines[at].calls.push_back(&call);
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!is_body(c.at(i)) || !c.executed(i) || c.places.function_of(i) != 0) continue;
    const auto line = lines.find(key(i));
    if (line == lines.end()) continue;
    const bool reduces = std::ranges::any_of(
        line->second.calls, [](const MathCall* call) { return call->name == "sinf"; });
    if (reduces || !is_of_doubles(c.at(i))) line->second.instructions.push_back(i);
  }
  for (auto& [at, line] : lines) {
    const bool unknown = at.first.empty();
    const std::uint32_t first = line.calls[0]->at;
    for (std::uint32_t i = first; unknown && i < c.size() && i < first + kReach; ++i) {
      if (is_body(c.at(i))) line.instructions.push_back(i);
    }
    keep_quick(c, flushing, line);
  }
  return lines;
}

void add_edits(const Case& c, const MathLine& line, std::vector<analyze::Edit>& edits) {
  analyze::Edit rest{.kind = analyze::Edit::Kind::kShare,
                     .instructions = read::InstructionSet(c.size()),
                     .value = line.kept_rest};
  analyze::Edit special{.kind = analyze::Edit::Kind::kRetyped,
                        .instructions = read::InstructionSet(c.size()),
                        .to_class = "mufu"};
  for (const std::uint32_t i : line.instructions) rest.instructions[i] = 1;
  for (const BlamedStall& s : c.blamed.stalls) {
    if (s.dependency == Dependency::kGlobalMemory) rest.instructions[s.waits] = 0;
  }
  for (const std::uint32_t i : line.special) {
    rest.instructions[i] = 0;
    special.instructions[i] = 1;
  }
  edits.push_back(std::move(rest));
  if (line.kept_special < 1) {
    edits.push_back({.kind = analyze::Edit::Kind::kShare,
                     .instructions = special.instructions,
                     .value = line.kept_special});
  }
  edits.push_back(std::move(special));
}

}  // namespace burin::advise
