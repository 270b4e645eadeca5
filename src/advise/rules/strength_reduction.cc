// Expensive arithmetic with a cheaper form: integer divisions, float divisions with a repeated
// divisor, type conversions, powers in a polynomial, and powers with a constant exponent.
//
// A division by a compile-time constant, or by a value whose multiplier is precomputed, is a
// product and a shift, and one more product for a remainder. A float division by a precomputed
// reciprocal is a product. A loop counter needs no division: two nested loops count quotient and
// remainder.
#include <algorithm>
#include <map>

#include "advise/case/origin.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/call_site.h"
#include "advise/patterns/code/conversions.h"
#include "advise/patterns/code/division.h"
#include "advise/patterns/code/fixed_power.h"
#include "advise/patterns/code/math_line.h"
#include "advise/patterns/code/needless.h"
#include "advise/patterns/code/power_series.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"
#include "read/program/source.h"

namespace burin::advise {

namespace {

constexpr std::size_t kNamedPowers = 4;  // calls named in the text
constexpr std::size_t kNamedPlaces = 4;  // of one division
constexpr double kCheapDivision = 3;     // instructions
// 64 bits: the high half of a 128-bit product, and the rest.
constexpr double kCheapLongDivision = 9;
// Share of the instructions that compute addresses from a quotient that is left if a loop counts
// the quotient.
constexpr double kCountedOn = 0.25;

// A wait for an arithmetic result, or for an arithmetic unit.
bool of_execution(const BlamedStall& s) {
  return s.dependency == Dependency::kArithmetic || s.dependency == Dependency::kWriteAfterRead ||
         s.stall == launch::Stall::kMathPipeThrottle || s.stall == launch::Stall::kWait ||
         s.stall == launch::Stall::kShortScoreboard;
}

// Whether the division is in the source. Compilers add divisions, for example for trip counts.
bool is_written(const Case& c, const Division& d) {
  const auto divides = [&](std::uint32_t i) { return may_have(c, i, Construct::kDivision); };
  return divides(d.site) || std::ranges::any_of(d.sites, divides) ||
         std::ranges::any_of(d.instructions, [&](std::uint32_t i) {
           return c.places.function_of(i) == 0 && may_have(c, i, Construct::kDivision);
         });
}

class StrengthReduction final : public Rule {
  std::string_view id() const override { return "strength-reduction"; }
  std::string_view summary() const override {
    return "divisions by loop-invariant values, type conversions, and powers in polynomials";
  }

  std::vector<Match> match(const Case& c) const override {
    std::vector<Match> found;
    if (Match match = of_quotients(c); !match.stalls.empty()) found.push_back(std::move(match));
    if (Match match = of_powers(c); !match.stalls.empty()) found.push_back(std::move(match));
    if (Match match = of_fixed_powers(c); !match.stalls.empty()) found.push_back(std::move(match));
    return found;
  }

  // Products instead of powf with a constant exponent; exp2f if the base is 2.
  static Match of_fixed_powers(const Case& c) {
    std::vector<MathCall> calls;
    std::vector<std::string> texts;
    for (MathCall& call : math_calls(c)) {
      if (call.name != "powf") continue;
      const std::vector<FixedPower> powers = fixed_powers(c.source(call.at));
      if (powers.empty()) continue;
      call.quick = call.scaling = call.special = 0;
      for (const FixedPower& power : powers) {
        const bool special = !power.exponent || power.root();
        call.special = std::max(call.special, special ? 1u : 0u);
        call.quick = std::max(call.quick, power.products() + (special ? 2 : 0));
        const std::string text = fmt::format("{} by {}", power.call, power.cheap());
        if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
      }
      calls.push_back(call);
    }
    if (calls.empty()) return {};
    Match match;
    std::vector<double> saved(c.size());
    for (const auto& [at, line] : math_lines(c, calls, true)) {
      for (const std::uint32_t i : line.instructions) saved[i] = 1 - line.kept;
      add_edits(c, line, match.edits);
    }
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return saved[s.waits] > 0 && s.dependency != Dependency::kGlobalMemory;
    });
    for (MatchedStall& m : match.stalls) m.weight = saved[c.blamed.stalls[m.stall].waits];
    if (match.stalls.empty()) return {};
    match.where = calls[0].at;
    match.text = fmt::format(
        "{:.0f} % of warp time is spent in powf at {}, by logarithms and exponentials, for powers "
        "that the source names.",
        100 * share_of(c, match.stalls), place_name(c.kernel, match.where));
    match.hint = fmt::format("Replace {}.", list_of(texts, kNamedPowers));
    match.relieves = {machine::Resource::kIssue, machine::Resource::kFma, machine::Resource::kAlu,
                      machine::Resource::kXu};
    return match;
  }

