#include "report/launch/device_run.h"

#include <algorithm>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "measure/sample.h"

namespace burin::report {
namespace {

double median_mhz(const std::vector<unsigned>& samples) {
  return measure::summarize(std::vector<double>(samples.begin(), samples.end())).median;
}

std::string_view words(measure::Caches caches) {
  return caches == measure::Caches::kCold ? "caches flushed" : "caches warm";
}

}  // namespace

void write_device_run(Output& out, const jobs::DeviceRun& run) {
  const measure::DeviceResult& result = run.result;
  const measure::Sample times = measure::summarize(result.times_us);
  out.put(
      fmt::format("\non {} ({}, driver {}): {:.2f} µs, median of {} launches; interquartile range "
                  "{:.2f} to {:.2f} µs",
                  run.device, result.gpu, result.driver, times.median, times.count,
                  times.lower_quartile, times.upper_quartile));
  if (!result.clock_mhz.empty()) out.put(fmt::format(", {:.0f} MHz", median_mhz(result.clock_mhz)));
  out.put(", ", words(result.caches), '\n');
  if (result.timer != "cupti") {
    out.put("timed with CUDA events, which add about 3 µs to the kernel time: ", result.timer_note,
            '\n');
  }
  std::uint64_t equal = 0, tolerated = 0, unknown_bytes = 0;
  for (const emulate::CheckedOutput& buffer : run.buffers) {
    unknown_bytes += buffer.unknown_bytes;
    if (!buffer.comparison.equal()) {
      emulate::CheckedOutput known = buffer;
      known.unknown_bytes = 0;  // reported below
      out.put(emulate::describe(known), '\n');
    } else {
      ++(buffer.tolerance ? tolerated : equal);
    }
  }
  if (equal > 0) {
    out.put(count_of(equal, "buffer"), equal == 1 ? " matches" : " match",
            " the emulator's result bit for bit\n");
  }
  if (tolerated > 0) {
    out.put(count_of(tolerated, "buffer"), tolerated == 1 ? " matches" : " match",
            " the emulator's result within the tolerance\n");
  }
  if (unknown_bytes > 0) {
    out.put(with_commas(unknown_bytes), " bytes Unknown to the emulator were not compared\n");
  }
}

void write_recorded(Output& out, const jobs::CapturedFacts& captured) {
  const std::optional<double> time_us = captured.recorded_us();
  if (!time_us) return;
  out.put("recorded      ", time_text(*time_us), " by launch ", captured.launch.id, " of ",
          captured.file, captured.gpu ? " on " + captured.gpu->name : "", '\n');
}

void write_device_run_json(Json& json, const jobs::DeviceRun& run) {
  const measure::DeviceResult& result = run.result;
  const measure::Sample times = measure::summarize(result.times_us);
  json.open("device", '{');
  json.field("name", run.device);
  json.field("gpu", result.gpu);
  json.field("architecture", result.architecture);
  json.field("driver", result.driver);
  json.field("caches", result.caches == measure::Caches::kCold ? "cold" : "warm");
  json.field("timer", result.timer);
  json.field("launches", times.count);
  json.field("median_us", times.median);
  json.field("lower_quartile_us", times.lower_quartile);
  json.field("upper_quartile_us", times.upper_quartile);
  json.field("deviation_us", times.deviation);
  json.field("least_us", times.least);
  json.field("most_us", times.most);
  json.open("times_us", '[');
  for (const double time : result.times_us) json.element(time);
  json.close();
  json.open("clock_mhz", '[');
  for (const unsigned mhz : result.clock_mhz) json.element(mhz);
  json.close();
  if (!run.compared) {
    json.close();
    return;
  }
  json.field("agrees", run.agrees);
  json.open("buffers", '[');
  for (const emulate::CheckedOutput& buffer : run.buffers) {
    json.open('{');
    json.field("argument", buffer.argument);
    json.field("equal", buffer.comparison.equal());
    json.field("tolerance", buffer.tolerance);
    json.field("elements", buffer.comparison.elements);
    json.field("different", buffer.comparison.different);
    json.field("largest_error", buffer.comparison.largest_error);
    json.field("unknown_bytes", buffer.unknown_bytes);
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin::report
