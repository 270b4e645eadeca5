#include "advise/patterns/code/power_series.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/slack.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

bool is_product(const read::Instruction& i) {
  return read::arithmetic_of(i) == read::Arithmetic::kMultiply && read::float_operations(i) > 0;
}

bool is_fused(const read::Instruction& i) {
  return read::arithmetic_of(i) == read::Arithmetic::kMultiplyAdd && read::float_operations(i) > 0;
}

// Whether one factor of the product comes from before the loop and the other one from `powers`, or
// also from before the loop in the first iteration.
bool is_next_power(const Case& c, std::uint32_t product, std::uint32_t loop,
                   const read::InstructionSet& powers) {
  struct Sources {
    bool inside = false;
    bool others = false;  // from inside the loop, but not a power
  };
  std::map<std::uint16_t, Sources> factors;  // by register
  for (const read::Dependence& d : c.kernel.dependences_of(product)) {
    if (d.kind != read::Dependence::Kind::kRegister || d.file != read::RegisterFile::kGeneral)
      continue;
    Sources& of = factors[d.index];
    if (!c.places.in_loop(d.producer, loop)) continue;
    of.inside = true;
    of.others |= powers[d.producer] == 0;
  }
  const auto carried = std::ranges::count_if(
      factors, [](const auto& f) { return f.second.inside && !f.second.others; });
  return factors.size() == 2 && carried == 1 &&
         std::ranges::none_of(factors, [](const auto& f) { return f.second.others; });
}

// Whether the loop uses a power only for the next power and for terms of a sum.
bool serves_sum(const Case& c, std::uint32_t power, std::uint32_t loop, const Slack& slack,
                const read::InstructionSet& powers,
                const std::vector<std::vector<std::uint32_t>>& consumers) {
  return std::ranges::all_of(consumers[power], [&](std::uint32_t use) {
    if (!c.places.in_loop(use, loop) || powers[use] != 0) return true;
    return is_fused(c.at(use)) && slack.recurrent(use, loop);
  });
}

}  // namespace

std::vector<PowerSeries> power_series(const Case& c) {
  std::vector<PowerSeries> all;
  const Slack slack(c);
  const std::vector<std::vector<std::uint32_t>> consumers = consumers_of(c.kernel);
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
    if (!slack.innermost(loop)) continue;
    PowerSeries series{.loop = loop, .powers = read::InstructionSet(c.size())};
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      series.powers[i] = c.places.in_loop(i, loop) && c.executed(i) && is_product(c.at(i)) &&
                                 slack.recurrent(i, loop)
                             ? 1
                             : 0;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t i = 0; i < c.size(); ++i) {
        if (series.powers[i] == 0) continue;
        if (is_next_power(c, i, loop, series.powers) &&
            serves_sum(c, i, loop, slack, series.powers, consumers)) {
          continue;
        }
        series.powers[i] = 0;
        changed = true;
      }
    }
    const bool summed = std::ranges::any_of(
        std::views::iota(0u, static_cast<std::uint32_t>(c.size())), [&](std::uint32_t i) {
          return series.powers[i] != 0 && std::ranges::any_of(consumers[i], [&](std::uint32_t use) {
                   return c.places.in_loop(use, loop) && is_fused(c.at(use));
                 });
        });
    if (summed) all.push_back(std::move(series));
  }
  return all;
}

}  // namespace burin::advise