  // Horner's rule removes the powers; each term is one multiply-add.
  static Match of_powers(const Case& c) {
    const std::vector<PowerSeries> all = power_series(c);
    if (all.empty()) return {};
    read::InstructionSet powers(c.size());
    const PowerSeries* most = nullptr;
    double largest = 0;
    for (const PowerSeries& series : all) {
      for (std::uint32_t i = 0; i < c.size(); ++i) powers[i] |= series.powers[i];
      const double share = issued_share(c, series.powers);
      if (share > largest) {
        most = &series;
        largest = share;
      }
    }
    if (most == nullptr) return {};
    Match match;
    match.stalls = stalls_where(
        c, [&](const BlamedStall& s) { return powers[s.waits] != 0 || powers[s.cause] != 0; });
    match.where =
        static_cast<std::uint32_t>(std::ranges::find(most->powers, 1) - most->powers.begin());
    match.text = fmt::format(
        "The {} computes the next power of a value for each term of a sum: {:.0f} % of the "
        "kernel's instructions.",
        loop_name(c, most->loop), 100 * largest);
    match.hint =
        "Use Horner's rule, from the last term to the first: sum = sum * x + c[k]. It takes one "
        "multiply-add per term and no powers (the last bits may differ).";
    match.edits = {{.kind = analyze::Edit::Kind::kSkipped, .instructions = std::move(powers)}};
    match.relieves = {machine::Resource::kIssue, machine::Resource::kFma};
    match.check = shape_options(c.grid, c.block);
    return match;
  }

