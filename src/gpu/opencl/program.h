// An OpenCL program built from source, and its kernels with the launches of a request.
//
//   Attempt<OpenclProgram> program = OpenclProgram::build(device, source, "-DTILE=16");
//   Attempt<OpenclSteps> steps = OpenclSteps::make(device, *program, request, buffers);
//   Attempt<void> launched = steps->launch();     // enqueues all of them
//   Result<double> time_us = steps->time_us();    // when the queue is idle
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/attempt.h"
#include "gpu/opencl/buffers.h"
#include "gpu/opencl/context.h"
#include "measure/device.h"

namespace burin::gpu {

class OpenclProgram {
 public:
  // The Error of a program that does not compile is of FailureKind::kCompile, with the start of the
  // compiler's messages. `device` must outlive the program.
  static Attempt<OpenclProgram> build(const OpenclContext& device, const std::string& source,
                                      const std::string& options);

  OpenclProgram(OpenclProgram&& other) noexcept;
  OpenclProgram& operator=(OpenclProgram&& other) noexcept;
  ~OpenclProgram();

  OpenclHandle handle() const { return program_; }
  std::string kernel_names() const;  // "first;second"

 private:
  explicit OpenclProgram(const OpenclContext& device) : device_(&device) {}
  std::string build_log() const;

  const OpenclContext* device_;
  OpenclHandle program_ = nullptr;
};

class OpenclSteps {
 public:
  // Creates the kernels and sets their arguments. Everything must outlive the steps.
  static Attempt<OpenclSteps> make(const OpenclContext& device, const OpenclProgram& program,
                                   const measure::DeviceRequest& request,
                                   const OpenclBuffers& buffers);

  OpenclSteps(OpenclSteps&& other) noexcept;
  OpenclSteps& operator=(OpenclSteps&&) = delete;
  ~OpenclSteps();

  // Enqueues all steps.
  Attempt<void> launch();

  // Waits for the queue. The Error says which kernels stopped, and why.
  Attempt<void> finish() const;

  // From the start of the first launch to the end of the last, of the last call of launch(), µs.
  Result<double> time_us() const;

 private:
  struct Kernel {
    OpenclHandle handle = nullptr;
    std::string name;
    launch::Dims grid{}, block{};
    unsigned count = 1;
  };

  explicit OpenclSteps(const OpenclContext& device) : device_(&device) {}
  Attempt<void> add(const OpenclProgram& program, const measure::DeviceRequest& request,
                    std::size_t step, const OpenclBuffers& buffers);
  Attempt<void> set_argument(const Kernel& kernel, std::size_t position,
                             const launch::Argument& argument, OpenclHandle memory) const;
  Attempt<void> launch_one(const Kernel& kernel);
  void release_events();

  const OpenclContext* device_;
  std::vector<Kernel> kernels_;
  std::string names_;                 // for messages
  std::vector<OpenclHandle> events_;  // of the last call of launch()
};

}  // namespace burin::gpu
