// The kernels in a compiled cubin, found by the names that specs use.
//
//   Result<CompiledKernels> kernels = CompiledKernels::read(cubin);
//   Result<const read::Function*> kernel = kernels->find("transpose");   // or its mangled name
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "launch/launch.h"
#include "read/binary/image.h"

namespace burin::tune {

class CompiledKernels {
 public:
  // The bytes must outlive the value.
  static Result<CompiledKernels> read(Bytes cubin);

  // By the name in the symbol table, the demangled name, or the demangled name without parameters.
  // The Error lists the kernels that there are.
  Result<const read::Function*> find(std::string_view wanted) const;

  const read::Image& image() const { return image_; }

 private:
  read::Image image_;
};

// Adds what a launch of the kernel uses: registers and spill_bytes (per thread; the larger of
// several launches), shared_bytes (per block, static and dynamic).
void add_figures(const read::Function& kernel, const launch::Launch& launch,
                 std::map<std::string, double>& figures);

}  // namespace burin::tune
