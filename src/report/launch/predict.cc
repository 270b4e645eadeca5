#include "report/launch/predict.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/program/loop_lines.h"
#include "read/program/names.h"
#include "report/inspect/flow.h"
#include "report/launch/certainty.h"
#include "report/launch/faults.h"
#include "timing/result/launch_faults.h"

namespace burin::report {
namespace {

constexpr std::size_t kBarColumns = 25;
constexpr std::size_t kLabel = 14;      // width of the first column
constexpr double kMinNonzero = 0.0005;  // shares below it print as 0.0 %
constexpr std::size_t kMaxLoops = 8;

std::string bytes_text(double bytes) {
  return human_bytes(static_cast<std::uint64_t>(std::llround(std::max(bytes, 0.0))));
}

std::string bar(double share) {
  static constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(8 * kBarColumns)));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text.append(kEighths[eighths % 8]);
}

double ratio(double part, double of) {
  return of > 0 ? part / of : 0;
}

void write_head(Output& out, const PredictReport& report) {
  const timing::Prediction& p = report.prediction;
  out.put(Style::kBold, read::shorten(report.kernel.function->demangled, out.width()),
          Style::kPlain, " on ", report.machine.name, ": ", Style::kBold, time_text(p.time_us),
          Style::kPlain, " predicted (", whole(p.cycles), " cycles at ",
          fmt::format("{:.0f}", p.clock_mhz), " MHz), caches ",
          report.options.warm ? "warm" : "cold", "; no GPU used\n");
  if (report.options.model == timing::PredictOptions::Model::kSaake) {
    out.put("using the SAAKE model\n");
  }
  if (report.machine_assumed) {
    out.put("no --machine given: assuming ", report.machine.name, " for ",
            read::to_string(report.machine.arch), '\n');
  }
}

void write_launch(Output& out, const PredictReport& report) {
  const timing::Prediction& p = report.prediction;
  const machine::Occupancy& o = p.occupancy;
  const std::vector<std::string_view> limiters = o.limiters();
  const std::vector<std::string> names(limiters.begin(), limiters.end());
  const double sms = report.machine.sm.count;
  const double held = static_cast<double>(o.blocks) * sms;
  const std::uint64_t blocks = report.launch.grid.total();
  const double warps = report.machine.limit.warps;
  out.put('\n', Left{"occupancy", kLabel}, percent(theoretical_occupancy(report)), " theoretical (",
          o.warps, " of ", whole(warps), " warps: ", count_of(o.blocks, "block"), " of ",
          count_of(report.launch.block.total(), "thread"), " per SM)");
  if (!names.empty()) out.put(", limited by ", list_of(names, names.size()));
  const double achieved = achieved_occupancy(report);
  out.put('\n', Left{"", kLabel}, percent(achieved), " achieved (", three_digits(achieved * warps),
          " of ", whole(warps), " warps on average)\n", Left{"waves", kLabel},
          p.waves < 0.001 ? "under 0.001" : three_digits(p.waves), " (", with_commas(blocks),
          blocks == 1 ? " block, " : " blocks, ", whole(held), " at once)");
  if (sms_in_use(report) < sms) {
    out.put("; ", whole(sms_in_use(report)), " of ", whole(sms), " SMs in use");
  }
  if (p.tail_share >= kMinNonzero)
    out.put("; ", percent(p.tail_share), " of the time is the tail wave");
  out.put('\n', Left{"instructions", kLabel}, whole(p.instructions), " warp-level; IPC ",
          three_digits(p.ipc), " per SM\n");
  if (p.certainty.high_us > 0) {
    out.put(Left{"interval", kLabel}, interval_text(p.certainty.low_us, p.certainty.high_us), '\n');
    if (!p.certainty.validation.empty()) {
      out.put(Left{"machine file", kLabel}, p.certainty.validation, '\n');
    }
  }
  if (p.launch_cycles > 0) {
    out.put(Left{"launch", kLabel}, percent(ratio(p.launch_cycles, p.cycles)),
            " of the time is launch overhead\n");
  }
}

