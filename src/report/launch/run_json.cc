// `burin run --json`; docs/run.md describes every field.
#include "base/format.h"
#include "read/isa/print.h"
#include "read/program/words.h"
#include "report/launch/faults.h"
#include "report/launch/launch_json.h"
#include "report/launch/run.h"

namespace burin::report {
namespace {

void write_counts(Json& json, const Sum& sum, bool traffic) {
  json.field("warp_instructions", sum.count.warps);
  json.field("lane_instructions", sum.count.lanes);
  json.field("divergent", sum.count.divergent);
  if (!traffic || sum.traffic.requests == 0) return;
  json.field("requests", sum.traffic.requests);
  json.field("sectors", sum.traffic.sectors);
  json.field("bytes", sum.traffic.bytes);
  json.field("unknown_requests", sum.traffic.unknown);
}

void write_unknown(Json& json, const emulate::UnknownCount& unknown) {
  json.open("unknown", '{');
  json.field("branches", unknown.branches);
  json.field("instructions", unknown.instructions);
  json.field("guards", unknown.guards);
  json.field("accesses", unknown.accesses);
  json.field("stores", unknown.stores);
  json.close();
}

void write_files(Json& json, const RunReport& report) {
  json.open("outputs", '[');
  for (const emulate::WrittenOutput& written : report.outputs) {
    json.open('{');
    json.field("argument", written.argument);
    json.field("file", written.path);
    json.field("bytes", written.bytes);
    json.field("unknown_bytes", written.unknown_bytes);
    json.close();
  }
  json.close();
  if (report.counts) {
    json.open("gpu_counts", '{');
    json.field("executed", report.counts->counted);
    json.field("agreement", report.counts->agreement);
    json.field("instructions", report.counts->instructions);
    json.field("equal", report.counts->equal);
    json.close();
  }
  json.open("checks", '[');
  for (const emulate::CheckedOutput& checked : report.checks) {
    const launch::Comparison& comparison = checked.comparison;
    json.open('{');
    json.field("argument", checked.argument);
    json.field("file", checked.path);
    json.field("passed", checked.passed());
    json.field("type", launch::name(checked.type));
    json.field("tolerance", checked.tolerance);
    json.field("elements", comparison.elements);
    json.field("different", comparison.different);
    if (!comparison.equal()) {
      json.field("first", comparison.first);
      json.field("got", comparison.got);
      json.field("expected", comparison.expected);
      json.field("largest_error", comparison.largest_error);
    }
    json.field("unknown_bytes", checked.unknown_bytes);
    json.close();
  }
  json.close();
}

}  // namespace

void write_run_json(Json& json, const RunReport& report, std::string_view file) {
  const bool traffic = report.traffic != nullptr;
  json.field("schema", "burin.run/1");
  json.field("file", file);
  json.field("kernel", report.kernel.function->name);
  json.field("demangled", report.kernel.function->demangled);
  json.field("arch", read::to_string(report.kernel.image->arch));
  write_launch(json, report.launch);
  json.field("blocks", report.run.blocks);
  json.field("warps", report.run.warps);
  json.field("seconds", report.seconds);
  write_counts(json, in_all(report), traffic);
  write_faults(json, report.kernel, report.run.faults);
  json.field("printed", report.run.printed);
  write_unknown(json, report.run.unknown);
  json.open("classes", '[');
  for (const ClassSum& sum : by_class(report)) {
    json.open('{');
    json.field("class", sum.name);
    write_counts(json, sum, traffic);
    json.close();
  }
  json.close();
  json.open("lines", '[');
  for (const LineSum& sum : by_line(report)) {
    json.open('{');
    json.field("file", sum.file.empty() ? std::optional<std::string_view>() : sum.file);
    json.field("line", sum.file.empty() ? std::optional<std::uint32_t>() : sum.line);
    write_counts(json, sum, traffic);
    json.close();
  }
  json.close();
  json.open("instructions", '[');
  for (std::size_t i = 0; i < report.run.counts.size(); ++i) {
    const emulate::InstructionCount& count = report.run.counts[i];
    if (count.warps == 0) continue;
    Sum sum{count, traffic ? report.traffic->counts()[i] : emulate::TrafficCount{}};
    json.open('{');
    json.field("offset", report.kernel.instructions[i].offset);
    write_counts(json, sum, traffic);
    json.close();
  }
  json.close();
  write_files(json, report);
}

}  // namespace burin::report
