// `burin predict --json`; docs/predict.md describes every field.
#include "read/program/loop_lines.h"
#include "report/inspect/flow.h"
#include "report/launch/certainty.h"
#include "report/launch/faults.h"
#include "report/launch/launch_json.h"
#include "report/launch/predict.h"
#include "timing/result/launch_faults.h"

namespace burin::report {
namespace {

double share(double part, double of) {
  return of > 0 ? part / of : 0;
}

void write_limits(Json& json, const machine::Occupancy& occupancy) {
  json.field("resident_blocks", occupancy.blocks);
  json.field("resident_warps", occupancy.warps);
  json.open("limiters", '[');
  for (const std::string_view name : occupancy.limiters()) json.element(name);
  json.close();
}

// Shares of all warp-cycles; the stalls are shares of the sum's own.
void write_cost(Json& json, const CostSum& sum, const timing::Prediction& p) {
  json.field("share", share(sum.warp_cycles, p.warp_cycles));
  json.field("instructions", sum.issued);
  json.field("unknown_share", share(sum.unknown, sum.warp_cycles));
  json.field("sectors", sum.sectors);
  json.open("stalls", '{');
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    if (sum.stalls[s] <= 0) continue;
    json.field(launch::name(static_cast<launch::Stall>(s)), share(sum.stalls[s], sum.warp_cycles));
  }
  json.close();
}

void write_lines(Json& json, const PredictReport& report) {
  json.open("lines", '[');
  std::size_t left = report.most_json_lines;
  for (const LineCost& sum : costs_by_line(report)) {
    if (left-- == 0) break;
    json.open('{');
    json.field("file", sum.file.empty() ? std::optional<std::string_view>() : sum.file);
    json.field("line", sum.file.empty() ? std::optional<std::uint32_t>() : sum.line);
    write_cost(json, sum, report.prediction);
    json.close();
  }
  json.close();
}

void write_loops(Json& json, const PredictReport& report) {
  json.open("loops", '[');
  for (const LoopCost& sum : costs_by_loop(report)) {
    const read::Loop& loop = report.kernel.loops[sum.loop];
    const read::LoopLines range = lines_of(report.kernel, loop);
    const LoopSize size = size_of(report.kernel, sum.loop);
    json.open('{');
    json.field("first_offset", size.first_offset);
    json.field("last_offset", size.last_offset);
    json.field("depth", loop.depth);
    const bool known = range.first != 0;
    json.field("file", known ? range.file : std::optional<std::string_view>());
    json.field("first_line", known ? range.first : std::optional<std::uint32_t>());
    json.field("last_line", known ? range.last : std::optional<std::uint32_t>());
    write_cost(json, sum, report.prediction);
    json.close();
  }
  json.close();
}

}  // namespace

void write_prediction_json(Json& json, const PredictReport& report, std::string_view file) {
  const timing::Prediction& p = report.prediction;
  json.field("schema", "burin.predict/1");
  json.field("file", file);
  json.field("kernel", report.kernel.function->name);
  json.field("demangled", report.kernel.function->demangled);
  json.field("arch", read::to_string(report.kernel.image->arch));
  json.field("machine", report.machine.name);
  json.field("model",
             report.options.model == timing::PredictOptions::Model::kSaake ? "saake" : "burin");
  json.field("caches", report.options.warm ? "warm" : "cold");
  write_launch(json, report.launch);
  json.field("time_us", p.time_us);
  json.field("cycles", p.cycles);
  json.field("launch_cycles", p.launch_cycles);
  json.field("clock_mhz", report.prediction.clock_mhz);
  json.field("occupancy", theoretical_occupancy(report));
  json.field("achieved_occupancy", achieved_occupancy(report));
  json.field("sms_in_use", sms_in_use(report));
  write_limits(json, p.occupancy);
  json.field("waves", p.waves);
  json.field("tail_share", p.tail_share);
  json.field("instructions", p.instructions);
  json.field("ipc", p.ipc);
  json.open("resources", '{');
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    json.open(machine::name(static_cast<machine::Resource>(r)), '{');
    json.field("busy", p.busy[r]);
    json.close();
  }
  json.close();
  json.field("dram_bytes", p.dram_read_bytes + p.dram_write_bytes);
  json.field("dram_read_bytes", p.dram_read_bytes);
  json.field("dram_write_bytes", p.dram_write_bytes);
  json.field("l2_bytes", p.l2_bytes);
  json.field("l2_hit_rate", p.l2_hit_rate);
  json.field("l1_hit_rate", p.l1_hit_rate);
  json.field("warp_cycles", p.warp_cycles);
  json.field("issued_share", share(p.issued, p.warp_cycles));
  json.open("stalls", '{');
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    json.field(launch::name(static_cast<launch::Stall>(s)),
               share(p.stalls[s].sum(), p.warp_cycles));
  }
  json.close();
  json.open("stalls_active", '{');
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    json.field(launch::name(static_cast<launch::Stall>(s)),
               share(p.stalls[s].active, p.warp_cycles));
  }
  json.close();
  json.field("unknown_share", p.unknown_share);
  json.field("extrapolated_share", p.extrapolated_share);
  json.open("bound", '{');
  json.field("unit", p.bound.unit);
  json.field("time_us", p.bound.time_us);
  if (p.bound.raised_from_us > 0) json.field("raised_from_us", p.bound.raised_from_us);
  json.close();
  write_certainty(json, p.certainty);
  json.field("executed", p.executed);
  json.field("replayed", p.replayed);
  write_lines(json, report);
  write_loops(json, report);
  write_faults(json, report.kernel, p.faults);
  json.open("notes", '[');
  for (const std::string& fault : timing::launch_faults(report.launch, report.machine)) {
    json.element(fault);
  }
  for (const std::string& note : p.notes) json.element(note);
  json.close();
}

}  // namespace burin::report
