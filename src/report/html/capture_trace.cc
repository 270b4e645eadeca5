#include "report/html/capture_trace.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "read/binary/demangle.h"
#include "report/launch/launch_json.h"

namespace burin::report {
namespace {

double trace_us(std::uint64_t ns) {
  return static_cast<double>(ns) / 1000;
}

void write_track_name(Json& json, std::string_view what, std::uint64_t process,
                      std::uint64_t thread, const std::string& name) {
  json.open('{');
  json.field("ph", "M");
  json.field("name", what);
  json.field("pid", process);
  json.field("tid", thread);
  json.open("args", '{');
  json.field("name", name);
  json.close();
  json.close();
}

}  // namespace

void write_capture_trace(Json& json, const CaptureReport& report) {
  std::uint64_t begin = ~std::uint64_t{0};
  for (const capture::CapturedLaunch* launch : report.launches) {
    if (launch->start_ns) begin = std::min(begin, *launch->start_ns);
  }
  json.open('{');
  json.field("displayTimeUnit", "ns");
  json.open("traceEvents", '[');
  std::set<std::pair<std::uint64_t, std::uint64_t>> tracks;
  for (const capture::CapturedLaunch* launch : report.launches) {
    if (!launch->start_ns || !launch->duration_ns) continue;
    if (tracks.emplace(launch->gpu, launch->stream).second) {
      const capture::CapturedGpu* gpu = report.capture.gpu(launch->gpu);
      write_track_name(json, "process_name", launch->gpu, 0,
                       gpu == nullptr ? "unknown GPU" : gpu->name);
      write_track_name(json, "thread_name", launch->gpu, launch->stream,
                       fmt::format("stream {}", launch->stream));
    }
    json.open('{');
    json.field("ph", "X");
    json.field("name", read::demangle(report.capture.kernel(launch->kernel).name));
    json.field("cat", "kernel");
    json.field("pid", launch->gpu);
    json.field("tid", launch->stream);
    json.field("ts", trace_us(*launch->start_ns - begin));
    json.field("dur", trace_us(*launch->duration_ns));
    json.open("args", '{');
    json.field("launch", launch->id);
    json.field("grid", axes(launch->grid));
    json.field("block", axes(launch->block));
    if (!launch->ranges.empty()) json.field("ranges", launch->ranges);
    json.close();
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin::report
