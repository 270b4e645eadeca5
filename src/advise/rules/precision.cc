// Double-precision arithmetic on values that are loaded and stored as floats.
//
// In single precision it runs on the FP32 units and needs no conversions. A library function has
// many instructions in double precision and few in single precision. Without its branch for rare
// values, the iterations of a loop can overlap.
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "advise/case/origin.h"
#include "advise/patterns/code/needless.h"
#include "advise/rules/all.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kFloatFunctionCode = 8;  // instructions of a short float function, such as expf
// Instructions of longer float functions, including constants and tests, relative to their double
// versions.
constexpr double kFloatShare = 0.25;
constexpr double kUnrolled = 4;           // unroll factor of compilers
constexpr std::size_t kMaxLines = 8;      // lines with something double that the text names
constexpr std::uint32_t kMaxSpan = 2000;  // lines of a kernel that are searched for declarations

bool is_double(const read::Instruction& i) {
  return i.known() && machine::timing_class(i) == machine::TimingClass::kFp64;
}
bool converts(const read::Instruction& i, std::string_view to, std::string_view from) {
  return read::converts_between_floats(i) && i.modifier("to") == to && i.modifier("from") == from;
}
bool widens(const read::Instruction& i) {
  return converts(i, "F64", "F32");
}
bool narrows(const read::Instruction& i) {
  return converts(i, "F32", "F64");
}

// All matches of the expression in the text, in order, without duplicates.
std::vector<std::string> all_of(const std::string& text, const std::regex& expression) {
  std::vector<std::string> found;
  for (std::sregex_iterator m(text.begin(), text.end(), expression), end; m != end; ++m) {
    const std::string name = (*m)[1];
    if (std::ranges::find(found, name) == found.end()) found.push_back(name);
  }
  return found;
}

std::vector<std::string> quoted(const std::vector<std::string>& names,
                                std::string_view after = "") {
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back(fmt::format("`{}{}`", name, after));
  return all;
}

// "`2.0` and `0.5` are double literals: write `2.0f`, `0.5f`".
std::string fix_of(const std::vector<std::string>& names, std::string_view is,
                   std::string_view are) {
  return fmt::format("{} {}: write {}", list_of(quoted(names), names.size()),
                     names.size() == 1 ? is : are, fmt::join(quoted(names, "f"), ", "));
}

// What makes the line double: literals, functions that take a double, and variables declared
// double. Empty: nothing in its text.
std::string fixes_in(const std::string& text) {
  static const std::regex literal(
      R"((?:^|[^\w.])((?:(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+))(?![\w.]))");
  static const std::regex function(
      R"(\b(a?(?:sin|cos|tan)h?|(?:sin|cos)pi|sincos(?:pi)?|atan2|exp(?:2|10|m1)?|log(?:2|10|1p)?|r?sqrt|r?cbrt|pow|hypot|fabs|floor|ceil|round|trunc|rint|fmod|fmin|fmax|erfc?|tgamma|lgamma)\s*\()");
  static const std::regex variable(R"(\bdouble\s+(\w+)\b(?!\s*\())");
  const std::string source = text.substr(0, text.find("//"));
  std::vector<std::string> fixes;
  if (const auto literals = all_of(source, literal); !literals.empty()) {
    fixes.push_back(fix_of(literals, "is a double literal", "are double literals"));
  }
  if (const auto functions = all_of(source, function); !functions.empty()) {
    fixes.push_back(fix_of(functions, "is the double version", "are the double versions"));
  }
  if (const auto variables = all_of(source, variable); !variables.empty()) {
    fixes.push_back(fmt::format("declare {} as float", list_of(quoted(variables), 8)));
  }
  return fmt::format("{}", fmt::join(fixes, "; "));
}

class Precision final : public Rule {
  std::string_view id() const override { return "precision"; }
  std::string_view summary() const override { return "double-precision arithmetic on float data"; }

