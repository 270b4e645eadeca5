// Warps wait and too few other warps hide the latency, because registers, shared memory or the
// block size limit the number of resident blocks.
//
// The work stays the same while more warps share a scheduler, so factor f undoes C_W. The advice is
// the smallest step that reaches most of the gain.
#include <algorithm>
#include <cmath>
#include <set>

#include "advise/case/estimate.h"
#include "advise/case/trust.h"
#include "advise/patterns/mapping/launch_shape.h"
#include "advise/rules/all.h"
#include "analyze/what_if.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr double kMinRegisters = 0.5;  // of the current registers; with fewer it would spill
constexpr double kMinGainShare = 0.9;  // of the largest gain
// Of the schedulers' cycles; above that, schedulers are busy.
constexpr double kMaxIssueShare = 0.75;

struct Step {
  std::string what_if;
  std::string hint;
  machine::Occupancy occupancy;
  std::string shape{};  // the changed launch, as options; "": unchanged
  double speedup = 1;
};

bool limited_by(const machine::Occupancy& occupancy, std::string_view name) {
  const std::vector<std::string_view> limiters = occupancy.limiters();
  return std::ranges::find(limiters, name) != limiters.end();
}

// The largest number of registers or bytes with which an SM holds this many blocks; 0: none.
std::uint64_t largest(const Case& c, std::uint64_t machine::KernelNeeds::* field,
                      std::uint64_t granule, std::uint64_t blocks) {
  machine::KernelNeeds needs = c.needs;
  for (std::uint64_t n = needs.*field / granule * granule; n > 0; n -= granule) {
    needs.*field = n;
    const Result<machine::Occupancy> found = machine::occupancy(c.machine, needs);
    if (found && found->blocks >= blocks) return n;
  }
  return 0;
}

// One block more, 1.5 times and twice as many. Few steps, since each is emulated.
std::set<std::uint64_t> wanted_blocks(const Case& c) {
  const std::uint64_t now = c.occupancy.blocks;
  return {now + 1, now + (now + 1) / 2, 2 * now};
}

void add_registers(const Case& c, std::vector<Step>& steps) {
  if (!limited_by(c.occupancy, "registers")) return;
  for (const std::uint64_t blocks : wanted_blocks(c)) {
    const std::uint64_t n = largest(c, &machine::KernelNeeds::registers, 8, blocks);
    if (static_cast<double>(n) < kMinRegisters * static_cast<double>(c.needs.registers)) return;
    machine::KernelNeeds needs = c.needs;
    needs.registers = n;
    const machine::Occupancy found = *machine::occupancy(c.machine, needs);
    steps.push_back(
        {.what_if = fmt::format("registers={}", n),
         .hint = fmt::format("Reduce registers per thread to {} from {} (__launch_bounds__({}, {}) "
                             "or -maxrregcount, or fewer live values) and check that nothing "
                             "spills. An SM then holds {}.",
                             n, c.needs.registers, c.block.total(), found.blocks,
                             count_of(found.blocks, "block")),
         .occupancy = found});
  }
}

// The bytes of shared memory that a block accesses; all of it if unknown.
std::uint64_t shared_touched(const Case& c) {
  if (c.study == nullptr) return c.needs.shared;
  std::uint64_t touched = c.study->traced().reference.shared_bytes;
  for (const timing::TracedWindow& window : c.study->traced().windows) {
    for (const timing::BlockTrace& trace : window.traces)
      touched = std::max(touched, trace.shared_bytes);
  }
  // The shared window starts with bytes reserved by the system.
  const auto reserved = static_cast<std::uint64_t>(c.machine.limit.shared_reserved);
  return std::min(touched - std::min(touched, reserved), c.needs.shared);
}

void add_shared(const Case& c, std::vector<Step>& steps) {
  if (!limited_by(c.occupancy, "shared memory")) return;
  const std::uint64_t touched = shared_touched(c);
  const bool spare = touched < c.needs.shared / 2;
  const auto add = [&](std::uint64_t bytes, std::string hint) {
    machine::KernelNeeds needs = c.needs;
    needs.shared = bytes;
    const Result<machine::Occupancy> found = machine::occupancy(c.machine, needs);
    if (!found || found->blocks <= c.occupancy.blocks) return;
    steps.push_back({.what_if = fmt::format("shared={}", bytes),
                     .hint = fmt::format("{}. An SM then holds {} instead of {}.", hint,
                                         count_of(found->blocks, "block"), c.occupancy.blocks),
                     .occupancy = *found});
  };
  if (spare && touched > 0) {
    add(touched, fmt::format("A block reserves {} bytes of shared memory but touches only {}: size "
                             "the array to what is needed (extern __shared__, sized at launch)",
                             with_commas(c.needs.shared), with_commas(touched)));
    return;
  }
  for (const std::uint64_t blocks : wanted_blocks(c)) {
    const std::uint64_t bytes = largest(c, &machine::KernelNeeds::shared, 128, blocks);
    if (bytes == 0) return;
    add(bytes,
        fmt::format(
            "Reduce shared memory per block to {} bytes from {} (smaller tile or narrower type)",
            with_commas(bytes), with_commas(c.needs.shared)));
  }
}