  static Match of_quotients(const Case& c) {
    std::vector<Division> divisions = integer_divisions(c);
    std::erase_if(divisions, [&](const Division& d) { return !is_written(c, d); });
    read::InstructionSet divides(c.size());
    Match match;
    for (const Division& d : divisions) {
      analyze::Edit edit{.kind = analyze::Edit::Kind::kShare,
                         .instructions = read::InstructionSet(c.size())};
      for (const std::uint32_t i : d.instructions) {
        if (divides[i] == 0) edit.instructions[i] = 1;
        divides[i] = 1;
      }
      const double left = (d.bits == 64 ? kCheapLongDivision : kCheapDivision) * d.quotients;
      edit.value = std::min(1.0, left / static_cast<double>(d.instructions.size()));
      if (d.counted) add_counted(c, d, edit, match);
      match.edits.push_back(std::move(edit));
    }
    match.edits.push_back(
        {.kind = analyze::Edit::Kind::kSkipped, .instructions = call_sites(c, divides)});
    std::vector<RepeatedDivision> repeated = repeated_divisions(c);
    std::erase_if(repeated, [&](const RepeatedDivision& d) {
      return !may_have(c, d.check, Construct::kDivision);
    });
    const read::InstructionSet floats = add_products(c, repeated, match);
    read::InstructionSet conversions = needless_conversions(c);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (divides[i] != 0 || floats[i] != 0) conversions[i] = 0;
    }
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return (of_execution(s) &&
              (divides[s.cause] != 0 || conversions[s.cause] != 0 || divides[s.waits] != 0)) ||
             floats[s.cause] != 0 || floats[s.waits] != 0;
    });
    if (match.stalls.empty()) return {};
    match.edits.push_back(
        {.kind = analyze::Edit::Kind::kRetyped, .instructions = conversions, .to_class = "alu"});
    match.relieves = {machine::Resource::kIssue, machine::Resource::kXu, machine::Resource::kFma,
                      machine::Resource::kAlu};
    const BlamedStall& hot = hottest(c, match.stalls);
    const bool division = divides[hot.cause] != 0 || divides[hot.waits] != 0;
    if (floats[hot.cause] != 0 || floats[hot.waits] != 0) {
      tell_floats(c, repeated, match);
    } else if (division) {
      tell_division(c, divisions, hot, match);
    } else {
      tell_conversion(c, hot, match);
    }
    return match;
  }

  // Two loops instead of the division: the division and the code that serves it disappear, and
  // values derived from it are incremented, not recomputed.
  static void add_counted(const Case& c, const Division& division, analyze::Edit& edit,
                          Match& match) {
    analyze::Edit following{.kind = analyze::Edit::Kind::kShare,
                            .instructions = read::InstructionSet(c.size()),
                            .value = kCountedOn};
    for (const std::uint32_t i : division.following) following.instructions[i] = 1;
    edit.kind = analyze::Edit::Kind::kSkipped;
    add_dead_code(c.kernel, edit.instructions);
    match.edits.push_back(std::move(following));
  }

  // Replaces each float division by a product. Marks the removed instructions, including slow paths
  // that no other division needs.
  static read::InstructionSet add_products(const Case& c,
                                           const std::vector<RepeatedDivision>& divisions,
                                           Match& match) {
    analyze::Edit gone{.kind = analyze::Edit::Kind::kSkipped,
                       .instructions = read::InstructionSet(c.size())};
    analyze::Edit half{.kind = analyze::Edit::Kind::kShare,
                       .instructions = read::InstructionSet(c.size()),
                       .value = 0.5};
    for (const RepeatedDivision& d : divisions) {
      for (const std::uint32_t i : d.needless) gone.instructions[i] = 1;
      for (const std::uint32_t i : d.products) half.instructions[i] = 1;
    }
    mark_slow_paths(c, divisions, gone.instructions);
    add_dead_code(c.kernel, gone.instructions);
    read::InstructionSet both = gone.instructions;
    for (std::uint32_t i = 0; i < c.size(); ++i) both[i] |= half.instructions[i];
    match.edits.push_back(std::move(gone));
    match.edits.push_back(std::move(half));
    return both;
  }

  // The branch behind each check, the call that it leads to, and the function that is called there.
  static void mark_slow_paths(const Case& c, const std::vector<RepeatedDivision>& divisions,
                              read::InstructionSet& gone) {
    std::map<std::uint32_t, unsigned> calls;  // remaining calls, by function
    for (const read::BasicBlock& block : c.kernel.blocks) {
      if (block.callee == read::kNoIndex) continue;
      const std::uint32_t in_front = block.immediate_dominator;
      const std::uint32_t function = c.places.function_of(c.kernel.blocks[block.callee].first);
      const bool goes = in_front != read::kNoIndex &&
                        std::ranges::any_of(divisions, [&](const RepeatedDivision& d) {
                          return c.kernel.block_of[d.check] == in_front;
                        });
      calls[function] += goes ? 0 : 1;
      if (!goes) continue;
      for (std::uint32_t i = block.first; i <= block.last; ++i) gone[i] = 1;
      const std::uint32_t branch = c.kernel.blocks[in_front].last;
      if (c.at(branch).known() && c.at(branch).opcode->flow == read::Opcode::kBranch)
        gone[branch] = 1;
    }
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const auto of = calls.find(c.places.function_of(i));
      if (of != calls.end() && of->second == 0) gone[i] = 1;
    }
  }

  // If a division is a call: the call, the test whether 32 bits suffice, and code that serves only
  // these.
  static read::InstructionSet call_sites(const Case& c, const read::InstructionSet& divides) {
    read::InstructionSet gone(c.size());
    for (const read::BasicBlock& block : c.kernel.blocks) {
      if (block.callee == read::kNoIndex || divides[c.kernel.blocks[block.callee].first] == 0)
        continue;
      mark_call(c, block, gone);
      if (block.immediate_dominator == read::kNoIndex) continue;
      const std::uint32_t test = c.kernel.blocks[block.immediate_dominator].last;
      for (const std::uint32_t i : {test, behind(c, block)}) {
        if (c.at(i).known() && c.at(i).opcode->flow == read::Opcode::kBranch) gone[i] = 1;
      }
    }
    add_dead_code(c.kernel, gone);
    return gone;
  }

  // The end of the block after a call.
  static std::uint32_t behind(const Case& c, const read::BasicBlock& calling) {
    const std::uint32_t next = calling.last + 1;
    return next < c.size() ? c.kernel.blocks[c.kernel.block_of[next]].last : calling.last;
  }

  static void tell_division(const Case& c, const std::vector<Division>& divisions,
                            const BlamedStall& hot, Match& match) {
    const auto holds = [&](const Division& d) {
      return std::ranges::find(d.instructions, hot.cause) != d.instructions.end() ||
             std::ranges::find(d.instructions, hot.waits) != d.instructions.end();
    };
    const auto of = std::ranges::find_if(divisions, holds);
    read::InstructionSet divides(c.size());
    for (const Division& d : divisions) {
      for (const std::uint32_t i : d.instructions) divides[i] = 1;
    }
    const std::uint32_t site = of->site;
    const bool in_line = of->bits == 32 && may_have(c, hot.waits, Construct::kDivision);
    const std::uint32_t at = in_line ? hot.waits : site;
    const bool remainder = c.source(at).find('%') != std::string::npos;
    match.text = fmt::format(
        "Integer division takes {:.0f} % of warp time and {:.0f} % of the issue slots: the {}{} at "
        "{} compiles to {} instructions{}.",
        100 * share_of(c, match.stalls), 100 * issued_share(c, divides),
        of->bits == 64 ? "64-bit " : "", remainder ? "remainder" : "division",
        of->bits == 64 ? sites_text(c, *of) : place_name(c.kernel, at), of->instructions.size(),
        of->bits == 64 ? ", in a routine of its own" : "");
    if (of->bits == 64) {
      match.where = site;
      tell_long_division(c, *of, remainder, match);
      return;
    }
    if (of->counted && of->by_thread) {
      match.hint = fmt::format(
          "The dividend at {} advances by the same step in each iteration. Divide before the loop "
          "only: the first dividend gives the first {}. In each iteration add the step to the "
          "remainder (or its remainder, if the step is larger than the divisor); if that reaches "
          "the divisor, subtract the divisor{}.",
          place_name(c.kernel, at), remainder ? "remainder" : "quotient and remainder",
          remainder ? "" : " and add 1 to the quotient");
      return;
    }
    if (of->counted) {
      match.hint = fmt::format(
          "The dividend at {} is the loop counter. Use two nested loops whose counters are the "
          "quotient and the remainder.",
          place_name(c.kernel, at));
      return;
    }
    if (is_data_of_thread(c, *of)) {
      match.hint = fmt::format(
          "The divisor at {} is data that differs between threads. Where the dividend stays below "
          "twice the divisor, such as the next index on a ring, compare and subtract instead; "
          "otherwise compute the divisor's reciprocal once and multiply by it.",
          place_name(c.kernel, at));
      return;
    }
    match.hint = fmt::format(
        "Make the divisor a template parameter or constexpr; {}; or precompute its multiplier on "
        "the host (fast division) and use __umulhi.",
        power_of_two_text(remainder, of->is_signed));
  }

  // Whether the divisor, whose conversion to float begins the reciprocal, was loaded by each lane.
  static bool is_data_of_thread(const Case& c, const Division& division) {
    const Origins origins(c.kernel);
    const auto converts = std::ranges::find_if(
        division.instructions, [&](std::uint32_t i) { return read::is_conversion(c.at(i)); });
    return converts != division.instructions.end() &&
           (origins.of(*converts) & Origins::kLoadedByLane) != 0;
  }

  // 32 bits are no choice for the product of two values of 32 bits.
  static void tell_long_division(const Case& c, const Division& division, bool remainder,
                                 Match& match) {
    if (!division.of_product) {
      match.hint = fmt::format(
          "Use 32 bits at {} if the values allow, or multiply by a reciprocal that is computed "
          "once per divisor.",
          place_name(c.kernel, division.site));
      return;
    }
    match.hint = fmt::format(
        "What is divided at {} is a product of 64 bits, so 32 do not suffice. If one divisor "
        "serves for many products, compute its reciprocal once and replace each {} by "
        "multiplications with it: {}.",
        place_name(c.kernel, division.site), remainder ? "remainder" : "division",
        remainder ? "Barrett reduction, or Montgomery multiplication for odd divisors"
                  : "the high half of the product with the reciprocal, and a correction");
  }

  // "a.cu:10, called at lines 20, 19 and 35": the places that divide, most executed first.
  static std::string sites_text(const Case& c, const Division& division) {
    std::vector<std::string> places;
    std::vector<std::string> calls;
    const auto add = [](std::vector<std::string>& list, std::string text) {
      if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
    };
    for (const std::uint32_t site : division.sites) {
      add(places, place_name(c.kernel, site));
      const auto chain = read::call_chain(*c.kernel.image, c.kernel.location_at(c.at(site).offset));
      if (chain.size() > 1 && chain[0]->file == chain[1]->file)
        add(calls, std::to_string(chain[1]->line));
    }
    std::string text = list_of(places, kNamedPlaces);
    if (places.size() == 1 && !calls.empty()) {
      text += fmt::format(" (called at line{} {})", calls.size() == 1 ? "" : "s",
                          list_of(calls, kNamedPlaces));
    }
    return text;
  }

  static std::string_view power_of_two_text(bool remainder, bool is_signed) {
    if (is_signed) {
      return remainder
                 ? "if it is a power of two and x is never negative, write x & (n - 1)"
                 : "if it is a power of two and the dividend is never negative, shift instead";
    }
    return remainder ? "if it is a power of two, write x & (n - 1)"
                     : "if it is a power of two, shift instead";
  }

  // The division with the most of the matched stalls: its own code, not that of slow paths or of
  // what only served it.
  static std::uint32_t hottest_check(const Case& c, const std::vector<RepeatedDivision>& divisions,
                                     const Match& match) {
    std::uint32_t check = divisions.front().check;
    double most = 0;
    for (const RepeatedDivision& d : divisions) {
      double cycles = 0;
      for (const MatchedStall& m : match.stalls) {
        const BlamedStall& s = c.blamed.stalls[m.stall];
        const auto holds = [&](const std::vector<std::uint32_t>& set) {
          return std::ranges::find(set, s.waits) != set.end() ||
                 std::ranges::find(set, s.cause) != set.end();
        };
        if (holds(d.needless) || holds(d.products)) cycles += s.cycles.sum();
      }
      if (cycles > most) check = d.check;
      most = std::max(most, cycles);
    }
    return check;
  }

  static void tell_floats(const Case& c, const std::vector<RepeatedDivision>& divisions,
                          Match& match) {
    const bool in_loop = std::ranges::any_of(divisions, &RepeatedDivision::in_loop);
    match.where = hottest_check(c, divisions, match);
    const std::string place = place_name(c.kernel, match.where);
    match.text = fmt::format("{:.0f} % of warp time goes into float divisions by {}. Hottest: {}.",
                             100 * share_of(c, match.stalls),
                             in_loop ? "a loop-invariant value" : "a repeated divisor", place);
    match.hint = fmt::format(
        "Compute the reciprocal of the divisor at {} once, {}, and multiply by it (the last bit "
        "may differ).",
        place, in_loop ? "before the loop" : "before the first division");
  }

  static void tell_conversion(const Case& c, const BlamedStall& hot, Match& match) {
    const bool fro = std::ranges::any_of(c.kernel.dependences_of(hot.cause), [&](const auto& d) {
      return d.kind == read::Dependence::Kind::kRegister && read::is_conversion(c.at(d.producer));
    });
    match.text = fmt::format("Type conversions stall warps for {:.0f} % of warp time. Hottest: {}.",
                             100 * share_of(c, match.stalls), place_name(c.kernel, hot.cause));
    const std::string place = place_name(c.kernel, hot.cause);
    match.hint =
        fro ? fmt::format("Keep the value at {} in one type: it is converted to and fro.", place)
            : fmt::format("Convert the value at {} once outside the loop, or keep it in one type.",
                          place);
  }
};

}  // namespace

const Rule* strength_reduction() {
  static const StrengthReduction rule;
  return &rule;
}

}  // namespace burin::advise
