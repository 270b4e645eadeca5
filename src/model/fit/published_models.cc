#include "model/fit/published_models.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "model/fit/hardware.h"

namespace burin::model {
namespace {

formula::NamedExpression defined(const char* name, const char* value) {
  Result<formula::Expression> parsed = formula::Expression::parse(value);
  assert(parsed.ok());
  return {name, *parsed};
}

double per_warp(const LaunchCounts& counts, double value) {
  return counts.warps > 0 ? value / counts.warps : 0;
}

}  // namespace

std::span<const PublishedMetric> published_metrics() {
  static constexpr PublishedMetric kMetrics[] = {
      // Instructions of a warp, and those of them that access global memory.
      {"warp_instructions", [](const LaunchCounts& c) { return c.instructions; }},
      {"warp_requests", [](const LaunchCounts& c) { return per_warp(c, c.requests); }},
      // Sectors that such an instruction touches.
      {"request_sectors",
       [](const LaunchCounts& c) { return c.requests > 0 ? c.sectors / c.requests : 1; }},
      // Share of the sectors that the L1 cache does not have.
      {"miss_share",
       [](const LaunchCounts& c) {
         const double bytes = 32 * c.sectors;
         return bytes > 0 ? std::min(1.0, (c.l2_read_bytes + c.l2_write_bytes) / bytes) : 1;
       }},
      {"warp_barriers", [](const LaunchCounts& c) { return c.barriers; }},
      // Loads that are in flight together.
      {"memory_parallelism",
       [](const LaunchCounts& c) {
         return c.long_waits > 0 ? std::max(1.0, c.long_loads / c.long_waits) : 1;
       }},
  };
  return kMetrics;
}

std::vector<std::string> published_inputs() {
  return {"sm_count", "clock_mhz", "dram_latency", "l2_latency", "dram_bytes_per_cycle"};
}

std::vector<formula::NamedExpression> mwp_cwp_definitions() {
  return {
      defined("active_warps", "max(1, min(resident_warps, blocks * block_warps / sm_count))"),
      // Cycles between two sectors from memory, per SM; and of one request.
      defined("sector_delay", "32 * sm_count / dram_bytes_per_cycle"),
      defined("departure_delay", "request_sectors * miss_share * sector_delay + 1"),
      defined("memory_latency",
              "dram_latency * miss_share + l2_latency * (1 - miss_share) + "
              "(request_sectors - 1) * sector_delay"),
      defined("memory_warps", "max(1, min(memory_latency / departure_delay, active_warps))"),
      defined("memory_cycles", "memory_latency * warp_requests"),
      defined("compute_cycles", "max(1, warp_instructions / schedulers)"),
      defined("compute_warps",
              "min((memory_cycles + compute_cycles) / compute_cycles, active_warps)"),
      defined("repetitions", "ceil(blocks / max(1, resident_blocks * sm_count))"),
      defined("period_cycles", "compute_cycles / max(1, warp_requests) * (memory_warps - 1)"),
      defined("launch_cycles",
              "memory_cycles + compute_cycles + period_cycles "
              "if memory_warps >= active_warps and compute_warps >= active_warps else "
              "memory_cycles * active_warps / memory_warps + period_cycles "
              "if compute_warps >= memory_warps or compute_cycles > memory_cycles else "
              "memory_latency + compute_cycles * active_warps"),
      defined("barrier_cycles", "departure_delay * (memory_warps - 1) * warp_barriers"),
      defined("mwp_cwp_us", "(launch_cycles + barrier_cycles) * repetitions / clock_mhz"),
  };
}

std::vector<formula::NamedExpression> sim_definitions() {
  std::vector<formula::NamedExpression> all = mwp_cwp_definitions();
  // The same parallelism, up to memory_cycles; then work of all warps, which overlaps in part.
  const auto shared =
      std::ranges::find(all, std::string("repetitions"), &formula::NamedExpression::name);
  all.erase(shared, all.end());
  for (formula::NamedExpression& added : std::vector<formula::NamedExpression>{
           defined("sm_warps", "ceil(blocks / sm_count) * block_warps"),
           defined("total_compute",
                   "warp_instructions * sm_warps / schedulers * "
                   "max(1, 4 * schedulers / max(1, active_warps))"),
           defined("overlapped_requests",
                   "max(1, min(memory_parallelism * min(max(1, compute_warps - 1), memory_warps), "
                   "memory_latency / departure_delay))"),
           defined("total_memory",
                   "warp_requests * sm_warps / overlapped_requests * memory_latency"),
           defined("exposed", "1 if compute_warps <= memory_warps else 0"),
           defined("overlap",
                   "min(total_compute * (active_warps - exposed) / active_warps, total_memory)"),
           defined("sim_us",
                   "(total_compute + total_memory - overlap + "
                   "warp_barriers * departure_delay * sm_warps) / clock_mhz")}) {
    all.push_back(std::move(added));
  }
  return all;
}

double published_time_us(const std::vector<formula::NamedExpression>& definitions,
                         const LaunchCounts& counts, const machine::Machine& machine) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (counts.resident_blocks < 1) return kNone;
  formula::Names names = {{"blocks", counts.blocks},
                          {"block_warps", counts.warps},
                          {"resident_blocks", counts.resident_blocks},
                          {"resident_warps", counts.resident_blocks * counts.warps},
                          {"schedulers", machine.sm.schedulers}};
  for (const std::string& input : published_inputs()) {
    names[input] = *hardware_value(machine, input);
  }
  for (const PublishedMetric& metric : published_metrics()) {
    names[std::string(metric.name)] = metric.of(counts);
  }
  double value = kNone;
  for (const formula::NamedExpression& definition : definitions) {
    const Result<double> found = definition.value.evaluate_number(names);
    if (!found) return kNone;
    value = *found;
    names[definition.name] = value;
  }
  return value;
}

