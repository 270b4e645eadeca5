#include "report/advice/plan.h"

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "report/launch/limit_sentence.h"

namespace burin::report {
namespace {

constexpr std::size_t kMaxAdded = 3;

// The part of the work that takes longest.
std::string work_text(const analyze::WorkBound& work) {
  if (work.time_us <= work.launch_us) return "an empty kernel";
  if (work.dram_us >= work.arithmetic_us) {
    const double bytes = work.read_bytes + work.write_bytes;
    return fmt::format("{} to and from DRAM", human_bytes(static_cast<std::uint64_t>(bytes)));
  }
  return fmt::format("{} G floating-point operations", three_digits(work.operations / 1e9));
}

std::string limiter_text(const jobs::Plan& plan) {
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    const auto resource = static_cast<machine::Resource>(r);
    if (machine::name(resource) != plan.limiter) continue;
    return fmt::format("limited by {} ({:.0f} % busy)", words_of(resource),
                       100 * plan.limiter_busy);
  }
  return "limited by latency: no unit is busy for half of the time";
}

}  // namespace

void write_headroom(Output& out, const jobs::Plan& plan) {
  out.put(fmt::format("Headroom: {:.1f}×. {} now; the work takes at least {} ({})",
                      plan.base_us / plan.work.time_us, time_text(plan.base_us),
                      time_text(plan.work.time_us), work_text(plan.work)));
  std::vector<std::string> added;
  for (const analyze::Bound& bound : plan.code_bounds) {
    added.push_back(fmt::format("{} {}", bound.name, time_text(bound.time_us)));
  }
  if (!added.empty()) {
    added.resize(std::min(added.size(), kMaxAdded));
    out.put("; this code's own lower bounds: ", list_of(added, kMaxAdded));
  }
  out.put(".\n");
}

void write_plan(Output& out, const jobs::Plan& plan) {
  double before = plan.base_us;
  std::size_t number = 0;
  for (const jobs::PlanStep& step : plan.steps) {
    std::string what = step.change;
    if (!step.tried) {
      what = fmt::format("{}{}{}: {}", step.rule, step.place.empty() ? "" : " at ", step.place,
                         step.change);
    }
    out.put(number == 0 ? "\nplan          " : "              ",
            fmt::format("{}  {}  {} → {}, {:.2f}×  {}\n", number + 1,
                        step.tried ? "tried    " : "estimated", time_text(before),
                        time_text(step.time_us), before / step.time_us, what));
    before = step.time_us;
    ++number;
  }
  out.put(number == 0 ? "\nplan          no step gains 3 %; " : "              then ",
          limiter_text(plan),
          fmt::format(", {:.2f}× above the lower bound of the work\n",
                      plan.time_us() / plan.work.time_us));
}

void write_plan_json(Json& json, const jobs::Plan& plan) {
  json.open("plan", '{');
  json.open("work", '{');
  json.field("time_us", plan.work.time_us);
  json.field("dram_us", plan.work.dram_us);
  json.field("arithmetic_us", plan.work.arithmetic_us);
  json.field("launch_us", plan.work.launch_us);
  json.field("read_bytes", plan.work.read_bytes);
  json.field("write_bytes", plan.work.write_bytes);
  json.field("operations", plan.work.operations);
  json.close();
  json.field("headroom", plan.base_us / plan.work.time_us);
  json.open("steps", '[');
  double before = plan.base_us;
  for (const jobs::PlanStep& step : plan.steps) {
    json.open('{');
    json.field("change", step.change);
    json.field("rule", step.rule);
    json.field("place", step.place);
    json.field("tried", step.tried);
    json.field("predicted_us", step.time_us);
    json.field("speedup", before / step.time_us);
    json.close();
    before = step.time_us;
  }
  json.close();
  json.field("limiter", plan.limiter);
  json.field("limiter_busy", plan.limiter_busy);
  json.field("above_work", plan.time_us() / plan.work.time_us);
  json.close();
}

}  // namespace burin::report
