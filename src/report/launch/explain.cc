#include "report/launch/explain.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/isa/print.h"
#include "read/program/names.h"
#include "report/launch/certainty.h"
#include "report/launch/faults.h"
#include "timing/result/launch_faults.h"

namespace burin::report {
namespace {

constexpr double kMinShown = 0.005;     // share of the time
constexpr double kMinRegionPart = 0.5;  // part of a share from which a region is named
constexpr std::size_t kMaxLinks = 8;
constexpr std::size_t kFirst = 14;  // width of the first column

bool by_saake(const ExplainReport& report) {
  return report.options.predict.model == timing::PredictOptions::Model::kSaake;
}

void write_head(Output& out, const ExplainReport& report) {
  const timing::Prediction& p = report.explanation.prediction;
  out.put(Style::kBold, read::shorten(report.kernel.function->demangled, out.width()),
          Style::kPlain, " on ", report.machine.name, ": ", Style::kBold, time_text(p.time_us),
          Style::kPlain, " predicted", by_saake(report) ? " by the SAAKE model" : "", ", caches ",
          report.options.predict.warm ? "warm" : "cold", "; no GPU used\n");
  if (report.machine_assumed) {
    out.put("no --machine given: assuming ", report.machine.name, " for ",
            read::to_string(report.machine.arch), '\n');
  }
  out.put(bottleneck_sentence(report), '\n');
  write_interval(out, p.certainty);
}

// "12 to 20": the steps in % that shares were measured with.
std::string steps_text(const ExplainReport& report) {
  double least = report.options.step;
  double most = report.options.step;
  if (!by_saake(report)) {
    bool first = true;
    for (const analyze::Sensitivity& row : report.explanation.limits.rows) {
      for (const double step : row.steps) {
        least = first ? step : std::min(least, step);
        most = first ? step : std::max(most, step);
        first = false;
      }
    }
  }
  const std::string text = short_number(100 * least);
  return least == most ? text : fmt::format("{} to {}", text, short_number(100 * most));
}

void write_sensitivities(Output& out, const ExplainReport& report) {
  out.put('\n', Style::kBold, Left{"resource", kFirst}, Left{"mode", 12}, Right{"share", 7},
          Right{"±", 8}, Style::kPlain, '\n');
  std::size_t hidden = 0;
  for (const analyze::Sensitivity& row : report.explanation.limits.rows) {
    // Shares within the noise are not shown.
    if (!report.all && row.share < std::max(kMinShown, 2 * row.uncertainty)) {
      ++hidden;
      continue;
    }
    out.put(Left{machine::name(row.resource), kFirst}, Left{analyze::name(row.mode), 12},
            Right{percent(row.share), 7}, Right{row.replayed ? percent(row.uncertainty) : "", 8},
            '\n');
  }
  if (hidden > 0) {
    out.put(count_of(hidden, "row"), " not significantly above 0; --all shows them\n");
  }
  out.put(
      fmt::format("share: time in % per 1 % that the resource is slower, from steps of {} %; "
                  "±: standard deviation, from warp ordering\n",
                  steps_text(report)));
}

// ", mostly in the loop at stream.cu:31-33": the smallest region that has most of the share.
std::string main_place(const ExplainReport& report, const analyze::Sensitivity& row) {
  const std::vector<analyze::RegionShare>* shares = &row.regions;
  const analyze::RegionShare* found = nullptr;
  while (!shares->empty()) {
    const auto most = std::ranges::max_element(*shares, {}, &analyze::RegionShare::share);
    if (most->share < kMinRegionPart * row.share) break;
    found = &*most;
    shares = &most->inside;
  }
  if (found == nullptr) return "";
  return ", mostly in the " + report.explanation.regions.list[found->region].name;
}

void write_bounds(Output& out, const ExplainReport& report) {
  const analyze::Explanation& why = report.explanation;
  if (why.limits.bounds.empty()) return;
  out.put('\n', Style::kBold, Left{"lower bound", kFirst}, Right{"time", 10}, "  of predicted",
          Style::kPlain, '\n');
  for (const analyze::Bound& bound : why.limits.bounds) {
    const double share = bound.time_us / why.prediction.time_us;
    if (!report.all && share < 10 * kMinShown) continue;
    out.put(Left{bound.name, kFirst}, Right{time_text(bound.time_us), 11}, Right{percent(share), 9},
            '\n');
  }
  const analyze::Roofline& roof = why.roofline;
  if (roof.operations > 0 && roof.most_per_second > 0) {
    out.put(Left{"roofline", kFirst},
            fmt::format("{} of {} GFLOP/s attainable ({})", short_number(roof.per_second / 1e9),
                        short_number(roof.most_per_second / 1e9),
                        roof.memory ? "memory-bound" : "compute-bound"));
    if (roof.dram_bytes > 0) {
      out.put(fmt::format(", arithmetic intensity {} FLOP per DRAM byte",
                          three_digits(roof.operations / roof.dram_bytes)));
    }
    out.put('\n');
  }
}

std::string instruction_text(const read::Kernel& kernel, std::uint32_t index) {
  std::string text;
  read::print(kernel.instructions[index], text);
  const std::size_t end = text.find_first_of(" ;", text.starts_with('@') ? text.find(' ') + 1 : 0);
  return text.substr(0, end);
}

std::string place_of(const read::Kernel& kernel, std::uint32_t index) {
  const analyze::SourceLine line = analyze::line_of(kernel, index);
  const std::string what = instruction_text(kernel, index);
  if (line.file.empty()) {
    return fmt::format("{} at 0x{:04x}", what, kernel.instructions[index].offset);
  }
  return fmt::format("{} at 0x{:04x}, {}", what, kernel.instructions[index].offset,
                     line_name(line.file, line.line));
}

void write_path(Output& out, const ExplainReport& report) {
  const analyze::CriticalPath& path = report.explanation.path;
  if (path.links.empty()) return;
  out.put('\n', Style::kBold, Left{"critical path", kFirst + 4}, Right{"share", 7}, "  ",
          Left{"times", 8}, "instruction and what it waits on", Style::kPlain, '\n');
  const std::size_t shown = report.all ? path.links.size() : std::min(path.links.size(), kMaxLinks);
  for (std::size_t k = 0; k < shown; ++k) {
    const analyze::PathLink& link = path.links[k];
    out.put(Left{launch::name(link.stall), kFirst + 4},
            Right{percent(link.cycles / path.cycles), 7}, "  ", Left{with_commas(link.times), 8},
            place_of(report.kernel, link.instruction));
    if (link.cause == timing::PathStep::kNone) {
      out.put(", waits for the SM to start\n");
    } else if (link.cause == link.instruction) {
      out.put(", waits on its previous execution\n");
    } else {
      out.put(", waits on ", place_of(report.kernel, link.cause), '\n');
    }
  }
  if (shown < path.links.size()) {
    out.put("and ", count_of(path.links.size() - shown, "more link"), "; --all shows them\n");
  }
}

void write_what_ifs(Output& out, const ExplainReport& report) {
  if (report.explanation.what_ifs.empty()) return;
  std::size_t width = kFirst;
  for (const analyze::WhatIfTime& w : report.explanation.what_ifs) {
    width = std::max(width, w.text.size() + 2);
  }
  out.put('\n', Style::kBold, Left{"what if", width}, Right{"time", 10}, "   speedup",
          Style::kPlain, '\n');
  for (const analyze::WhatIfTime& w : report.explanation.what_ifs) {
    const double speedup = report.explanation.prediction.time_us / w.prediction.time_us;
    out.put(Left{w.text, width}, Right{time_text(w.prediction.time_us), 11},
            fmt::format("{:8.2f} ×\n", speedup));
  }
}

void write_ladder(Output& out, const ExplainReport& report) {
  const std::vector<analyze::Rung>& ladder = report.explanation.ladder;
  if (ladder.empty()) return;
  out.put('\n', Style::kBold, Left{"blocks per SM", kFirst}, Left{"warps", 7}, Right{"time", 9},
          Style::kPlain, '\n');
  for (const analyze::Rung& rung : ladder) {
    out.put(Left{std::to_string(rung.blocks), kFirst}, Left{std::to_string(rung.warps), 7},
            Right{time_text(rung.time_us), 10}, '\n');
  }
  const analyze::Rung least = analyze::least_occupancy(ladder, 1.02);
  if (least.blocks < ladder.front().blocks) {
    out.put("at ", count_of(least.blocks, "block"), " per SM the time is at most 2 % longer\n");
  }
}

}  // namespace

std::string bottleneck_sentence(const ExplainReport& report) {
  const analyze::Limits& limits = report.explanation.limits;
  if (limits.limiters.empty()) return limit_sentence(limits);
  return limit_sentence(limits, main_place(report, limits.rows[limits.limiters[0]]));
}

void write_explanation(Output& out, const ExplainReport& report) {
  write_fault_notes(out, report.kernel, timing::launch_faults(report.launch, report.machine),
                    report.explanation.prediction.faults);
  write_head(out, report);
  write_sensitivities(out, report);
  write_region_matrix(out, report);
  write_bounds(out, report);
  write_path(out, report);
  write_what_ifs(out, report);
  write_ladder(out, report);
  for (const std::string& note : report.explanation.prediction.notes) {
    out.put("note: ", note, '\n');
  }
}

}  // namespace burin::report
