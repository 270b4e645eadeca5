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

#include "advise/case/requests.h"
#include "advise/patterns/code/denormal_tests.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/math_call.h"
#include "advise/patterns/code/math_line.h"
#include "advise/patterns/code/needless.h"
#include "advise/rules/all.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::string_view kAllFast = "--use_fast_math";  // … and flushes denormals to zero

// The branches around slow paths, and the effect of their removal on the surrounding code.
class OpenedCode {
 public:
  OpenedCode(const Case& c, const std::map<MathPlace, MathLine>& lines)
      : gone(c.size()), lines_(lines), copies_(c.size(), 1) {
    for (const read::BasicBlock& block : c.kernel.blocks) {
      if (block.callee == read::kNoIndex || block.immediate_dominator == read::kNoIndex) continue;
      const std::uint32_t function = c.places.function_of(c.kernel.blocks[block.callee].first);
      const std::uint32_t branch = c.kernel.blocks[block.immediate_dominator].last;
      if (!is_slow_path(c, function) || !c.executed(branch)) continue;
      for (std::uint32_t i = block.first; i <= block.last; ++i) gone[i] = 1;
      if (c.at(branch).opcode->flow == read::Opcode::kBranch) gone[branch] = 1;
    }
    add_dead_code(c.kernel, gone);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (is_arithmetic(c.at(i))) gone[i] = 0;  // counted with its line
    }
    open_loops(c);
    open_straight_code(c);
  }

  static bool is_slow_path(const Case& c, std::uint32_t function) {
    return function != 0 && c.places.of_compiler(function) &&
           c.places.function_name(function).find("_f32") != std::string_view::npos;
  }

  // The number of copies of the instruction that wait at the same time; 1: no branch is removed.
  double copies(std::uint32_t instruction) const { return copies_[instruction]; }

  read::InstructionSet gone;

 private:
  static constexpr double kUnrolled = 4;  // copies that compilers interleave

  // Whether this is an inlined slow path of the function that was never executed.
  bool is_inlined_slow_path(const Case& c, std::uint32_t block) const {
    const std::uint32_t first = c.kernel.blocks[block].first;
    const analyze::SourceLine line = analyze::line_of(c.kernel, first);
    return !c.executed(first) && lines_.contains({line.file, line.line});
  }

  // Innermost loops without any branch other than their own.
  void open_loops(const Case& c) {
    const std::vector<std::uint32_t> kinds = analyze::copy_kinds(c.kernel);
    for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {
      bool opened = false;
      bool parted = false;
      bool stores = false;
      bool loads = false;                    // loads that may not move above the stores
      std::map<std::uint32_t, double> same;  // existing copies, by kind
      std::map<std::uint32_t, std::set<std::uint32_t>> blocks;  // the blocks that contain them
      const read::InstructionSet inside = c.places.instructions_of_loop(l);
      for (std::uint32_t i = 0; i < c.size(); ++i) {
        if (inside[i] == 0 || !c.at(i).known()) continue;
        const std::uint32_t own = c.kernel.block_of[i];
        if (is_inlined_slow_path(c, own)) {
          opened = true;
          continue;
        }
        parted |= c.places.loop_of(i) != l;
        opened |= gone[i] != 0;
        same[kinds[i]] += 1;
        blocks[kinds[i]].insert(own);
        if (touches_global(c.at(i))) {
          stores |= c.at(i).opcode->stores;
          loads |= c.at(i).opcode->loads && !read::is_read_only_load(c.at(i));
        }
        const read::BasicBlock& block = c.kernel.blocks[own];
        const bool branch = c.at(i).opcode->flow == read::Opcode::kBranch && gone[i] == 0;
        parted |= branch && block.successors.size() > 1 &&
                  std::ranges::all_of(block.successors, [&](const read::Edge& e) {
                    return e.block != c.kernel.loops[l].header &&
                           inside[c.kernel.blocks[e.block].first] != 0 &&
                           !is_inlined_slow_path(c, e.block);
                  });
      }
      if (!opened || parted || (stores && loads)) continue;
      for (std::uint32_t i = 0; i < c.size(); ++i) {
        if (inside[i] == 0 || !blocks.contains(kinds[i])) continue;
        // Copies that already exist in separate blocks are interleaved as well.
        const auto apart = static_cast<double>(blocks.at(kinds[i]).size());
        copies_[i] = std::max({1.0, kUnrolled / same[kinds[i]], std::min(kUnrolled, apart)});
      }
    }
  }

  // Copies of a line that contains a slow path, outside loops.
  void open_straight_code(const Case& c) {
    std::set<MathPlace> lines;
    const auto key = [&](std::uint32_t i) -> MathPlace {
      const analyze::SourceLine line = analyze::line_of(c.kernel, i);
      return {line.file, line.line};
    };
    const auto outside = [&](std::uint32_t i) {
      return c.places.loop_of(i) == read::kNoIndex && c.places.function_of(i) == 0;
    };
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (gone[i] != 0 && outside(i)) lines.insert(key(i));
    }
    if (lines.empty()) return;
    const std::vector<std::uint32_t> kinds = analyze::copy_kinds(c.kernel);
    std::map<std::uint32_t, std::set<std::uint32_t>> blocks;  // with a copy, by kind
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (outside(i) && c.executed(i)) blocks[kinds[i]].insert(c.kernel.block_of[i]);
    }
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!outside(i) || !c.executed(i)) continue;
      copies_[i] = std::min(kUnrolled, static_cast<double>(blocks[kinds[i]].size()));
    }
  }

  const std::map<MathPlace, MathLine>& lines_;
  std::vector<double> copies_;
};

