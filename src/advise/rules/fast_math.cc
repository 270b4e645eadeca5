// Precise functions of CUDA's math library, with fast functions as the alternative.
//
// A line that calls them keeps the amount of arithmetic that the fast forms need: the exact number
// of special-function instructions, and the same share of all other instructions. Slow paths and
// the branches around them disappear. The compiler can then interleave the copies of an unrolled
// loop, or unroll a loop that it had not unrolled, so that the copies fill each other's waits. If a
// loop stores to memory that its loads may read, no load moves above the preceding store.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "advise/case/estimate.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/denormal_tests.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/math_call.h"
#include "advise/patterns/code/math_line.h"
#include "advise/patterns/code/needless.h"
#include "advise/patterns/code/opened_code.h"
#include "advise/rules/all.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kJoined = 0.9;        // of the wait for a load that is issued with an earlier one
constexpr double kWorksInLoops = 0.9;  // of the instructions
constexpr double kMinTold = 0.01;      // of warp time, for a part to be told
constexpr std::size_t kNamedNext = 2;  // further lines that the text names
constexpr double kMinOfFirst = 0.3;    // … with at least this part of the time of the first
constexpr std::string_view kAllFast = "--use_fast_math";  // … and flushes denormals to zero

class FastMath final : public Rule {
  std::string_view id() const override { return "fast-math"; }
  std::string_view summary() const override { return "stalls in precise math functions"; }

  std::vector<Match> match(const Case& c) const override {
    const std::vector<MathCall> calls = calls_that_count(c);
    if (calls.empty()) return {};
    const std::string_view flag = flag_for(c, calls);
    const bool flushing = flag == kAllFast;
    const std::map<MathPlace, MathLine> lines = math_lines(c, calls, flushing);
    std::vector<double> saved(c.size());
    analyze::Edit checks{.kind = analyze::Edit::Kind::kSkipped,
                         .instructions = read::InstructionSet(c.size())};
    Match match;
    for (const auto& [at, line] : lines) {
      for (const std::uint32_t i : line.instructions) saved[i] = 1 - line.kept;
      add_edits(c, line, match.edits);
      // Fast divisions have no slow path, so all of the tests disappear, including those on the
      // special function unit.
      for (const std::uint32_t i : line.instructions) {
        if (read::has(c.at(i), read::Trait::kDivisionCheck)) checks.instructions[i] = 1;
      }
    }
    match.edits.push_back(std::move(checks));
    add_slow_paths(c, saved, match);
    // If flushing gains more than the functions, it is advice of its own: flush-denormals.
    const read::InstructionSet all_tests = denormal_tests(c);
    const bool tells_tests = flushing && !gains_by_flushing(c, all_tests);
    read::InstructionSet tests(c.size());
    if (tells_tests) tests = add_denormal_tests(all_tests, saved, match);
    const OpenedCode opened(c, lines);
    add_overlap(c, opened, match);
    const auto weight = [&](const BlamedStall& s) {
      const bool load = s.dependency == Dependency::kGlobalMemory;
      if (load && opened.joins(s.cause)) return kJoined;
      return load ? 1 - 1 / opened.copies(s.cause) : saved[s.waits];
    };
    match.stalls = stalls_where(c, [&](const BlamedStall& s) { return weight(s) > 0; });
    if (match.stalls.empty()) return {};
    for (MatchedStall& m : match.stalls) m.weight = weight(c.blamed.stalls[m.stall]);
    match.relieves = {machine::Resource::kIssue, machine::Resource::kFma, machine::Resource::kAlu,
                      machine::Resource::kXu, machine::Resource::kFp64};
    match.counts_issue = true;
    describe(c, lines, flag, tests, match);
    return {std::move(match)};
  }

