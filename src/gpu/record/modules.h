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

#include "gpu/record/choice.h"
#include "gpu/record/driver.h"
#include "launch/spool.h"
#include "launch/spool_writer.h"

namespace burin {

struct RecordedKernel {
  std::uint32_t id = 0;
  std::string name{};
  std::vector<SpoolParameter> parameters{};
  std::size_t argument_bytes = 0;  // of the parameter block
  KernelChoice* chosen = nullptr;
};

// What the driver says about a function.
struct FunctionFacts {
  std::string name{};
  std::optional<CudaHandle> module{};
  std::vector<SpoolParameter> parameters{};
};

// `function` may be a CUfunction or a CUkernel; `name` may be null. No lock may be held: the driver
// may load the function's module first, and calls back for that.
FunctionFacts ask_driver(const RecordDriver& driver, CudaHandle function, const char* name);

// The names of the functions with code in a cubin; none where it is no ELF file.
std::vector<std::string> function_names(Bytes cubin);

// Not safe from many threads: the recorder's lock stands around it. Calls neither driver nor CUPTI.
class Modules {
 public:
  Modules(SpoolWriter& out, Choice& choice) : out_(out), choice_(choice) {}

  // A cubin was loaded; told to the spool once. Returns its number.
  std::uint32_t add(Bytes cubin, std::uint64_t crc);

  // The module of this handle is the cubin of that number.
  void bind(CudaHandle module, std::uint32_t number) { handles_[module] = number; }

  // Handles may be given again to other functions after this.
  void forget_handles();

  // Null where the handle was not seen yet: then its facts are asked for, and it is added.
  const RecordedKernel* find(CudaHandle function) const;
  const RecordedKernel& add(CudaHandle function, const FunctionFacts& facts);

  // A kernel that is known by name only, as inside a graph.
  const RecordedKernel& named(const std::string& name);

 private:
  std::uint32_t module_of(const FunctionFacts& facts);
  RecordedKernel& add_kernel(std::uint32_t module, const FunctionFacts& facts);

  SpoolWriter& out_;
  Choice& choice_;
  std::map<std::pair<std::uint64_t, std::size_t>, std::uint32_t> contents_;  // by crc and size
  std::unordered_map<CudaHandle, std::uint32_t> handles_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> modules_with_;  // a function's name
  std::map<std::pair<std::uint32_t, std::string>, RecordedKernel> kernels_;   // by module and name
  std::unordered_map<CudaHandle, const RecordedKernel*> functions_;
};

}  // namespace burin