// Block sizes that do not divide the warp limit of an SM.
void add_block(const Case& c, std::vector<Step>& steps) {
  if (!limited_by(c.occupancy, "warps") || c.block.y > 1 || c.block.z > 1) return;
  const LaunchShape shape(c);
  for (const std::uint32_t threads : {512u, 256u}) {
    machine::KernelNeeds needs = c.needs;
    needs.threads = threads;
    const Result<machine::Occupancy> found = machine::occupancy(c.machine, needs);
    if (!found || threads >= c.block.x || found->warps <= c.occupancy.warps) continue;
    const std::optional<launch::Launch> launch = shape.with_block({threads});
    if (!launch) continue;
    steps.push_back(
        {.what_if = fmt::format("block={}", threads),
         .hint = fmt::format(
             "Launch blocks of {} threads instead of {}: an SM then holds {} instead of {}.",
             threads, c.block.x, count_of(found->warps, "warp"), c.occupancy.warps),
         .occupancy = *found,
         .shape = shape_options(launch->grid, launch->block)});
    return;
  }
}

class OccupancyIncrease final : public Rule {
  std::string_view id() const override { return "occupancy-increase"; }
  std::string_view summary() const override { return "stalls that higher occupancy could hide"; }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    const double issuing = busy_schedulers(c);
    const double wanted = static_cast<double>(c.grid.total()) / c.machine.sm.count;
    if (issuing > kMaxIssueShare || wanted <= static_cast<double>(c.occupancy.blocks)) return {};
    std::vector<Step> steps;
    add_registers(c, steps);
    add_shared(c, steps);
    add_block(c, steps);
    if (steps.empty()) return {};
    const bool believed = emulation_trust(c).yes;
    for (Step& step : steps) step.speedup = speedup(c, step, believed);
    const double most = std::ranges::max(steps, {}, &Step::speedup).speedup;
    if (!(most > 1)) return {};
    std::ranges::stable_sort(steps, {}, [](const Step& s) { return s.occupancy.blocks; });
    const Step& chosen = *std::ranges::find_if(
        steps, [&](const Step& s) { return s.speedup - 1 >= kMinGainShare * (most - 1); });

    Match match = of(c, chosen);
    if (believed) {
      match.emulated = chosen.speedup;
    } else {
      match.what_if = chosen.what_if;
    }
    match.text = fmt::format(
        "Occupancy is {} of {:.0f} warps per SM, limited by {}. The schedulers issue in only "
        "{:.0f} % of the cycles: too few warps to hide latency.",
        c.occupancy.warps, c.machine.limit.warps, fmt::join(c.occupancy.limiters(), " and "),
        100 * issuing);
    match.hint = chosen.hint;
    match.check = chosen.shape.empty() ? shape_options(c.grid, c.block) : chosen.shape;
    if (chosen.what_if.starts_with("registers")) match.toll = kDefaultToll;
    return {std::move(match)};
  }

  // The share of cycles in which schedulers issue, from the issue rate and number of warps.
  static double busy_schedulers(const Case& c) {
    double issued = 0;
    for (const double i : c.blamed.issued) issued += i;
    return c.blamed.total > 0 ? std::min(1.0, issued / c.blamed.total * warps_per_scheduler(c)) : 1;
  }

  static Match of(const Case& c, const Step& step) {
    Match match;
    match.estimator = Estimator::kParallel;
    const double old_warps = warps_per_scheduler(c);
    const double fit = static_cast<double>(step.occupancy.warps) / c.machine.sm.schedulers;
    const double all = std::ceil(static_cast<double>(c.grid.total()) / c.machine.sm.count) *
                       std::ceil(static_cast<double>(c.block.total()) / 32) /
                       c.machine.sm.schedulers;
    match.warps = std::min(fit, all);
    match.factor = match.warps / old_warps;
    return match;
  }

  static double speedup(const Case& c, const Step& step, bool emulated) {
    if (!emulated) return estimate(c, of(c, step));
    const Result<analyze::WhatIf> what_if = analyze::parse_what_if(step.what_if, c.machine);
    if (!what_if) return 1;
    const Result<timing::Prediction> p = analyze::predict_what_if(*c.study, *what_if);
    return p && p->time_us > 0 ? c.study->base().time_us / p->time_us : 1;
  }
};

}  // namespace

const Rule* occupancy_increase() {
  static const OccupancyIncrease rule;
  return &rule;
}

}  // namespace burin::advise