  // Without calls outside loops, if the kernel works in loops: what they take is the start of the
  // launch, when all warps come to them at the same time.
  static std::vector<MathCall> calls_that_count(const Case& c) {
    double all = 0;
    double in_loops = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      all += c.blamed.issued[i];
      if (c.places.loop_of(i) != read::kNoIndex) in_loops += c.blamed.issued[i];
    }
    std::vector<MathCall> calls = math_calls(c);
    if (in_loops < kWorksInLoops * all) return calls;
    std::erase_if(calls, [&](const MathCall& call) {
      return c.places.function_of(call.at) == 0 && c.places.loop_of(call.at) == read::kNoIndex;
    });
    return calls;
  }

  static void add_slow_paths(const Case& c, std::vector<double>& saved, Match& match) {
    analyze::Edit slow{.kind = analyze::Edit::Kind::kSkipped,
                       .instructions = read::InstructionSet(c.size())};
    bool any = false;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!OpenedCode::is_slow_path(c, c.places.function_of(i)) || !c.executed(i)) continue;
      slow.instructions[i] = 1;
      saved[i] = 1;
      any = true;
    }
    if (any) match.edits.push_back(std::move(slow));
  }

  // --use_fast_math flushes denormals to zero. Tests for denormals disappear, also around calls of
  // fast functions in the source.
  static read::InstructionSet add_denormal_tests(read::InstructionSet tests,
                                                 std::vector<double>& saved, Match& match) {
    for (std::uint32_t i = 0; i < tests.size(); ++i) {
      if (saved[i] > 0) tests[i] = 0;  // counted with its line
      if (tests[i] != 0) saved[i] = 1;
    }
    match.edits.push_back({.kind = analyze::Edit::Kind::kSkipped, .instructions = tests});
    return tests;
  }

  // Without the branches, the waits for copies of a load or result overlap.
  static void add_overlap(const Case& c, const OpenedCode& opened, Match& match) {
    match.edits.push_back({.kind = analyze::Edit::Kind::kSkipped, .instructions = opened.gone});
    if (c.study == nullptr) return;
    analyze::Edit joined{.kind = analyze::Edit::Kind::kHidden,
                         .instructions = read::InstructionSet(c.size())};
    for (std::uint32_t i = 0; i < c.size(); ++i) joined.instructions[i] = opened.joins(i) ? 1 : 0;
    match.edits.push_back(std::move(joined));
    std::map<double, read::InstructionSet> earlier;  // by cycles
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool load = touches_global(c.at(i)) && c.at(i).opcode->loads;
      const bool shared = touches_shared(c.at(i)) && c.at(i).opcode->loads;
      if (opened.joins(i) || opened.copies(i) <= 1 || (!load && !shared && !is_arithmetic(c.at(i))))
        continue;
      const double latency = load     ? latency_of(*c.study, i)
                             : shared ? c.machine.shared.latency
                                      : c.machine.of(machine::timing_class(c.at(i))).latency;
      const double cycles = std::round(latency * (1 - 1 / opened.copies(i)));
      if (cycles < 1) continue;
      read::InstructionSet& set = earlier[cycles];
      set.resize(c.size());
      set[i] = 1;
    }
    for (auto& [cycles, set] : earlier) {
      match.edits.push_back(
          {.kind = analyze::Edit::Kind::kEarlier, .instructions = std::move(set), .value = cycles});
    }
  }

  struct LineShare {
    const MathLine* line = nullptr;
    double share = 0;  // of warp time: stalls, and issue slots of the instructions that would go
  };
  // The lines, hottest first.
  static std::vector<LineShare> shares_of(const Case& c, const std::map<MathPlace, MathLine>& lines,
                                          const Match& match) {
    std::vector<LineShare> shares;
    for (const auto& [at, line] : lines) {
      double cycles = 0;
      for (const std::uint32_t i : line.instructions)
        cycles += c.blamed.issued[i] * (1 - line.kept);
      for (const MatchedStall& m : match.stalls) {
        const BlamedStall& s = c.blamed.stalls[m.stall];
        const bool load = s.dependency == Dependency::kGlobalMemory;
        if (!load && std::ranges::binary_search(line.instructions, s.waits))
          cycles += s.cycles.sum() * m.weight;
      }
      shares.push_back({&line, cycles / std::max(c.blamed.total, 1.0)});
    }
    std::ranges::stable_sort(shares, std::ranges::greater(), &LineShare::share);
    return shares;
  }

  // What the promise includes besides the functions.
  static std::string besides(double loads, double tests) {
    std::string text;
    if (loads >= kMinTold) {
      text += fmt::format(
          ", and {:.0f} % in waits for loads that the branches around slow paths keep apart",
          100 * loads);
    }
    if (tests >= kMinTold) {
      text += fmt::format(
          ", and {:.0f} % in the compiler's tests for denormal operands of fast functions, which "
          "the flag removes too",
          100 * tests);
    }
    return text;
  }

  static void describe(const Case& c, const std::map<MathPlace, MathLine>& lines,
                       std::string_view flag, const read::InstructionSet& tests, Match& match) {
    const std::vector<LineShare> shares = shares_of(c, lines, match);
    const MathLine& line = *shares[0].line;
    std::set<std::string> names;
    std::set<std::string> fixes;
    bool flag_only = false;  // for a part of the line: its branches would stay
    for (const MathCall* call : line.calls) {
      names.insert(name_in(c, *call));
      const bool by_flag = rounded(c, *call).name.empty() && call->fast.starts_with('-');
      if (by_flag) {
        flag_only = true;
      } else {
        fixes.insert(fast_in(c, *call));
      }
    }
    std::set<std::string> exact;  // in all lines
    for (const auto& [at, other] : lines) {
      for (const MathCall* call : other.calls) {
        if (const Rounded of = rounded(c, *call); !of.name.empty()) exact.insert(of.name);
      }
    }
    match.where = line.calls[0]->at;
    const std::string place = place_name(c.kernel, match.where);
    const double total = std::max(c.blamed.total, 1.0);
    double loads = 0;
    double tested = 0;
    for (const MatchedStall& m : match.stalls) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      const double cycles = s.cycles.sum() * m.weight / total;
      if (s.dependency == Dependency::kGlobalMemory)
        loads += cycles;
      else if (tests[s.waits] != 0)
        tested += cycles;
    }
    for (std::uint32_t i = 0; i < c.size(); ++i)
      tested += tests[i] != 0 ? c.blamed.issued[i] / total : 0;
    if (loads < kMinTold) loads = 0;
    if (tested < kMinTold) tested = 0;
    const double all = gone(c, match) / total;
    match.text =
        fmt::format("{:.0f} % of warp time is spent in the precise version of {} at {}{}{}.",
                    100 * std::max(0.0, all - loads - tested), all_of(names), place,
                    next_lines(c, shares), besides(loads, tested));
    if (flag.empty()) {
      match.hint = fmt::format(
          "{} always rounds exactly, whatever the compiler's flags. If the last few bits do not "
          "matter, use {} instead.",
          all_of(exact), all_of(fixes));
      return;
    }
    match.hint = fmt::format("If the last few bits do not matter, compile with {}.", flag);
    if (!fixes.empty() && !flag_only) {
      match.hint += fmt::format(" To change {} only, use {} there.", place, all_of(fixes));
    }
    if (!exact.empty()) {
      match.hint += fmt::format(" The flag does not change {}: replace it as well.", all_of(exact));
    } else if (c.source(match.where).empty() && flag != kAllFast) {
      match.hint += " Functions that name their rounding (__fsqrt_rn, __fdiv_rn) ignore the flag.";
    }
  }

  // " (10 %), division at a.cu:82 (6 %) and in 12 other lines": after the hottest.
  static std::string next_lines(const Case& c, const std::vector<LineShare>& shares) {
    if (shares.size() == 1) return "";
    std::string text;
    std::size_t named = 0;
    for (const LineShare& s : std::span(shares).subspan(1)) {
      if (named == kNamedNext || s.share < kMinOfFirst * shares[0].share || s.share < kMinTold)
        break;
      std::set<std::string> names;
      for (const MathCall* call : s.line->calls) names.insert(name_in(c, *call));
      text += fmt::format(", {} at {} ({:.0f} %)", all_of(names),
                          place_name(c.kernel, s.line->calls[0]->at), 100 * s.share);
      ++named;
    }
    if (named > 0) text.insert(0, fmt::format(" ({:.0f} %)", 100 * shares[0].share));
    const std::size_t others = shares.size() - 1 - named;
    return others == 0 ? text : text + " and in " + count_of(others, "other line");
  }

  static std::string all_of(const std::set<std::string>& names) {
    const std::vector<std::string> list(names.begin(), names.end());
    return list_of(list, list.size());
  }

  struct Rounded {
    std::string name{};  // "__fsqrt_rn"; empty: none
    std::string_view fast{};
  };
  // The function with an explicit rounding mode that the source line calls: no flag makes it
  // approximate. None if the line also has the plain form, or is not available.
  static Rounded rounded(const Case& c, const MathCall& call) {
    struct Row {
      std::string_view call;  // MathCall::name
      std::string_view name;  // without the letter of the rounding mode
      std::string_view fast;
      std::string_view plain;  // what flags do change
    };
    static constexpr Row kRows[] = {
        {"sqrtf", "__fsqrt_r", "x * rsqrtf(x) (where x > 0)", "sqrt"},
        {"/", "__fdiv_r", "__fdividef", "/"},
        {"/", "__frcp_r", "__fdividef", "/"},
        {"1 / sqrtf", "__frsqrt_r", "rsqrtf", "rsqrtf"},
    };
    const std::string source = c.source(call.at);
    std::string others = source.substr(0, source.find("//"));
    for (const Row& row : kRows) {
      const std::size_t at = others.find(row.name);
      const std::size_t length = row.name.size() + 1;
      if (row.call != call.name || at == std::string::npos) continue;
      for (std::size_t k = at; k != std::string::npos; k = others.find(row.name)) {
        others.erase(k, length);
      }
      if (others.find(row.plain) == std::string::npos) return {source.substr(at, length), row.fast};
    }
    return {};
  }

  // The compiler flag that affects all of these calls and as little else as possible.
  // Empty if no flag affects them.
  static std::string_view flag_for(const Case& c, const std::vector<MathCall>& calls) {
    bool roots = false;
    bool divisions = false;
    for (const MathCall& call : calls) {
      if (!rounded(c, call).name.empty()) continue;
      roots |= call.name == "sqrtf";
      divisions |= call.name == "/";
      if (call.name != "sqrtf" && call.name != "/") return kAllFast;
    }
    if (roots && divisions) return "-prec-sqrt=false -prec-div=false";
    return roots ? "-prec-sqrt=false" : divisions ? "-prec-div=false" : "";
  }

  // Sine and cosine share their code; the source shows which one is called.
  static std::string name_in(const Case& c, const MathCall& call) {
    if (const Rounded of = rounded(c, call); !of.name.empty()) return of.name;
    if (call.name == "/") return "division";
    if (call.name != "sinf") return std::string(call.name);
    const std::string source = c.source(call.at);
    for (const std::string_view name : {"sincosf", "cosf", "tanf", "sinf"}) {
      if (source.find(name) != std::string::npos) return std::string(name);
    }
    return "sinf or cosf";
  }

  static std::string fast_in(const Case& c, const MathCall& call) {
    if (const Rounded of = rounded(c, call); !of.name.empty()) return std::string(of.fast);
    if (call.name != "sinf") return std::string(call.fast);
    const std::string name = name_in(c, call);
    return name == "sinf or cosf" ? "__sinf or __cosf" : fmt::format("__{}", name);
  }
};

}  // namespace

const Rule* fast_math() {
  static const FastMath rule;
  return &rule;
}

}  // namespace burin::advise
