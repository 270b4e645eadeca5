#include "report/capture/capture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/binary/demangle.h"
#include "read/program/names.h"

namespace burin::report {
namespace {

constexpr std::size_t kNumbersWidth = 60;  // of the columns before the kernel's name
constexpr std::size_t kMaxCommand = 100;

double sum_us(const std::vector<capture::CapturedLaunch>& launches) {
  std::uint64_t sum = 0;
  for (const capture::CapturedLaunch& launch : launches) sum += launch.duration_ns.value_or(0);
  return static_cast<double>(sum) / 1000;
}

std::string time_of(const capture::CapturedLaunch& launch) {
  return launch.duration_ns ? time_text(static_cast<double>(*launch.duration_ns) / 1000) : "-";
}

std::string kernel_name(const Output& out, const capture::CapturedKernel& kernel) {
  const std::size_t width =
      out.width() == 0 ? 0 : std::max<std::size_t>(24, out.width() - kNumbersWidth);
  return read::shorten(read::demangle(kernel.name), width);
}

std::string command_of(const capture::CapturedProcess& process) {
  std::string text;
  for (const std::string& word : process.command) text += (text.empty() ? "" : " ") + word;
  if (text.size() > kMaxCommand) text = text.substr(0, kMaxCommand) + "…";
  return text;
}

std::string gpu_names(const capture::Capture& capture) {
  std::map<std::string, std::size_t> names;
  for (const capture::CapturedGpu& gpu : capture.gpus()) {
    const bool used = std::ranges::any_of(
        capture.launches(),
        [&](const capture::CapturedLaunch& launch) { return launch.gpu == gpu.id; });
    if (used) ++names[gpu.name];
  }
  std::string text;
  for (const auto& [name, count] : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void write_head(Output& out, const CaptureReport& report) {
  const capture::Capture& capture = report.capture;
  std::vector<std::uint64_t> launched;
  for (const capture::CapturedLaunch& launch : capture.launches())
    launched.push_back(launch.kernel);
  std::ranges::sort(launched);
  launched.erase(std::ranges::unique(launched).begin(), launched.end());
  out.put(Style::kBold, capture.path(), Style::kPlain, ": ", with_commas(capture.launches().size()),
          capture.launches().size() == 1 ? " launch of " : " launches of ",
          count_of(launched.size(), "kernel"));
  const double us = sum_us(capture.launches());
  if (us > 0) out.put(", ", time_text(us), " on the GPU");
  if (const std::string names = gpu_names(capture); !names.empty()) out.put(" (", names, ")");
  out.put('\n');
  for (const capture::CapturedProcess& process : capture.processes()) {
    out.put("process ", process.pid, ": ", command_of(process));
    std::uint64_t total = 0;
    std::uint64_t dropped = 0;
    for (const capture::CapturedSampling& sampling : capture.samplings()) {
      if (sampling.process != process.id) continue;
      total += sampling.total;
      dropped += sampling.dropped;
    }
    if (total > 0) out.put("; ", with_commas(total), " samples");
    if (dropped > 0) out.put(", ", with_commas(dropped), " dropped");
    if (!process.end_ns) out.put("; it did not exit normally");
    out.put('\n');
  }
  for (const capture::CapturedProblem& problem : capture.problems()) {
    out.put(Style::kBad, "note", Style::kPlain, "  ");
    if (problem.launch != 0) out.put("launch ", problem.launch, ": ");
    out.put(problem.sentence);
    if (problem.count > 1) out.put(" (", with_commas(problem.count), " times)");
    out.put('\n');
  }
}

struct KernelSum {
  const capture::CapturedKernel* kernel = nullptr;
  std::vector<const capture::CapturedLaunch*> launches;
  std::uint64_t total_ns = 0;
  std::uint64_t samples = 0;
};

std::vector<KernelSum> by_kernel(const CaptureReport& report) {
  std::vector<KernelSum> sums(report.capture.kernels().size());
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k].kernel = &report.capture.kernels()[k];
    if (k < report.samples.size()) sums[k].samples = report.samples[k];
  }
  for (const capture::CapturedLaunch& launch : report.capture.launches()) {
    sums[launch.kernel - 1].launches.push_back(&launch);
    sums[launch.kernel - 1].total_ns += launch.duration_ns.value_or(0);
  }
  std::erase_if(sums, [](const KernelSum& s) { return s.launches.empty() && s.samples == 0; });
  std::ranges::stable_sort(sums, std::ranges::greater{},
                           [](const KernelSum& s) { return std::pair(s.total_ns, s.samples); });
  return sums;
}

void write_kernels(Output& out, const CaptureReport& report) {
  const double all = sum_us(report.capture.launches());
  out.put('\n', Style::kBold, "launches       total    share      median     samples  kernel",
          Style::kPlain, '\n');
  for (const KernelSum& sum : by_kernel(report)) {
    const double us = static_cast<double>(sum.total_ns) / 1000;
    const double median = capture::median_us(sum.launches);
    out.put(Right{with_commas(sum.launches.size()), 8}, Right{us > 0 ? time_text(us) : "-", 12},
            Right{all > 0 ? percent(us / all) : "-", 9},
            Right{median > 0 ? time_text(median) : "-", 12},
            Right{sum.samples > 0 ? with_commas(sum.samples) : "-", 12}, "  ",
            kernel_name(out, *sum.kernel), '\n');
  }
}

std::string remarks(const capture::CapturedLaunch& launch) {
  std::string text;
  const auto add = [&](bool holds, const char* word) {
    if (holds) text += (text.empty() ? "  (" : ", ") + std::string(word);
  };
  add(launch.has_memory, "memory");
  add(launch.has_counts, "counts");
  add(launch.is_graph, "graph");
  add(launch.is_cooperative, "cooperative");
  return text.empty() ? text : text + ")";
}

void write_launches(Output& out, const CaptureReport& report) {
  if (report.launches.empty()) return;
  const double all = sum_us(report.capture.launches());
  out.put('\n', Style::kBold, "  launch        time    share  grid             block        kernel",
          Style::kPlain, '\n');
  for (const capture::CapturedLaunch* launch : report.launches) {
    const double us = static_cast<double>(launch->duration_ns.value_or(0)) / 1000;
    out.put(Right{launch->id, 8}, Right{time_of(*launch), 12},
            Right{launch->duration_ns && all > 0 ? percent(us / all) : "-", 9}, "  ",
            Left{launch::to_string(launch->grid), 16}, " ",
            Left{launch::to_string(launch->block), 12}, " ",
            kernel_name(out, report.capture.kernel(launch->kernel)), remarks(*launch), '\n');
  }
  if (report.left_out > 0) {
    out.put("and ", with_commas(report.left_out), " more; --all lists them\n");
  }
}

// The measured time is outside the 80 % interval of the prediction.
bool is_outside(const jobs::ComparedGroup& group) {
  const timing::Certainty& certainty = group.certainty;
  return group.is_compared() && certainty.high_us > 0 &&
         (group.measured_us() < certainty.low_us || group.measured_us() > certainty.high_us);
}

void write_comparison(Output& out, const CaptureReport& report) {
  const jobs::CaptureComparison& comparison = *report.comparison;
  const bool has_counts = comparison.counted() != 0;
  out.put('\n', Style::kBold, "launches    measured   predicted    error   stalls",
          has_counts ? "   counts" : "", "  example  kernel", Style::kPlain, '\n');
  const std::size_t shown = std::min(comparison.groups.size(), report.most_groups);
  for (const jobs::ComparedGroup& each : std::span(comparison.groups).first(shown)) {
    const capture::LaunchGroup& group = each.group;
    const bool predicted = each.problem.empty();
    const double ratio = each.predicted_us / each.measured_us();
    out.put(Right{with_commas(group.launches.size()), 8},
            Right{each.measured_us() > 0 ? time_text(each.measured_us()) : "-", 12},
            Right{predicted ? time_text(each.predicted_us) : "-", 12},
            is_outside(each) ? Style::kBad : Style::kPlain,
            Right{each.is_compared()
                      ? fmt::format("{}{:.1f} %", ratio < 1 ? "-" : "+", 100 * each.error())
                      : "-",
                  9},
            Style::kPlain, Right{each.stalls ? percent(each.stalls->overlap) : "-", 9},
            Right{!has_counts   ? ""
                  : each.counts ? percent(each.counts->agreement)
                                : "-",
                  has_counts ? std::size_t{9} : 0},
            Right{group.example->id, 9}, "  ",
            kernel_name(out, report.capture.kernel(group.example->kernel)),
            each.is_known()
                ? ""
                : fmt::format("  ({:.0f} % depends on Unknown values)", 100 * each.unknown_share),
            '\n');
    if (!predicted) out.put("          ", each.problem, '\n');
  }
  if (shown < comparison.groups.size()) {
    out.put("and ", with_commas(comparison.groups.size() - shown), " more; --all lists them\n");
  }
  out.put('\n');
  if (comparison.compared() == 0) {
    out.put("no launch has both a measured and a predicted time\n");
    return;
  }
  out.put(
      "predicted for ", comparison.machine,
      comparison.machine_assumed ? " (assumed: no machine file for the recorded GPU)" : "",
      fmt::format(": median error {:.1f} %, geometric mean {:.1f} %, worst {:.1f} %, over {} of {} "
                  "distinct launches\n",
                  100 * comparison.median_error(), 100 * comparison.mean_error(),
                  100 * comparison.worst_error(), comparison.compared(), comparison.groups.size()));
  out.put(std::ranges::count_if(comparison.groups, &jobs::ComparedGroup::is_warm),
          " of them with buffers already in L2 from earlier launches\n");
  if (comparison.known() < comparison.compared()) {
    out.put(fmt::format("median error {:.1f} % over the {} that do not depend on Unknown values\n",
                        100 * comparison.known_median_error(), comparison.known()));
  }
  if (const auto overlap = comparison.stall_overlap()) {
    out.put("stall reasons match ", percent(*overlap), " of the samples (median)\n");
  }
  if (has_counts) {
    out.put("instruction counts match the GPU's to ", percent(comparison.count_agreement()),
            " (median), over ", comparison.counted(), " distinct launches\n");
  }
}

}  // namespace

void write_capture(Output& out, const CaptureReport& report) {
  write_head(out, report);
  if (report.comparison != nullptr) {
    write_comparison(out, report);
    return;
  }
  write_kernels(out, report);
  write_launches(out, report);
}

}  // namespace burin::report