class FastMath final : public Rule {
  std::string_view id() const override { return "fast-math"; }
  std::string_view summary() const override { return "stalls in precise math functions"; }

  std::vector<Match> match(const Case& c) const override {
    const std::vector<MathCall> calls = math_calls(c);
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
    if (flushing) add_denormal_tests(c, saved, match);
    const OpenedCode opened(c, lines);
    add_overlap(c, opened, match);
    const auto weight = [&](const BlamedStall& s) {
      const bool load = s.dependency == Dependency::kGlobalMemory;
      return load ? 1 - 1 / opened.copies(s.cause) : saved[s.waits];
    };
    match.stalls = stalls_where(c, [&](const BlamedStall& s) { return weight(s) > 0; });
    if (match.stalls.empty()) return {};
    for (MatchedStall& m : match.stalls) m.weight = weight(c.blamed.stalls[m.stall]);
    match.relieves = {machine::Resource::kIssue, machine::Resource::kFma, machine::Resource::kAlu,
                      machine::Resource::kXu, machine::Resource::kFp64};
    describe(c, lines, flag, match);
    return {std::move(match)};
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
  static void add_denormal_tests(const Case& c, std::vector<double>& saved, Match& match) {
    analyze::Edit tests{.kind = analyze::Edit::Kind::kSkipped, .instructions = denormal_tests(c)};
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (saved[i] > 0) tests.instructions[i] = 0;  // counted with its line
      if (tests.instructions[i] != 0) saved[i] = 1;
    }
    match.edits.push_back(std::move(tests));
  }

  // Without the branches, the waits for copies of a load or result overlap.
  static void add_overlap(const Case& c, const OpenedCode& opened, Match& match) {
    match.edits.push_back({.kind = analyze::Edit::Kind::kSkipped, .instructions = opened.gone});
    if (c.study == nullptr) return;
    std::map<double, read::InstructionSet> earlier;  // by cycles
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool load = touches_global(c.at(i)) && c.at(i).opcode->loads;
      const bool shared = touches_shared(c.at(i)) && c.at(i).opcode->loads;
      if (opened.copies(i) <= 1 || (!load && !shared && !is_arithmetic(c.at(i)))) continue;
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

  static void describe(const Case& c, const std::map<MathPlace, MathLine>& lines,
                       std::string_view flag, Match& match) {
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
    std::set<std::string> fixes;
    for (const MathCall* call : line.calls) {
      names.insert(name_in(c, *call));
      if (!rounded(c, *call).name.empty() || !call->fast.starts_with('-'))
        fixes.insert(fast_in(c, *call));
    }
    std::set<std::string> exact;  // in all lines
    for (const auto& [at, other] : lines) {
      for (const MathCall* call : other.calls) {
        if (const Rounded of = rounded(c, *call); !of.name.empty()) exact.insert(of.name);
      }
    }
    match.where = line.calls[0]->at;
    const std::string place = place_name(c.kernel, match.where);
    const std::size_t others = lines.size() - 1;
    // Loads that the same line waits for are not part of the functions.
    std::vector<MatchedStall> computing = match.stalls;
    std::erase_if(computing, [&](const MatchedStall& m) {
      return c.blamed.stalls[m.stall].dependency == Dependency::kGlobalMemory;
    });
    match.text = fmt::format("{:.0f} % of warp time is spent in the precise version of {} at {}{}.",
                             100 * share_of(c, computing), all_of(names), place,
                             others > 0 ? " and in " + count_of(others, "other line") : "");
    if (flag.empty()) {
      match.hint = fmt::format(
          "{} always rounds exactly, whatever the compiler's flags. If the last few bits do not "
          "matter, use {} instead.",
          all_of(exact), all_of(fixes));
      return;
    }
    match.hint = fmt::format("If the last few bits do not matter, compile with {}.", flag);
    if (!fixes.empty()) {
      match.hint += fmt::format(" To change {} only, use {} there.", place, all_of(fixes));
    }
    if (!exact.empty()) {
      match.hint += fmt::format(" The flag does not change {}: replace it as well.", all_of(exact));
    } else if (c.source(match.where).empty() && flag != kAllFast) {
      match.hint += " Functions that name their rounding (__fsqrt_rn, __fdiv_rn) ignore the flag.";
    }
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
