// Precise functions of CUDA's library where the fast ones would do.
//
// A line that calls them keeps, of its arithmetic, what the fast forms take: of the special
// function unit as much as they need, of the rest the same share everywhere. Slow paths that were
// entered go altogether.
#include <algorithm>
#include <map>
#include <set>

#include "advise/patterns/math_call.h"
#include "advise/rules/all.h"
#include "analyze/regions.h"
#include "base/format.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::uint32_t kReach = 30;  // instructions around a call, without line information
constexpr double kMinKept = 0.02;     // of a line that is left
constexpr double kBeside = 3;         // instructions of a line that uses a function, besides

// What a function's body is made of: arithmetic, and branches around its slow path.
bool is_body(const read::Instruction& i) {
  return i.known() && !i.opcode->loads && !i.opcode->stores &&
         i.opcode->flow != read::Opcode::kExit && i.opcode->flow != read::Opcode::kReturn;
}

// The code of one line, or without line information what stands around a call.
struct MathLine {
  std::vector<std::uint32_t> instructions;
  std::vector<const MathCall*> calls;
  std::vector<std::uint32_t> special;  // that are, or take the place of, MUFU
  double kept_special = 1;             // … of them
  double kept = 1;                     // of its instructions, with fast functions
  double kept_rest = 1;                // … of those that are not `special`
};

// What the fast functions leave of a line. Where the precise ones do without the special function
// unit, instructions of theirs stand for what the fast ones ask of it.
void keep_quick(const Case& c, MathLine& line) {
  double precise = 0;
  double most = 0;
  double quick = 0;
  std::size_t wanted = 0;
  for (const MathCall* call : line.calls) {
    precise += call->precise;
    most += call->most;
    quick += call->quick;
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

using LineKey = std::pair<std::string_view, std::uint32_t>;

std::map<LineKey, MathLine> lines_of(const Case& c, const std::vector<MathCall>& calls) {
  std::map<LineKey, MathLine> lines;
  const auto key = [&](std::uint32_t i) -> LineKey {
    const analyze::SourceLine line = analyze::line_of(c.kernel, i);
    return {line.file, line.line};
  };
  for (const MathCall& call : calls) {
    LineKey at = key(call.at);
    if (at.second == 0) at.second = call.at;  // each call for itself
    lines[at].calls.push_back(&call);
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!is_body(c.at(i)) || !c.executed(i) || c.places.function_of(i) != 0) continue;
    const auto line = lines.find(key(i));
    if (line != lines.end()) line->second.instructions.push_back(i);
  }
  for (auto& [at, line] : lines) {
    const bool unknown = at.first.empty();
    const std::uint32_t first = line.calls[0]->at;
    for (std::uint32_t i = first; unknown && i < c.size() && i < first + kReach; ++i) {
      if (is_body(c.at(i))) line.instructions.push_back(i);
    }
    keep_quick(c, line);
  }
  return lines;
}

class FastMath final : public Rule {
  std::string_view id() const override { return "fast-math"; }
  std::string_view summary() const override { return "stalls in precise math functions"; }

  std::vector<Match> match(const Case& c) const override {
    const std::vector<MathCall> calls = math_calls(c);
    if (calls.empty()) return {};
    const std::map<LineKey, MathLine> lines = lines_of(c, calls);
    std::vector<double> saved(c.size());
    Match match;
    for (const auto& [at, line] : lines) {
      analyze::Edit rest{.kind = analyze::Edit::Kind::kShare,
                         .instructions = read::InstructionSet(c.size()),
                         .value = line.kept_rest};
      analyze::Edit special{.kind = analyze::Edit::Kind::kRetyped,
                            .instructions = read::InstructionSet(c.size()),
                            .to_class = "mufu"};
      for (const std::uint32_t i : line.instructions) {
        rest.instructions[i] = 1;
        saved[i] = 1 - line.kept;
      }
      for (const std::uint32_t i : line.special) {
        rest.instructions[i] = 0;
        special.instructions[i] = 1;
      }
      match.edits.push_back(std::move(rest));
      if (line.kept_special < 1) {
        match.edits.push_back({.kind = analyze::Edit::Kind::kShare,
                               .instructions = special.instructions,
                               .value = line.kept_special});
      }
      match.edits.push_back(std::move(special));
    }
    add_slow_paths(c, saved, match);
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return s.dependency != Dependency::kGlobalMemory && saved[s.waits] > 0;
    });
    if (match.stalls.empty()) return {};
    for (MatchedStall& m : match.stalls) m.weight = saved[c.blamed.stalls[m.stall].waits];
    match.relieves = {machine::Resource::kIssue, machine::Resource::kFma, machine::Resource::kAlu,
                      machine::Resource::kXu, machine::Resource::kFp64};
    tell(c, lines, match);
    return {std::move(match)};
  }

  static void add_slow_paths(const Case& c, std::vector<double>& saved, Match& match) {
    analyze::Edit slow{.kind = analyze::Edit::Kind::kSkipped,
                       .instructions = read::InstructionSet(c.size())};
    bool any = false;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t function = c.places.function_of(i);
      if (function == 0 || !c.places.of_compiler(function) || !c.executed(i)) continue;
      if (c.places.function_name(function).find("_f32") == std::string_view::npos) continue;
      slow.instructions[i] = 1;
      saved[i] = 1;
      any = true;
    }
    if (any) match.edits.push_back(std::move(slow));
  }

  static void tell(const Case& c, const std::map<LineKey, MathLine>& lines, Match& match) {
    std::map<const MathLine*, double> weight;
    for (const MatchedStall& m : match.stalls) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      for (const auto& [at, line] : lines) {
        if (std::ranges::binary_search(line.instructions, s.waits)) {
          weight[&line] += s.cycles.sum() * m.weight;
        }
      }
    }
    const auto most = std::ranges::max_element(weight, {}, [](const auto& w) { return w.second; });
    const MathLine& line = most == weight.end() ? lines.begin()->second : *most->first;
    std::set<std::string> names;
    std::set<std::string> fast;
    for (const MathCall* call : line.calls) {
      names.insert(std::string(name_in(c, *call)));
      fast.insert(std::string(call->fast));
    }
    const std::string place = place_name(c.kernel, line.calls[0]->at);
    match.text = fmt::format("{:.0f} % of the time is spent in the precise version of {} at {}.",
                             100 * share_of(c, match.stalls), fmt::join(names, ", "), place);
    match.hint = fmt::format(
        "If the last few bits do not matter, use {} at {}, or compile with --use_fast_math.",
        fmt::join(fast, ", "), place);
  }

  // Sine and cosine share their code: the source says which it is.
  static std::string_view name_in(const Case& c, const MathCall& call) {
    if (call.name == "/") return "division";
    if (call.name != "sinf") return call.name;
    const std::string source = c.source(call.at);
    for (const std::string_view name : {"sincosf", "cosf", "tanf", "sinf"}) {
      if (source.find(name) != std::string::npos) return name;
    }
    return "sinf or cosf";
  }
};

}  // namespace

const Rule* fast_math() {
  static const FastMath rule;
  return &rule;
}

}  // namespace burin::advise
