// The cubins that the process loaded, and the kernels launched from them.
//
// A launch identifies its kernel by a handle. The cubin of the kernel is known exactly if the
// program loaded the module itself (cuModuleLoadData: Triton, CuPy, NVRTC users). Modules loaded
// implicitly by the CUDA runtime are found by the kernel's name; two cubins have the same kernel
// name only by accident.
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
  std::uint32_t module = 0;  // 0: unknown
  std::string name{};
  std::vector<capture::SpoolParameter> parameters{};
  std::size_t argument_bytes = 0;  // size of the parameter block
  KernelFilterState* chosen = nullptr;
};

// The driver's information about a function.
struct FunctionFacts {
  std::string name{};
  std::optional<CudaHandle> module{};
  std::vector<capture::SpoolParameter> parameters{};
};

// Queries the driver. `function` may be a CUfunction or a CUkernel; `name` may be null. The caller
// must hold no lock: the driver may have to load the function's module first, which triggers
// callbacks.
FunctionFacts ask_driver(const RecordDriver& driver, CudaHandle function, const char* name);

// The driver's handle of the function's module, and the addresses of the named variables in that
// module. The caller must hold no lock here either.
std::optional<CudaHandle> module_handle(const RecordDriver& driver, CudaHandle function);
std::vector<capture::SpoolVariable> ask_variables(const RecordDriver& driver, CudaHandle function,
                                                  const std::vector<std::string>& names);

// Not thread-safe: callers must hold the recorder's lock. Calls neither the driver nor CUPTI.
class Modules {
 public:
  // `wants_variables`: read the names of all variables, not only those of constants.
  Modules(capture::SpoolWriter& out, Choice& choice, bool wants_variables)
      : out_(out), choice_(choice), wants_variables_(wants_variables) {}

  // Adds a loaded cubin, which is written to the spool once. Returns its number.
  std::uint32_t add(Bytes cubin, std::uint64_t crc);

  // Records that the module handle refers to the cubin with this number.
  void bind(CudaHandle module, std::uint32_t number) { handles_[module] = number; }

  // Discards all handles, which the driver may reuse for other functions from now on.
  void forget_handles();

  // find() returns null if the handle is new; the caller then gets its facts (ask_driver) and calls
  // add().
  const RecordedKernel* find(CudaHandle function) const;
  const RecordedKernel& add(CudaHandle function, const FunctionFacts& facts);

  // The names of the variables in the kernel's module: all of them or only `__constant__` ones.
  std::vector<std::string> variables(const RecordedKernel& kernel) const;

  // A kernel that is known only by name, e.g. inside a graph.
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
  std::unordered_map<std::string, std::vector<std::uint32_t>> modules_with_;  // by function name
  std::map<std::pair<std::uint32_t, std::string>, RecordedKernel> kernels_;   // by module and name
  std::unordered_map<CudaHandle, const RecordedKernel*> functions_;
};

}  // namespace burin::gpu
