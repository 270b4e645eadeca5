// A program loaded on the GPU together with the launches of a request, its steps. All of them
// together, a run, can be launched any number of times.
//
//   Attempt<LoadedProgram> program = LoadedProgram::load(gpu, bytes, request, addresses);
//   program->launch();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "gpu/attempt.h"
#include "gpu/context.h"
#include "measure/device.h"
#include "read/binary/image.h"

namespace burin::gpu {

class LoadedProgram {
 public:
  // `program` is a cubin, or PTX, which the driver compiles. `addresses` has one list per step,
  // with one entry per argument; only those of buffers are used. `gpu` must outlive the program.
  static Attempt<LoadedProgram> load(const GpuContext& gpu, Bytes program,
                                     const measure::DeviceRequest& request,
                                     const std::vector<std::vector<std::uint64_t>>& addresses);

  LoadedProgram(LoadedProgram&& other) noexcept;
  LoadedProgram& operator=(LoadedProgram&&) = delete;
  ~LoadedProgram();

  // Launches the steps in the GPU's stream; returns before they have ended.
  //
  // If a cubin has __device__ variables, a second run would see the values left by the first. Each
  // run of such a program therefore uses a fresh copy of the cubin. Loading a copy waits for the
  // GPU, so `prepare(n)` loads the copies for the next n runs in advance, and `release_used()`,
  // called when the stream is idle, unloads the used copies.
  Attempt<void> launch();
  Result<void> prepare(std::size_t runs);
  void release_used();

  std::size_t launches() const;  // kernel launches per run

  const std::string& kernels() const { return kernels_; }  // names for messages: "scan, add"

 private:
  struct LoadedStep {
    std::string name, demangled;  // in the symbol table, and for messages
    std::uint64_t static_shared_bytes = 0;
    launch::Dims grid{}, block{};
    std::uint64_t shared_bytes = 0;
    std::uint64_t cluster_blocks = 1;
    std::vector<CudaLaunchAttribute> attributes{};
    std::vector<std::uint8_t> parameters{};
    unsigned count = 1;
  };
  struct Copy {
    CudaHandle module = nullptr;
    std::vector<CudaHandle> functions{};  // one per step
  };

  explicit LoadedProgram(const GpuContext& gpu) : gpu_(&gpu) {}
  static Attempt<LoadedStep> make_step(const read::Image& image, const std::string& path,
                                       const measure::Step& step,
                                       const std::vector<std::uint64_t>& addresses);
  Attempt<void> load_one();
  Result<void> set_variables(CudaHandle module) const;
  Result<void> set_attributes(const LoadedStep& step, CudaHandle function) const;
  Attempt<void> launch_step(LoadedStep& step, CudaHandle function) const;

  const GpuContext* gpu_;
  std::vector<std::uint8_t> cubin_;
  std::string architecture_;  // architecture of the cubin
  std::string kernels_;
  bool has_variables_ = false;
  std::vector<LoadedStep> steps_;
  std::vector<launch::Setting> settings_;
  std::vector<Copy> copies_;
  std::size_t used_ = 0;  // number of used copies, if there are variables
};

}  // namespace burin::gpu
