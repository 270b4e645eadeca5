// Advice for programs.
#include <algorithm>
#include <limits>

#include "advise/compare/advice_record.h"
#include "advise/compare/kernel_facts.h"
#include "report/advice/advise.h"
#include "report/advice/fix.h"
#include "report/advice/plan.h"
#include "report/advice/tried.h"
#include "report/launch/certainty.h"
#include "report/launch/faults.h"
#include "report/launch/limit_sentence.h"
#include "timing/result/launch_faults.h"

namespace burin::report {
namespace {

void write_calls(Json& json, const char* key, const std::vector<analyze::CodePlace::Call>& calls) {
  if (calls.empty()) return;
  json.open(key, '[');
  for (const analyze::CodePlace::Call& call : calls) {
    json.open('{');
    json.field("file", call.file);
    json.field("line", call.line);
    json.field("function", call.function);
    json.close();
  }
  json.close();
}

}  // namespace

void write_place_fields(Json& json, const AdviseReport& report, std::uint32_t instruction) {
  if (instruction == read::kNoIndex) {
    for (const char* key : {"file", "line", "offset"}) json.field(key, nullptr);
    return;
  }
  const analyze::CodePlace place = analyze::code_place(report.given.kernel, instruction);
  const bool known = !place.file.empty();
  json.field("file", known ? place.file : std::optional<std::string_view>());
  json.field("line", known ? place.line : std::optional<std::uint32_t>());
  json.field("offset", place.offset);
  json.field("instruction", place.instruction);
  const std::string_view text = report.source.line(std::string(place.file), place.line);
  if (!text.empty()) json.field("source", text);
  write_calls(json, "inlined", place.inlined);
  write_calls(json, "called", place.called);
}

namespace {

void write_hotspot(Json& json, const AdviseReport& report, const advise::Hotspot& spot) {
  json.open('{');
  json.field("share", spot.share);
  json.field("speedup", spot.speedup);
  json.field("distance", spot.distance);
  for (const auto& [key, instruction] : {std::pair("def", spot.cause), {"use", spot.waits}}) {
    json.open(key, '{');
    write_place_fields(json, report, instruction);
    json.close();
  }
  json.field("loop", spot.loop);
  json.field("function", spot.function);
  json.close();
}

void write_finding(Json& json, const AdviseReport& report, const advise::Finding& finding) {
  json.open('{');
  json.field("rule", finding.rule);
  json.field("speedup", finding.speedup);
  json.field("speedup_paper", finding.speedup_paper);
  json.field("speedup_emulated", finding.speedup_emulated);
  json.field("share", finding.share);
  for (const auto& [key, instruction] :
       {std::pair("where", finding.where), {"cause", finding.cause}}) {
    json.open(key, '{');
    write_place_fields(json, report, instruction);
    json.close();
  }
  json.open("hotspots", '[');
  for (const advise::Hotspot& spot : finding.hotspots) write_hotspot(json, report, spot);
  json.close();
  json.field("coverage", finding.coverage);
  json.field("spread", finding.spread);
  json.field("text", finding.text);
  json.field("hint", finding.hint);
  json.field("confidence", finding.confidence);
  json.field("trust", finding.trust);
  if (finding.tried) {
    json.open("tried", '{');
    json.field("change", finding.tried->change);
    json.field("condition", finding.tried->condition);
    json.field("predicted_us", finding.tried->time_us);
    json.field("speedup", finding.tried->speedup);
    json.close();
  }
  json.open("overlaps", '[');
  for (const std::string& rule : finding.overlaps) json.element(rule);
  json.close();
  json.field("fingerprint", advise::fingerprint(report.given.kernel, report.source, finding));
  json.close();
}

void write_resources(Json& json, const AdviseReport& report) {
  const advise::Case& c = report.given;
  json.open("resources", '{');
  json.field("registers", c.needs.registers);
  json.field("shared", c.needs.shared);
  json.field("local", c.kernel.function->local_bytes);
  json.field("spills", advise::spills_of(c.kernel));
  json.field("occupancy", static_cast<double>(c.occupancy.warps) / c.machine.limit.warps);
  json.close();
}

// Where the warps' time went, by reason; shares.
void write_stalls(Json& json, const advise::BlamedProfile& blamed) {
  std::array<double, launch::kStalls> sums{};
  for (const advise::BlamedStall& stall : blamed.stalls) {
    sums[static_cast<std::size_t>(stall.stall)] += stall.cycles.sum();
  }
  json.open("stalls", '{');
  for (std::size_t s = 0; s < launch::kStalls && blamed.total > 0; ++s) {
    if (sums[s] > 0)
      json.field(launch::name(static_cast<launch::Stall>(s)), sums[s] / blamed.total);
  }
  json.close();
}

}  // namespace

void write_launch_fields(Json& json, const AdviseReport& report, std::string_view schema) {
  const advise::Case& c = report.given;
  json.field("schema", schema);
  json.field("file", report.file);
  json.field("kernel", c.kernel.function->name);
  json.field("demangled", c.kernel.function->demangled);
  json.field("arch", read::to_string(c.kernel.image->arch));
  json.field("machine", c.machine.name);
  json.field("source", name(c.blamed.source));
  if (report.launch != 0) json.field("launch", report.launch);
  json.field("grid", std::array{c.grid.x, c.grid.y, c.grid.z});
  json.field("block", std::array{c.block.x, c.block.y, c.block.z});
  json.field("time_us", c.time_us);
  json.field("measured_us", report.measured_us);
  const timing::Prediction* predicted = c.prediction();
  json.field("predicted_us", predicted == nullptr ? std::optional<double>() : predicted->time_us);
  if (predicted != nullptr) write_certainty(json, predicted->certainty);
  json.field("samples", report.samples);
  if (report.callers.empty()) return;
  json.open("callers", '[');
  for (const jobs::Caller& caller : report.callers) {
    json.open('{');
    json.field("place", caller.place);
    json.field("share", caller.share);
    json.field("launches", caller.launches);
    json.open("stack", '[');
    for (const std::string& place : caller.stack) json.element(place);
    json.close();
    json.close();
  }
  json.close();
}

void write_advice_json(Json& json, const AdviseReport& report) {
  const advise::Case& c = report.given;
  json.open('{');
  write_launch_fields(json, report, "burin.advise/1");
  json.field("limit", report.limit);
  if (!report.limits.rows.empty()) write_limits_json(json, report.limits);
  write_resources(json, report);
  write_stalls(json, c.blamed);
  json.open("causes", '{');
  json.field("coverage_before", c.blamed.coverage_before);
  json.field("coverage_after", c.blamed.coverage_after);
  json.field("agreement", report.agreement);
  json.close();
  json.open("bounds", '[');
  for (const analyze::Bound& bound : report.limits.bounds) {
    json.open('{');
    json.field("name", bound.name);
    json.field("time_us", bound.time_us);
    json.close();
  }
  json.close();
  json.open("findings", '[');
  const std::vector<advise::Finding>& findings = report.advice.findings;
  const std::size_t shown = std::min(findings.size(), report.top.value_or(findings.size()));
  for (std::size_t k = 0; k < shown; ++k) write_finding(json, report, findings[k]);
  json.close();
  if (report.tried != nullptr) write_tried_json(json, *report.tried);
  if (report.fix != nullptr) write_fix_json(json, *report.fix);
  if (report.plan != nullptr) write_plan_json(json, *report.plan);
  const timing::Prediction* emulated = c.prediction();
  write_faults(json, c.kernel,
               emulated == nullptr ? std::vector<emulate::Fault>() : emulated->faults);
  json.open("notes", '[');
  if (c.study != nullptr) {
    for (const std::string& fault : timing::launch_faults(c.study->launch(), c.study->machine())) {
      json.element(fault);
    }
  }
  for (const std::string& note : report.notes) json.element(note);
  for (const std::string& note : report.advice.notes) json.element(note);
  json.close();
  json.close();
}

}  // namespace burin::report
