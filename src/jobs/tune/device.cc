#include "jobs/tune/device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/child.h"
#include "base/format.h"
#include "base/text.h"
#include "gpu/micro/calibrate.h"
#include "gpu/opencl/platforms.h"
#include "gpu/worker/worker_device.h"
#include "jobs/input/choose_machine.h"
#include "jobs/tune/guided.h"
#include "jobs/tune/ranks.h"
#include "machine/load.h"
#include "measure/device_name.h"
#include "model/emulated_device.h"

namespace burin::jobs {
namespace {

constexpr std::string_view kEmulator = "emulator";
constexpr std::string_view kDefaultMachine = "h200";

std::string choose(const tune::Spec* spec) {
  const bool has_cuda = spec == nullptr || spec->sources.contains(tune::Language::kCuda);
  if (!has_cuda) return "opencl:0";
  std::error_code ignored;
  if (std::filesystem::exists("/dev/nvidiactl", ignored)) return "cuda:0";
  return fmt::format("{}:{}", kEmulator, kDefaultMachine);
}

Result<TuneDevice> open_emulator(std::string_view machine_name) {
  TuneDevice opened;
  opened.kind = TuneDevice::Kind::kEmulator;
  Result<machine::Machine> machine = machine::load_machine(machine_name);
  if (!machine) return machine.error().within("--device");
  opened.name = opened.model = fmt::format("{}:{}", kEmulator, machine->name);
  opened.arch = read::to_string(machine->arch);
  opened.max_shared_bytes = static_cast<std::uint64_t>(machine->limit.shared_per_block);
  opened.machine = *machine;
  opened.device = std::make_unique<model::EmulatedDevice>(std::move(*machine));
  return opened;
}

}  // namespace

std::string device_of_process(const std::string& text, std::uint64_t number,
                              const tune::Spec* spec) {
  const std::string wanted = text == "auto" ? choose(spec) : text;
  const bool numbered = text != "auto" && wanted != "cuda";
  if (numbered || !wanted.starts_with("cuda")) return wanted;
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const bool single = visible != nullptr && *visible != 0 && std::strchr(visible, ',') == nullptr;
  return fmt::format("cuda:{}", single ? 0 : number);
}

// Another program would run itself again and again in place of a worker.
std::string path_of_burin(const TuneRequest& request) {
  if (!request.burin.empty()) return request.burin;
  const std::string here = gpu::path_of_this_program();
  if (file_name(here) == "burin") return here;
  return find_program("burin", {});
}

Result<TuneDevice> open_tune_device(const std::string& text, const tune::Spec* spec,
                                    const std::string& burin) {
  const std::string wanted = text == "auto" ? choose(spec) : text;
  if (wanted == kEmulator || wanted.starts_with(kEmulatorDevice)) {
    Result<TuneDevice> opened =
        open_emulator(wanted == kEmulator ? kDefaultMachine : std::string_view(wanted).substr(9));
    if (opened && text == "auto") {
      opened->note = fmt::format(
          "no NVIDIA driver on this computer: times are predicted for {}; --device chooses another",
          opened->name);
    }
    return opened;
  }
  const Result<measure::DeviceName> name = measure::parse_device_name(wanted);
  if (!name) {
    return Error{fmt::format("--device: '{}' is none of auto, cuda:N, opencl:N, emulator:MACHINE "
                             "and replay:FILE",
                             text),
                 Exit::kUsage};
  }
  if (burin.empty()) {
    return Error{fmt::format("no burin executable in PATH, whose workers measure on {}", wanted),
                 Exit::kDevice};
  }
  TuneDevice opened;
  opened.name = opened.model = name->text();
  opened.device = std::make_unique<gpu::WorkerDevice>(burin);
  if (name->kind == measure::DeviceKind::kOpencl) {
    opened.kind = TuneDevice::Kind::kOpencl;
    // Only other ranks have to know more of it. Where there is no such device, the worker says so.
    if (!is_one_of_many()) return opened;
    const std::vector<gpu::OpenclDeviceInfo> devices = gpu::find_opencl_devices();
    if (name->number >= devices.size()) return opened;
    opened.model = devices[name->number].name;
    opened.is_cpu = !devices[name->number].is_gpu;
    // All CPU devices are the same CPU.
    opened.bus_id = opened.is_cpu ? "cpu" : opened.name;
    return opened;
  }
  const Result<gpu::GpuShape> gpu = gpu::describe_gpu(name->number);
  if (!gpu) return gpu.error();
  opened.arch = read::to_string(gpu->arch);
  opened.model = gpu->name;
  opened.bus_id = gpu->bus_id;
  bool is_assumed = false;
  Result<machine::Machine> machine = machine_of_gpu(gpu->name, gpu->arch, gpu->sms, is_assumed);
  if (machine && !is_assumed) opened.machine = std::move(*machine);
  return opened;
}

Result<TuneDevice> describe_device(const std::string& model) {
  if (model.starts_with(kEmulatorDevice)) {
    return open_emulator(std::string_view(model).substr(kEmulatorDevice.size()));
  }
  std::optional<machine::Machine> machine = machine_named(model);
  if (!machine) return unknown_machine(model);
  TuneDevice described;
  described.name = described.model = model;
  described.arch = read::to_string(machine->arch);
  described.machine = std::move(machine);
  return described;
}

toolchain::Compiler compiler_of(const TuneRequest& request) {
  if (request.compiler == "nvcc") return toolchain::Compiler::kNvcc;
  if (request.compiler == "nvrtc") return toolchain::Compiler::kNvrtc;
  return toolchain::Compiler::kAuto;
}

tune::LabOptions lab_options(const TuneRequest& request, const TuneDevice& device,
                             const std::vector<tune::Trial>& known, std::size_t ahead) {
  tune::LabOptions options;
  options.device = device.name;
  options.limit_seconds = request.limit_seconds;
  // A kernel that runs is not to exceed the limit because it is timed so often.
  options.stopping.max_seconds = std::min(options.stopping.max_seconds, request.limit_seconds / 4);
  options.stopping.most = request.launches;
  options.stopping.least = std::min(options.stopping.least, request.launches);
  options.caches = request.warm ? measure::Caches::kWarm : measure::Caches::kCold;
  options.verify = !device.is_exact();
  options.ahead = ahead;
  const auto worked = std::ranges::find(known, tune::Status::kOk, &tune::Trial::status);
  if (worked != known.end()) options.trusted = worked->point;
  return options;
}

}  // namespace burin::jobs
