#include "report/html/capture_views.h"

#include <algorithm>
#include <map>
#include <vector>

#include "advise/blame/blame.h"
#include "base/text.h"
#include "jobs/input/choose_machine.h"
#include "jobs/input/load_kernel.h"
#include "machine/load.h"
#include "report/capture/captured_launch.h"
#include "report/html/code_json.h"

namespace burin::report {
namespace {

constexpr std::size_t kMaxSampledKernels = 20;

// The kernels among the report's launches that have samples and code, most samples first.
std::vector<std::uint64_t> sampled_kernels(const CaptureReport& report) {
  std::vector<std::uint64_t> kernels;
  for (const capture::CapturedLaunch* launch : report.launches) {
    const std::uint64_t id = launch->kernel;
    const bool sampled = id <= report.samples.size() && report.samples[id - 1] > 0;
    if (sampled && report.capture.kernel(id).module != 0) kernels.push_back(id);
  }
  std::ranges::sort(kernels);
  kernels.erase(std::ranges::unique(kernels).begin(), kernels.end());
  std::ranges::stable_sort(kernels, std::ranges::greater{},
                           [&](std::uint64_t id) { return report.samples[id - 1]; });
  return kernels;
}

Result<machine::Machine> machine_of(const capture::Capture& capture, std::uint64_t kernel,
                                    read::Architecture arch, const std::string& wanted) {
  if (!wanted.empty()) return machine::load_machine(wanted);
  bool is_assumed = false;
  for (const capture::CapturedLaunch& launch : capture.launches()) {
    const capture::CapturedGpu* gpu = launch.kernel == kernel ? capture.gpu(launch.gpu) : nullptr;
    if (gpu != nullptr) {
      return jobs::machine_of_gpu(gpu->name, arch, gpu->multiprocessors, is_assumed);
    }
  }
  return jobs::default_machine(arch);
}

// Writes the view of one kernel. Returns its number of instructions; 0: its code or its samples
// cannot be read, and nothing is written.
std::size_t write_sampled(Json& json, const CaptureReport& report, std::uint64_t id,
                          const std::string& wanted, std::size_t room) {
  const capture::Capture& capture = report.capture;
  const Result<std::unique_ptr<jobs::ChosenKernel>> code =
      jobs::load_kernel(capture, capture.kernel(id));
  if (!code || (*code)->kernel.instructions.size() > room) return 0;
  const Result<read::Kernel> kernel =
      read::build_kernel((*code)->image, (*code)->function());  // with its dependences
  const Result<launch::StallProfile> samples = capture.profile(id);
  if (!samples || samples->total() <= 0) return 0;
  const Result<machine::Machine> machine = machine_of(capture, id, (*code)->image.arch, wanted);
  if (!kernel || !machine) return 0;
  const advise::BlamedProfile blamed = advise::blame(*kernel, *samples, *machine);
  read::SourceText source(folder_of(capture.path()));
  CodeReport shown{.kernel = *kernel, .source = source};
  shown.profiles.push_back(profile_of(blamed));
  json.open('[');
  json.open('{');
  json.field("schema", "burin.sampled/1");
  json.field("kernel", id);
  json.field("samples", report.samples[id - 1]);
  json.close();
  write_code_json(json, shown);
  json.close();
  return kernel->instructions.size();
}

void write_stacks_json(Json& json, const capture::Capture& capture) {
  const Result<std::map<std::string, std::uint64_t>> folded = folded_stacks(capture);
  if (!folded) return;
  json.open('{');
  json.field("schema", "burin.stacks/1");
  for (const auto& [path, value] : *folded) json.field(path, value);
  json.close();
}

}  // namespace

void write_capture_views(Json& json, const CaptureReport& report, const std::string& machine) {
  json.open('[');
  write_capture_json(json, report);
  write_stacks_json(json, report.capture);
  json.close();
  std::size_t room = kMaxReportInstructions, views = 0;
  for (const std::uint64_t id : sampled_kernels(report)) {
    if (views == kMaxSampledKernels) break;
    const std::size_t used = write_sampled(json, report, id, machine, room);
    room -= used;
    views += used > 0 ? 1 : 0;
  }
}

}  // namespace burin::report