void write_resources(Output& out, const timing::Prediction& p) {
  out.put('\n', Style::kBold, Left{"resource", kLabel}, Right{"busy", 7}, Style::kPlain, '\n');
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    if (p.busy[r] < kMinNonzero) continue;
    out.put(Left{machine::name(static_cast<machine::Resource>(r)), kLabel},
            Right{percent(p.busy[r]), 7}, "  ", bar(p.busy[r]), '\n');
  }
}

void write_memory(Output& out, const PredictReport& report) {
  const timing::Prediction& p = report.prediction;
  const double dram = p.dram_read_bytes + p.dram_write_bytes;
  double sectors = 0;
  for (const timing::InstructionCost& cost : p.costs) sectors += cost.sectors;
  out.put('\n', Style::kBold, Left{"memory", kLabel}, Right{"hits", 7}, "  traffic", Style::kPlain,
          '\n');
  if (report.options.model != timing::PredictOptions::Model::kSaake) {
    out.put(Left{"l1", kLabel}, Right{percent(p.l1_hit_rate), 7}, "  ", bytes_text(32 * sectors),
            '\n');
  }
  out.put(Left{"l2", kLabel}, Right{percent(p.l2_hit_rate), 7}, "  ", bytes_text(p.l2_bytes), '\n',
          Left{"dram", kLabel}, Right{"", 7}, "  ", bytes_text(p.dram_read_bytes), " read, ",
          bytes_text(p.dram_write_bytes), " written");
  if (dram > 0) {
    out.put(", ", whole(dram / p.time_us / 1000), " GB/s");
  }
  out.put('\n');
}

void write_stalls(Output& out, const timing::Prediction& p) {
  out.put('\n', Style::kBold, Left{"warp state", 20}, Right{"share", 7}, "  active", Style::kPlain,
          '\n', Left{"issued", 20}, Right{percent(ratio(p.issued, p.warp_cycles)), 7}, '\n');
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    if (ratio(p.stalls[s].sum(), p.warp_cycles) >= kMinNonzero) order.push_back(s);
  }
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const double more = p.stalls[a].sum() - p.stalls[b].sum();
    return more != 0 ? more > 0 : a < b;
  });
  for (const std::size_t s : order) {
    const launch::StallCycles& cycles = p.stalls[s];
    out.put(Left{launch::name(static_cast<launch::Stall>(s)), 20},
            Right{percent(ratio(cycles.sum(), p.warp_cycles)), 7}, ' ',
            Right{percent(ratio(cycles.active, cycles.sum())), 7}, '\n');
  }
}

std::string loop_name(const read::Kernel& kernel, std::uint32_t loop) {
  const read::LoopLines range = lines_of(kernel, kernel.loops[loop]);
  std::string text(2 * (kernel.loops[loop].depth - 1), ' ');
  if (range.first == 0) {
    const LoopSize size = size_of(kernel, loop);
    return text + fmt::format("{:04x}-{:04x}", size.first_offset, size.last_offset);
  }
  return text + line_name(range.file, range.first, range.last);
}

// "  12.3 %  long_scoreboard 81 %"
void write_cost(Output& out, const CostSum& sum, const timing::Prediction& p) {
  out.put(Right{percent(ratio(sum.warp_cycles, p.warp_cycles)), 7}, "  ");
  const std::optional<launch::Stall> top = sum.top_stall();
  std::string text;
  if (top) {
    text = fmt::format("{} {:.0f} %", launch::name(*top),
                       100 * ratio(sum.stalls[static_cast<std::size_t>(*top)], sum.warp_cycles));
  }
  out.put(Left{text, 24});
}

