// The device that `burin tune` measures on, from what the user names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "jobs/tune/tune_kernel.h"
#include "machine/machine.h"
#include "measure/device.h"
#include "toolchain/compile.h"
#include "tune/device_lab.h"
#include "tune/spec.h"

namespace burin::jobs {

inline constexpr std::string_view kEmulatorDevice = "emulator:";

struct TuneDevice {
  enum class Kind : std::uint8_t { kCuda, kOpencl, kEmulator };
  Kind kind = Kind::kCuda;
  std::string name{};  // "cuda:0", "opencl:1", "emulator:h200"
  std::unique_ptr<measure::Device> device{};
  std::string arch{};                           // to compile for; "" for OpenCL
  std::uint64_t max_shared_bytes = UINT64_MAX;  // per block
  std::optional<machine::Machine> machine{};    // of the emulator, or of a GPU that burin knows
  std::string model{};                          // "NVIDIA H200"; `name` where that says all
  // What tells it from other devices of this computer; "": several processes may use it at once.
  std::string bus_id{};
  bool is_cpu = false;  // an OpenCL device that is the CPU
  std::string note{};   // why this one, if it was chosen for the user

  tune::Language language() const {
    return kind == Kind::kOpencl ? tune::Language::kOpencl : tune::Language::kCuda;
  }
  // Measurements vary; predictions do not.
  bool is_exact() const { return kind == Kind::kEmulator; }
};

// The device for process `number` of those on this computer: "cuda" and "auto" with a GPU become
// cuda:NUMBER, unless the computer shows each process a single GPU. A text with a number of its own
// stays as it is.
std::string device_of_process(const std::string& text, std::uint64_t number,
                              const tune::Spec* spec);

// What TuneRequest::burin says; "" if there is no such program.
std::string path_of_burin(const TuneRequest& request);

// `text` is auto, cuda:N, opencl:N or emulator:MACHINE. With auto: cuda:0 if there is an NVIDIA
// driver and the spec has CUDA source, else the emulator of an H200 if it has CUDA source, else
// opencl:0. `spec` may be null for a kernel without one. `burin` is the path of the executable.
Result<TuneDevice> open_tune_device(const std::string& text, const tune::Spec* spec,
                                    const std::string& burin);

// A device of another process, by its TuneDevice::model: enough to compile for it and to predict,
// nothing to measure with. The Error says that burin does not know it.
Result<TuneDevice> describe_device(const std::string& model);

toolchain::Compiler compiler_of(const TuneRequest& request);

// How a lab measures on the device. A trial of `known` that worked is the reference of a run that
// is continued.
tune::LabOptions lab_options(const TuneRequest& request, const TuneDevice& device,
                             const std::vector<tune::Trial>& known, std::size_t ahead);

}  // namespace burin::jobs