  std::vector<Match> match(const Case& c) const override {
    read::InstructionSet doubles(c.size());
    read::InstructionSet conversions(c.size());
    double computed = 0;
    double narrowed = 0;
    double widened = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const read::Instruction& at = c.at(i);
      if (!c.executed(i)) continue;
      const double times = c.blamed.issued[i];
      if (is_double(at)) {
        doubles[i] = 1;
        computed += times;
      } else if (widens(at) || narrows(at)) {
        conversions[i] = 1;
        (widens(at) ? widened : narrowed) += times;
      }
    }
    // Doubles that are loaded or stored are intended.
    if (widened <= 0 || narrowed <= 0 || computed <= 0 || loads_doubles(c, doubles)) return {};
    const read::InstructionSet serving = serving_code(c, doubles, conversions);
    const double each = computed / narrowed;
    // The fraction of the double instructions that remains with floats.
    const double kept = std::min(1.0, std::max(kFloatFunctionCode / each, kFloatShare));
    // A wait for something else, usually a load, remains in single precision, and float arithmetic
    // has its own latency and unit time.
    const auto weight = [&](const BlamedStall& s) {
      const std::uint32_t at = s.has_cause() ? s.cause : s.waits;
      if (conversions[at] != 0) return 1.0;
      if (doubles[at] != 0) return 1 - kept * float_cost(c, s);
      return serving[at] != 0 && kept < 1 ? 1 - kFloatShare : 0.0;
    };
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) { return weight(s) > 0; });
    if (match.stalls.empty()) return {};
    for (MatchedStall& m : match.stalls) m.weight = weight(c.blamed.stalls[m.stall]);
    match.edits = {
        {.kind = analyze::Edit::Kind::kRetyped, .instructions = doubles, .to_class = "fma"},
        {.kind = analyze::Edit::Kind::kSkipped, .instructions = conversions}};
    if (kept < 1) {
      match.edits.push_back(
          {.kind = analyze::Edit::Kind::kShare, .instructions = serving, .value = kFloatShare});
      match.edits.push_back(
          {.kind = analyze::Edit::Kind::kShare, .instructions = doubles, .value = kept});
      const double latency = c.machine.of(machine::TimingClass::kFma).latency;
      match.edits.push_back({.kind = analyze::Edit::Kind::kEarlier,
                             .instructions = in_branchy_loops(c, doubles, serving),
                             .value = latency * (1 - 1 / kUnrolled)});
    }
    match.relieves = {machine::Resource::kFp64, machine::Resource::kXu, machine::Resource::kIssue,
                      machine::Resource::kUniform};
    describe(c, match);
    return {std::move(match)};
  }

  // The time of a float operation relative to a double: in latency, or in unit throughput.
  static double float_cost(const Case& c, const BlamedStall& s) {
    const machine::ClassTiming& single = c.machine.of(machine::TimingClass::kFma);
    const machine::ClassTiming& twice = c.machine.of(machine::TimingClass::kFp64);
    const double cost = s.has_cause() ? single.latency / twice.latency : single.gap / twice.gap;
    return std::min(1.0, cost);
  }

  // The double instructions in loops that lose a branch.
  static read::InstructionSet in_branchy_loops(const Case& c, const read::InstructionSet& doubles,
                                               const read::InstructionSet& serving) {
    std::vector<std::uint8_t> parted(c.kernel.loops.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t loop = c.places.loop_of(i);
      if (loop == read::kNoIndex || serving[i] == 0 || !c.at(i).known()) continue;
      if (c.at(i).opcode->flow == read::Opcode::kBranch) parted[loop] = 1;
    }
    read::InstructionSet set(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t loop = c.places.loop_of(i);
      if (doubles[i] != 0 && loop != read::kNoIndex) set[i] = parted[loop];
    }
    return set;
  }

  // Code that only serves the doubles: constants of a series, assembly of exponents, tests of a
  // double and the branches on them.
  static read::InstructionSet serving_code(const Case& c, const read::InstructionSet& doubles,
                                           const read::InstructionSet& conversions) {
    read::InstructionSet inside(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      inside[i] = doubles[i] != 0 || conversions[i] != 0 ? 1 : 0;
    }
    do {
      const read::InstructionSet before = inside;
      // The float that is converted to a double is still needed.
      add_dead_code(c.kernel, inside, [&](const read::Dependence& d) {
        return before[d.consumer] == 0 || widens(c.at(d.consumer));
      });
    } while (mark_tests(c, inside));
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (doubles[i] != 0 || conversions[i] != 0) inside[i] = 0;
    }
    return inside;
  }

  // Adds tests that depend on `inside` only, and branches on them. Returns whether any was added.
  static bool mark_tests(const Case& c, read::InstructionSet& inside) {
    std::vector<unsigned> sources(c.size());
    std::vector<unsigned> within(c.size());
    for (const read::Dependence& d : c.kernel.dependences) {
      if (d.kind != read::Dependence::Kind::kRegister) continue;
      ++sources[d.consumer];
      within[d.consumer] += inside[d.producer] != 0 ? 1u : 0u;
    }
    bool more = false;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const read::Instruction& at = c.at(i);
      if (inside[i] != 0 || !at.known() || sources[i] == 0 || within[i] < sources[i]) continue;
      if (!read::has(at, read::Trait::kCompare) && at.opcode->flow != read::Opcode::kBranch)
        continue;
      inside[i] = 1;
      more = true;
    }
    return more;
  }

  // Whether a load of 8 bytes or more feeds double arithmetic.
  static bool loads_doubles(const Case& c, const read::InstructionSet& doubles) {
    const Origins origins(c.kernel);
    return std::ranges::any_of(c.kernel.dependences, [&](const read::Dependence& d) {
      const read::Instruction& from = c.at(d.producer);
      return d.kind == read::Dependence::Kind::kRegister && doubles[d.consumer] != 0 &&
             from.known() && from.opcode->loads && from.opcode->space != read::Space::kConstant &&
             read::access_bytes(from) >= 8 && !reads_table(c, origins, d.producer);
    });
  }

  // Whether a load reads the coefficients of a function of the math library, such as sin: they are
  // in no array of the caller, and which of them are needed depends on a double that was rounded to
  // an integer.
  static bool reads_table(const Case& c, const Origins& origins, std::uint32_t load) {
    constexpr int kFar = 6;  // instructions from the rounding to the address
    const std::set<std::uint32_t> parameters = origins.address_parameters(load);
    if (std::ranges::any_of(parameters, [&](std::uint32_t offset) {
          return pointer_at(*c.kernel.function, offset).has_value();
        })) {
      return false;
    }
    std::set<std::uint32_t> seen{load};
    for (int far = 0; far < kFar; ++far) {
      std::set<std::uint32_t> more;
      for (const std::uint32_t i : seen) {
        for (const read::Dependence& d : c.kernel.dependences_of(i)) {
          if (d.kind != read::Dependence::Kind::kRegister) continue;
          const read::Instruction& from = c.at(d.producer);
          if (read::is_conversion(from) && from.opcode->result_type == read::ValueType::kInteger &&
              machine::timing_class(from) == machine::TimingClass::kConvert64) {
            return true;
          }
          more.insert(d.producer);
        }
      }
      seen = std::move(more);
    }
    return false;
  }

  static void describe(const Case& c, Match& match) {
    // The line with the longest stalls among those that compute in double. Conversions on other
    // lines exist because of these.
    std::map<std::uint32_t, double> weights;
    std::map<std::uint32_t, std::uint32_t> example;
    for (const MatchedStall& m : match.stalls) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      const std::uint32_t at = is_double(c.at(s.cause)) ? s.cause : s.waits;
      const std::uint32_t line = analyze::line_of(c.kernel, at).line;
      weights[line] += is_double(c.at(at)) ? s.cycles.sum() : 0;
      if (is_double(c.at(at))) example.insert_or_assign(line, at);
      example.try_emplace(line, at);
    }
    const auto most = std::ranges::max_element(weights, {}, [](const auto& w) { return w.second; });
    const std::uint32_t at = example[most->first];
    match.where = at;
    match.text = fmt::format(
        "{:.0f} % of warp time goes into double precision and conversions to and from it, although "
        "inputs and outputs are floats. Hottest: {}.",
        100 * share_of(c, match.stalls), place_name(c.kernel, at));
    const std::string fixes = fixes_in(c.source(at));
    match.hint = fixes.empty()
                     ? fmt::format(
                           "Use float literals (2.0f) and float functions (expf) at {}, and no "
                           "double variables.",
                           place_name(c.kernel, at))
                     : fmt::format("At {}: {}.", place_name(c.kernel, at), fixes);
    match.hint += other_lines(c, example, at);
  }

  // A remaining double literal makes everything computed from it double again. Lines whose text has
  // nothing double become float with the values that they use.
  static std::string other_lines(const Case& c,
                                 const std::map<std::uint32_t, std::uint32_t>& example,
                                 std::uint32_t named) {
    std::vector<std::string> unknown;
    std::map<std::uint32_t, std::string> fixes;  // by line
    const analyze::SourceLine own = analyze::line_of(c.kernel, named);
    for (const auto& [line, at] : example) {
      if (line == own.line || !is_double(c.at(at)) || line == 0) continue;
      const std::string text = c.source(at);
      if (text.empty()) unknown.push_back(place_name(c.kernel, at));
      if (std::string fix = fixes_in(text); !fix.empty()) fixes[line] = std::move(fix);
    }
    add_declarations(c, own, fixes);
    std::string all;
    std::size_t told = 0;
    for (const auto& [line, fix] : fixes) {
      if (++told > kMaxLines) break;
      all += fmt::format(" At {}: {}.", line_name(own.file, line), fix);
    }
    if (fixes.size() > kMaxLines) {
      all += fmt::format(" Do the same in {}.", count_of(fixes.size() - kMaxLines, "other line"));
    }
    if (!unknown.empty()) {
      all += fmt::format(" Do the same at {}.", list_of(unknown, kMaxLines));
    }
    if (!all.empty()) all += " Each line that stays double keeps its part of the cost.";
    return all;
  }

  // Variables that are declared double on lines without arithmetic of their own, such as an
  // accumulator that starts at 0.
  static void add_declarations(const Case& c, const analyze::SourceLine& own,
                               std::map<std::uint32_t, std::string>& fixes) {
    static const std::regex variable(R"(^(?:const\s+)?double\s+\w+\s*(?:=|;))");
    if (!c.source_line || own.line == 0) return;
    std::uint32_t first = own.line;
    std::uint32_t last = own.line;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const analyze::SourceLine at = analyze::line_of(c.kernel, i);
      if (at.line == 0 || at.file != own.file || c.places.function_of(i) != 0) continue;
      first = std::min(first, at.line);
      last = std::max(last, at.line);
    }
    for (std::uint32_t line = first; line <= std::min(last, first + kMaxSpan); ++line) {
      if (line == own.line || fixes.contains(line)) continue;
      const std::string text = c.source_line(own.file, line);
      if (std::regex_search(text, variable)) fixes[line] = fixes_in(text);
    }
  }
};

}  // namespace

const Rule* precision() {
  static const Precision rule;
  return &rule;
}

}  // namespace burin::advise