void write_lines(Output& out, const PredictReport& report, read::SourceText& source) {
  const std::vector<LineCost> lines = costs_by_line(report);
  const std::size_t shown = std::min(lines.size(), report.most_lines);
  if (shown == 0) return;
  std::size_t width = 18;
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, line_name(lines[i].file, lines[i].line).size() + 1);
  }
  out.put('\n', Style::kBold, Left{"line", width}, Right{"share", 7}, "  ", Left{"top stall", 24},
          "source", Style::kPlain, '\n');
  for (std::size_t i = 0; i < shown; ++i) {
    const LineCost& sum = lines[i];
    out.put(Left{line_name(sum.file, sum.line), width});
    write_cost(out, sum, report.prediction);
    out.put(source.line(std::string(sum.file), sum.line), '\n');
  }
  if (shown < lines.size()) {
    out.put("and ", count_of(lines.size() - shown, "more line"), "; --lines shows them all\n");
  }
}

void write_loops(Output& out, const PredictReport& report) {
  std::vector<LoopCost> loops = costs_by_loop(report);
  if (loops.empty()) return;
  std::vector<std::string> names;
  std::size_t width = 18;
  for (const LoopCost& sum : loops) {
    names.push_back(loop_name(report.kernel, sum.loop));
    width = std::max(width, names.back().size() + 1);
  }
  out.put('\n', Style::kBold, Left{"loop", width}, Right{"share", 7}, "  top stall", Style::kPlain,
          '\n');
  for (std::size_t i = 0; i < std::min(loops.size(), kMaxLoops); ++i) {
    out.put(Left{names[i], width});
    write_cost(out, loops[i], report.prediction);
    while (out.buffer().ends_with(' ')) out.buffer().pop_back();
    out.put('\n');
  }
  if (loops.size() > kMaxLoops) {
    out.put("and ", count_of(loops.size() - kMaxLoops, "more loop"), "; --json has them all\n");
  }
}

void write_notes(Output& out, const timing::Prediction& p) {
  if (p.certainty.defer) {
    out.put('\n', Style::kBad, "measure this launch instead", Style::kPlain, ": ",
            p.certainty.reason, '\n');
  }
  if (p.unknown_share >= kMinNonzero || p.extrapolated_share >= kMinNonzero || !p.notes.empty()) {
    out.put('\n');
  }
  if (p.unknown_share >= kMinNonzero) {
    out.put(percent(p.unknown_share), " of the warp cycles depend on Unknown values\n");
  }
  if (p.extrapolated_share >= kMinNonzero) {
    out.put(percent(p.extrapolated_share), " of the time was extrapolated from a steady state\n");
  }
  for (const std::string& note : p.notes) out.put("note: ", note, '\n');
}

}  // namespace

void write_prediction_row_head(Output& out) {
  out.put(Style::kBold, Left{"time", 12}, Right{"occupancy", 10}, Right{"achieved", 10}, "  ",
          Left{"busiest", 17}, Left{"top stall", 26}, "launch", Style::kPlain, '\n');
}

void write_prediction_row(Output& out, const PredictReport& report, std::string_view launch) {
  const timing::Prediction& p = report.prediction;
  const auto busiest = std::ranges::max_element(p.busy);
  const auto row = static_cast<machine::Resource>(busiest - p.busy.begin());
  const auto stall = std::ranges::max_element(p.stalls, {}, &launch::StallCycles::sum);
  const auto reason = static_cast<launch::Stall>(stall - p.stalls.begin());
  out.put(Left{time_text(p.time_us), 12}, Right{percent(theoretical_occupancy(report)), 10},
          Right{percent(achieved_occupancy(report)), 10}, "  ",
          Left{fmt::format("{} {:.0f} %", machine::name(row), 100 * *busiest), 17},
          Left{fmt::format("{} {:.0f} %", launch::name(reason),
                           100 * ratio(stall->sum(), p.warp_cycles)),
               26},
          launch, '\n');
}

void write_prediction(Output& out, const PredictReport& report, read::SourceText& source) {
  write_fault_notes(out, report.kernel, timing::launch_faults(report.launch, report.machine),
                    report.prediction.faults);
  write_head(out, report);
  write_launch(out, report);
  write_resources(out, report.prediction);
  write_memory(out, report);
  write_stalls(out, report.prediction);
  write_lines(out, report, source);
  write_loops(out, report);
  write_notes(out, report.prediction);
}

}  // namespace burin::report
