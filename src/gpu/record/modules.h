// The cubins that the process loaded and the kernels launched from them.
//
// A launch names its kernel by a handle. Which cubin it stands in is known exactly where the
// program loaded the module itself (cuModuleLoadData: Triton, CuPy, NVRTC users); the CUDA runtime
// loads behind the scenes, and there the name tells, which is the same in two cubins only by
// accident.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/spool/spool.h"
#include "capture/spool/spool_writer.h"
#include "gpu/record/choice.h"
#include "gpu/record/driver/driver.h"

namespace burin::gpu {

struct RecordedKernel {
  std::uint32_t id = 0;
  std::uint32_t module = 0;  // 0: not known which
  std::string name{};
  std::vector<capture::SpoolParameter> parameters{};
  std::size_t argument_bytes = 0;  // of the parameter block
  KernelFilterState* chosen = nullptr;
};

// What the driver says about a function.
struct FunctionFacts {
  std::string name{};
  std::optional<CudaHandle> module{};
  std::vector<capture::SpoolParameter> parameters{};
};

// `function` may be a CUfunction or a CUkernel; `name` may be null. No lock may be held: the driver
// may load the function's module first, and calls back for that.
FunctionFacts ask_driver(const RecordDriver& driver, CudaHandle function, const char* name);

// Likewise: the function's module as the driver has it, and where its variables lie.
std::optional<CudaHandle> module_handle(const RecordDriver& driver, CudaHandle function);
std::vector<capture::SpoolVariable> ask_variables(const RecordDriver& driver, CudaHandle function,
                                                  const std::vector<std::string>& names);

// Not safe from many threads: the recorder's lock stands around it. Calls neither driver nor CUPTI.
class Modules {
 public:
  // `wants_variables`: their names are read, which takes time.
  Modules(capture::SpoolWriter& out, Choice& choice, bool wants_variables)
      : out_(out), choice_(choice), wants_variables_(wants_variables) {}

  // A cubin was loaded; told to the spool once. Returns its number.
  std::uint32_t add(Bytes cubin, std::uint64_t crc);

  // The module of this handle is the cubin of that number.
  void bind(CudaHandle module, std::uint32_t number) { handles_[module] = number; }

  // Handles may be given again to other functions after this.
  void forget_handles();

  // Null where the handle was not seen yet: then its facts are asked for, and it is added.
  const RecordedKernel* find(CudaHandle function) const;
  const RecordedKernel& add(CudaHandle function, const FunctionFacts& facts);

  // The names of the variables of the kernel's module.
  std::vector<std::string> variables(const RecordedKernel& kernel) const;

  // A kernel that is known by name only, as inside a graph.
  const RecordedKernel& named(const std::string& name);

 private:
  std::uint32_t module_of(const FunctionFacts& facts);
  RecordedKernel& add_kernel(std::uint32_t module, const FunctionFacts& facts);

  capture::SpoolWriter& out_;
  Choice& choice_;
  bool wants_variables_;
  std::unordered_map<std::uint32_t, std::vector<std::string>> variables_;    // by module
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> contents_;  // by crc32 and size
  std::unordered_map<CudaHandle, std::uint32_t> handles_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> modules_with_;  // a function's name
  std::map<std::pair<std::uint32_t, std::string>, RecordedKernel> kernels_;   // by module and name
  std::unordered_map<CudaHandle, const RecordedKernel*> functions_;
};

}  // namespace burin::gpu
