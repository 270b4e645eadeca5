#include "tune/compiled_kernels.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "read/binary/container.h"

namespace burin::tune {

Result<CompiledKernels> CompiledKernels::read(Bytes cubin) {
  const Result<read::Container> container = read::open_container(cubin);
  if (!container) return container.error();
  for (const read::Entry& entry : container->entries) {
    if (entry.kind != read::Entry::Kind::kCubin) continue;
    Result<read::Image> image = read::load(entry);
    if (!image) return image.error();
    CompiledKernels kernels;
    kernels.image_ = std::move(*image);
    return kernels;
  }
  return Error{"the compiled file has no machine code", Exit::kInput};
}

Result<const read::Function*> CompiledKernels::find(std::string_view wanted) const {
  std::vector<std::string> names;
  for (const read::Function& function : image_.functions) {
    if (!function.is_kernel) continue;
    const std::string_view plain =
        std::string_view(function.demangled).substr(0, function.demangled.find('('));
    if (function.name == wanted || function.demangled == wanted || plain == wanted) {
      return &function;
    }
    names.emplace_back(plain);
  }
  const std::string like = closest(wanted, names);
  return Error{fmt::format("the source has no kernel '{}'{}", wanted,
                           !like.empty()   ? "; did you mean " + like + "?"
                           : names.empty() ? "; it has none"
                                           : "; it has " + list_of(names, 5)),
               Exit::kInput};
}

void add_figures(const read::Function& kernel, const launch::Launch& launch,
                 std::map<std::string, double>& figures) {
  const auto raise = [&](const char* name, std::uint64_t value) {
    double& figure = figures[name];
    figure = std::max(figure, static_cast<double>(value));
  };
  raise("registers", kernel.registers);
  raise("spill_bytes", kernel.local_bytes);
  raise("shared_bytes", kernel.shared_bytes + launch.shared_bytes);
}

}  // namespace burin::tune
