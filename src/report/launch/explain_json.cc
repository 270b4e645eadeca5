// `burin explain --json`; docs/explain.md describes every field.
#include <algorithm>

#include "base/format.h"
#include "read/isa/print.h"
#include "report/launch/certainty.h"
#include "report/launch/explain.h"
#include "report/launch/faults.h"
#include "report/launch/launch_json.h"
#include "timing/result/launch_faults.h"

namespace burin::report {
namespace {

// "41-44", null where no line is known.
std::optional<std::string> lines_text(const analyze::Region& region) {
  if (region.first_line == 0) return std::nullopt;
  if (region.first_line == region.last_line) return fmt::format("{}", region.first_line);
  return fmt::format("{}-{}", region.first_line, region.last_line);
}

void write_regions(Json& json, const ExplainReport& report,
                   const std::vector<analyze::RegionShare>& shares) {
  json.open("regions", '[');
  for (const analyze::RegionShare& share : shares) {
    const analyze::Region& region = report.explanation.regions.list[share.region];
    json.open('{');
    json.field("name", region.name);
    json.field("file", region.file.empty() ? std::optional<std::string>() : region.file);
    json.field("lines", lines_text(region));
    json.field("first_offset", region.first_offset);
    json.field("last_offset", region.last_offset);
    json.field("share", share.share);
    if (!share.inside.empty()) {
      write_regions(json, report, share.inside);
      json.field("interaction", share.interaction);
    }
    json.close();
  }
  json.close();
}

void write_sensitivities(Json& json, const ExplainReport& report) {
  json.open("sensitivity", '[');
  for (const analyze::Sensitivity& row : report.explanation.limits.rows) {
    json.open('{');
    json.field("resource", machine::name(row.resource));
    json.field("mode", analyze::name(row.mode));
    json.field("share", row.share);
    json.field("measured", row.measured);
    json.field("uncertainty", row.uncertainty);
    json.field("samples", row.samples.size());
    json.field("replayed", row.replayed);
    write_regions(json, report, row.regions);
    if (!row.regions.empty()) json.field("interaction", row.interaction);
    json.close();
  }
  json.close();
}

void write_place(Json& json, const read::Kernel& kernel, std::uint32_t instruction) {
  const analyze::SourceLine line = analyze::line_of(kernel, instruction);
  std::string text;
  read::print(kernel.instructions[instruction], text);
  json.field("offset", kernel.instructions[instruction].offset);
  json.field("instruction", text);
  const bool known = !line.file.empty();
  json.field("file", known ? line.file : std::optional<std::string_view>());
  json.field("line", known ? line.line : std::optional<std::uint32_t>());
}

void write_path(Json& json, const ExplainReport& report) {
  const analyze::CriticalPath& path = report.explanation.path;
  json.open("critical_path", '[');
  for (std::size_t k = 0; k < std::min(path.links.size(), report.most_links); ++k) {
    const analyze::PathLink& link = path.links[k];
    json.open('{');
    write_place(json, report.kernel, link.instruction);
    json.field("stall", launch::name(link.stall));
    json.field("share", path.cycles > 0 ? link.cycles / path.cycles : 0);
    json.field("times", link.times);
    if (link.cause != timing::PathStep::kNone) {
      json.open("waits_for", '{');
      write_place(json, report.kernel, link.cause);
      json.close();
    }
    json.close();
  }
  json.close();
}

}  // namespace

void write_explanation_json(Json& json, const ExplainReport& report, std::string_view file) {
  const analyze::Explanation& why = report.explanation;
  const timing::Prediction& p = why.prediction;
  json.open('{');
  json.field("schema", "burin.explain/1");
  json.field("file", file);
  json.field("kernel", report.kernel.function->name);
  json.field("demangled", report.kernel.function->demangled);
  json.field("arch", read::to_string(report.kernel.image->arch));
  json.field("machine", report.machine.name);
  json.field("model", report.options.predict.model == timing::PredictOptions::Model::kSaake
                          ? "saake"
                          : "burin");
  json.field("caches", report.options.predict.warm ? "warm" : "cold");
  write_launch(json, report.launch);
  json.field("time_us", p.time_us);
  write_certainty(json, p.certainty);
  json.field("step", report.options.step);
  json.field("seed", report.options.predict.seed);
  json.field("sentence", bottleneck_sentence(report));
  json.field("uncertainty", why.limits.rows[0].uncertainty);
  write_limits_json(json, why.limits);
  write_sensitivities(json, report);
  json.open("bounds", '[');
  for (const analyze::Bound& bound : why.limits.bounds) {
    json.open('{');
    json.field("name", bound.name);
    json.field("time_us", bound.time_us);
    json.close();
  }
  json.close();
  json.open("roofline", '{');
  json.field("operations", why.roofline.operations);
  json.field("dram_bytes", why.roofline.dram_bytes);
  json.field("per_second", why.roofline.per_second);
  json.field("most_per_second", why.roofline.most_per_second);
  json.field("limit", why.roofline.memory ? "dram" : "units");
  json.close();
  write_path(json, report);
  json.open("what_if", '[');
  for (const analyze::WhatIfTime& w : why.what_ifs) {
    json.open('{');
    json.field("change", w.text);
    json.field("time_us", w.prediction.time_us);
    json.field("speedup", p.time_us / w.prediction.time_us);
    json.close();
  }
  json.close();
  json.open("occupancy_ladder", '[');
  for (const analyze::Rung& rung : why.ladder) {
    json.open('{');
    json.field("blocks", rung.blocks);
    json.field("warps", rung.warps);
    json.field("time_us", rung.time_us);
    json.close();
  }
  json.close();
  write_faults(json, report.kernel, p.faults);
  json.open("notes", '[');
  for (const std::string& fault : timing::launch_faults(report.launch, report.machine)) {
    json.element(fault);
  }
  for (const std::string& note : p.notes) json.element(note);
  json.close();
  json.close();
}

}  // namespace burin::report