std::vector<PublishedQuality> judge_published(std::span<const CountedTime> launches,
                                              const machine::Machine& machine) {
  std::map<Sizes, std::vector<const CountedTime*>> by_size;
  for (const CountedTime& launch : launches) {
    if (!std::isnan(launch.time_us)) by_size[launch.sizes].push_back(&launch);
  }
  std::vector<PublishedQuality> qualities;
  for (const auto& [name, definitions] :
       {std::pair<std::string_view, std::vector<formula::NamedExpression>>{"mwp-cwp",
                                                                           mwp_cwp_definitions()},
        {"sim 2012", sim_definitions()}}) {
    PublishedQuality quality{.name = name, .mean = 1, .worst = 1};
    double sum = 0;
    for (const auto& [sizes, there] : by_size) {
      if (there.size() < 2) continue;
      double fastest = std::numeric_limits<double>::infinity();
      double least = std::numeric_limits<double>::infinity();
      double chosen = 0;
      for (const CountedTime* launch : there) {
        fastest = std::min(fastest, launch->time_us);
        const double said = published_time_us(definitions, launch->counts, machine);
        if (!(said < least)) continue;
        least = said;
        chosen = launch->time_us;
      }
      if (chosen == 0) continue;
      sum += std::log(fastest / chosen);
      quality.worst = std::min(quality.worst, fastest / chosen);
      ++quality.cases;
    }
    if (quality.cases > 0) quality.mean = std::exp(sum / static_cast<double>(quality.cases));
    qualities.push_back(quality);
  }
  return qualities;
}

std::vector<MetricFit> fit_metrics(const std::vector<std::string>& names,
                                   std::span<const CountedTime> launches) {
  std::vector<MetricFit> fits;
  if (launches.empty()) return fits;
  // Variables that differ somewhere: sizes, then sides.
  std::vector<std::string> variables;
  std::vector<std::size_t> places;
  const auto value_at = [&](const CountedTime& launch, std::size_t place) {
    return place < names.size() ? static_cast<double>(launch.sizes[place])
                                : static_cast<double>(launch.shape[place - names.size()]);
  };
  static constexpr const char* kSideNames[] = {"bx", "by", "bz"};
  for (std::size_t place = 0; place < names.size() + 3; ++place) {
    const double first = value_at(launches.front(), place);
    if (std::ranges::all_of(launches, [&](const CountedTime& launch) {
          return value_at(launch, place) == first;
        })) {
      continue;
    }
    variables.push_back(place < names.size() ? names[place] : kSideNames[place - names.size()]);
    places.push_back(place);
  }
  std::map<Sizes, std::uint32_t> groups;
  for (const CountedTime& launch : launches) {
    groups.emplace(launch.sizes, static_cast<std::uint32_t>(groups.size()));
  }
  for (const PublishedMetric& metric : published_metrics()) {
    std::vector<FitPoint> points;
    bool constant = true;
    for (const CountedTime& launch : launches) {
      FitPoint point{{}, metric.of(launch.counts), groups.at(launch.sizes)};
      for (const std::size_t place : places) point.at.push_back(value_at(launch, place));
      constant = constant && point.value == metric.of(launches.front().counts);
      points.push_back(std::move(point));
    }
    if (constant) continue;
    Result<RationalFit> fit =
        fit_rational(variables, points, {.max_numerator = 3, .max_denominator = 2, .max_total = 3});
    if (fit) fits.push_back({metric.name, std::move(*fit)});
  }
  return fits;
}

}  // namespace burin::model
