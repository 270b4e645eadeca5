#include "read/binary/demangle.h"
#include "report/capture/capture.h"
#include "report/launch/certainty.h"
#include "report/launch/launch_json.h"

namespace burin::report {
namespace {

void write_processes(Json& json, const capture::Capture& capture) {
  json.open("processes", '[');
  for (const capture::CapturedProcess& process : capture.processes()) {
    json.open('{');
    json.field("id", process.id);
    json.field("pid", process.pid);
    json.open("command", '[');
    for (const std::string& word : process.command) json.element(word);
    json.close();
    json.field("host", process.host);
    json.field("folder", process.folder);
    json.field("driver_version", process.driver_version);
    json.field("launches_seen", process.launches_seen);
    json.field("ended", process.end_ns.has_value());
    json.close();
  }
  json.close();
  json.open("gpus", '[');
  for (const capture::CapturedGpu& gpu : capture.gpus()) {
    json.open('{');
    json.field("id", gpu.id);
    json.field("process", gpu.process);
    json.field("name", gpu.name);
    json.field("sm", gpu.sm);
    json.field("multiprocessors", gpu.multiprocessors);
    json.close();
  }
  json.close();
}

void write_kernels(Json& json, const CaptureReport& report) {
  json.open("kernels", '[');
  for (const capture::CapturedKernel& kernel : report.capture.kernels()) {
    json.open('{');
    json.field("id", kernel.id);
    json.field("name", kernel.name);
    json.field("demangled", read::demangle(kernel.name));
    json.field("has_code", kernel.module != 0);
    if (kernel.module != 0) {
      json.field("module_sha256", report.capture.modules()[kernel.module - 1].sha256);
    }
    if (kernel.id <= report.samples.size()) json.field("samples", report.samples[kernel.id - 1]);
    json.close();
  }
  json.close();
}

std::optional<double> microseconds(const std::optional<std::uint64_t>& ns) {
  if (!ns) return std::nullopt;
  return static_cast<double>(*ns) / 1000;
}

void write_launches(Json& json, const CaptureReport& report) {
  json.open("launches", '[');
  for (const capture::CapturedLaunch* launch : report.launches) {
    json.open('{');
    json.field("id", launch->id);
    json.field("process", launch->process);
    json.field("number", launch->number);
    json.field("kernel", launch->kernel);
    json.field("gpu", launch->gpu);
    json.field("stream", launch->stream);
    json.field("grid", axes(launch->grid));
    json.field("block", axes(launch->block));
    if (launch->cluster) json.field("cluster", axes(*launch->cluster));
    json.field("dynamic_shared_bytes", launch->shared_bytes);
    json.field("start_ns", launch->start_ns);
    json.field("time_us", microseconds(launch->duration_ns));
    json.field("stack", launch->stack);
    json.field("ranges", launch->ranges);
    json.field("graph", launch->is_graph);
    json.field("cooperative", launch->is_cooperative);
    json.field("memory", launch->has_memory);
    json.field("counts", launch->has_counts);
    json.close();
  }
  json.close();
}

void write_comparison(Json& json, const jobs::CaptureComparison& comparison) {
  json.open("comparison", '{');
  json.field("machine", comparison.machine);
  json.field("machine_assumed", comparison.machine_assumed);
  json.field("compared", comparison.compared());
  json.field("median_error", comparison.median_error());
  json.field("known", comparison.known());
  json.field("known_median_error", comparison.known_median_error());
  json.field("geometric_mean_error", comparison.mean_error());
  json.field("worst_error", comparison.worst_error());
  json.field("stall_overlap", comparison.stall_overlap());
  if (comparison.counted() != 0) json.field("count_agreement", comparison.count_agreement());
  json.open("groups", '[');
  for (const jobs::ComparedGroup& each : comparison.groups) {
    json.open('{');
    json.field("kernel", each.group.example->kernel);
    json.field("example", each.group.example->id);
    json.field("launches", each.group.launches.size());
    json.field("total_us", static_cast<double>(each.group.total_ns) / 1000);
    json.field("measured_us", each.measured_us());
    if (each.problem.empty()) {
      json.field("predicted_us", each.predicted_us);
      json.field("unknown_share", each.unknown_share);
      write_certainty(json, each.certainty);
      json.open("bound", '{');
      json.field("unit", each.bound_unit);
      json.field("time_us", each.bound_us);
      json.field("raised", each.is_raised);
      json.close();
      json.field("caches", each.is_warm ? "warm" : "cold");
    } else {
      json.field("problem", each.problem);
    }
    if (each.is_compared()) json.field("error", each.error());
    if (each.stalls) {
      json.field("stall_overlap", each.stalls->overlap);
      json.field("place_overlap", each.stalls->place_overlap);
      json.field("same_top_stall", each.stalls->same_top());
    }
    if (each.counts) {
      json.field("executed", each.counts->ours);
      json.field("counted", each.counts->counted);
      json.field("count_agreement", each.counts->agreement);
    }
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace

void write_capture_json(Json& json, const CaptureReport& report) {
  json.open('{');
  json.field("schema", "burin.capture/1");
  json.field("file", report.capture.path());
  write_processes(json, report.capture);
  write_kernels(json, report);
  write_launches(json, report);
  json.open("problems", '[');
  for (const capture::CapturedProblem& problem : report.capture.problems()) {
    json.open('{');
    json.field("process", problem.process);
    json.field("launch", problem.launch);
    json.field("count", problem.count);
    json.field("sentence", problem.sentence);
    json.close();
  }
  json.close();
  if (report.comparison != nullptr) write_comparison(json, *report.comparison);
  json.close();
}

}  // namespace burin::report
