#include "report/capture/record.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/binary/demangle.h"
#include "read/program/names.h"
#include "report/write/json.h"

namespace burin::report {
namespace {

constexpr std::size_t kKernelsShown = 10;

struct KernelTime {
  const capture::CapturedKernel* kernel = nullptr;
  std::uint64_t launches = 0;
  double total_us = 0;
};

// The longest first; kernels that were not launched are left out.
std::vector<KernelTime> kernel_times(const capture::Capture& capture) {
  std::vector<KernelTime> times(capture.kernels().size());
  for (const capture::CapturedLaunch& launch : capture.launches()) {
    KernelTime& time = times[launch.kernel - 1];
    time.kernel = &capture.kernel(launch.kernel);
    ++time.launches;
    time.total_us += static_cast<double>(launch.duration_ns.value_or(0)) / 1000;
  }
  std::erase_if(times, [](const KernelTime& time) { return time.kernel == nullptr; });
  std::ranges::stable_sort(times, std::ranges::greater{}, &KernelTime::total_us);
  return times;
}

double total_us(const std::vector<KernelTime>& times) {
  double sum = 0;
  for (const KernelTime& time : times) sum += time.total_us;
  return sum;
}

std::string names_of_gpus(const capture::Capture& capture) {
  std::set<std::string> names;
  for (const capture::CapturedGpu& gpu : capture.gpus()) names.insert(gpu.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void write_record(Output& out, const RecordReport& report) {
  const capture::Capture& capture = report.capture;
  const std::vector<KernelTime> times = kernel_times(capture);
  const double all_us = total_us(times);
  out.put(Style::kBold, capture.path(), Style::kPlain, ": ", with_commas(report.assembled.launches),
          report.assembled.launches == 1 ? " launch" : " launches", " of ",
          count_of(times.size(), "kernel"), ", ", time_text(all_us), " on the GPU (",
          names_of_gpus(capture), ")");
  if (report.assembled.samples != 0) {
    out.put("; ", with_commas(report.assembled.samples), " samples");
  }
  if (report.assembled.launches_counted != 0) {
    out.put("; ", count_of(report.assembled.launches_counted, "launch"), " counted");
  }
  out.put('\n', report.command, " ended with ", words(report.ending), '\n');
  if (report.assembled.launches_seen > report.assembled.launches) {
    out.put("selected from ", with_commas(report.assembled.launches_seen), " launches\n");
  }
  for (const capture::CapturedProblem& problem : capture.problems()) {
    out.put("note: ");
    if (problem.launch != 0) out.put("launch ", problem.launch, ": ");
    out.put(problem.sentence);
    if (problem.count != 0) out.put(" (", with_commas(problem.count), ")");
    out.put('\n');
  }
  out.put("\n     total   share  launches  kernel\n");
  for (std::size_t i = 0; i < std::min(times.size(), kKernelsShown); ++i) {
    const KernelTime& time = times[i];
    const double share = all_us > 0 ? time.total_us / all_us : 0;
    out.put(Right{time_text(time.total_us), 11}, ' ',
            Right{fmt::format("{:.1f} %", 100 * share), 7}, ' ', Right{time.launches, 9}, "  ",
            read::demangle(time.kernel->name), '\n');
  }
  if (times.size() > kKernelsShown) {
    out.put("           and ", count_of(times.size() - kKernelsShown, "kernel"), " more\n");
  }
}

void write_record_json(Output& out, const RecordReport& report) {
  const std::vector<KernelTime> times = kernel_times(report.capture);
  Json json(out);
  json.open('{');
  json.field("schema", "burin.record/1");
  json.field("file", report.capture.path());
  json.field("command", report.command);
  json.field("status", report.ending.status);
  json.field("signal", report.ending.signal);
  json.field("wall_seconds", report.wall_seconds);
  json.field("processes", report.assembled.processes);
  json.field("killed", report.assembled.killed);
  json.field("launches", report.assembled.launches);
  json.field("launches_seen", report.assembled.launches_seen);
  json.field("launches_without_time", report.assembled.launches_without_time);
  json.field("launches_counted", report.assembled.launches_counted);
  json.field("samples", report.assembled.samples);
  json.field("samples_lost", report.assembled.samples_lost);
  json.field("gpu_us", total_us(times));
  json.open("kernels", '[');
  for (const KernelTime& time : times) {
    json.open('{');
    json.field("name", read::demangle(time.kernel->name));
    json.field("launches", time.launches);
    json.field("total_us", time.total_us);
    json.close();
  }
  json.close();
  json.open("problems", '[');
  for (const capture::CapturedProblem& problem : report.capture.problems()) {
    json.open('{');
    json.field("sentence", problem.sentence);
    json.field("count", problem.count);
    json.field("launch", problem.launch);
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin::report
