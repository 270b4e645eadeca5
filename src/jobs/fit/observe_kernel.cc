#include <algorithm>
#include <cstring>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "jobs/fit/propose_spec.h"
#include "read/binary/demangle.h"

namespace burin::jobs {
namespace {

constexpr std::size_t kNamed = 5;

bool is_meant(const capture::CapturedKernel& kernel, const std::string& wanted) {
  return kernel.name == wanted || kernel.name.find(wanted) != std::string::npos ||
         read::demangle(kernel.name).find(wanted) != std::string::npos;
}

Result<const capture::CapturedKernel*> find_kernel(const capture::Capture& capture,
                                                   const std::string& wanted) {
  std::vector<const capture::CapturedKernel*> found;
  std::vector<std::string> names;
  for (const capture::CapturedKernel& kernel : capture.kernels()) {
    const bool launched =
        std::ranges::find(capture.launches(), kernel.id, &capture::CapturedLaunch::kernel) !=
        capture.launches().end();
    if (launched && is_meant(kernel, wanted)) found.push_back(&kernel);
    if (launched) names.push_back(read::demangle(kernel.name));
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return Error{fmt::format("{}: no launched kernel is called {}; there are: {}", capture.path(),
                             wanted, list_of(names, kNamed)),
                 Exit::kInput};
  }
  names.clear();
  for (const capture::CapturedKernel* kernel : found) names.push_back(read::demangle(kernel->name));
  return Error{fmt::format("{}: choose one of its kernels with --kernel: {}", capture.path(),
                           list_of(names, kNamed)),
               Exit::kUsage};
}

// Empty if the arguments are not known.
std::optional<ObservedLaunch> observe(const capture::CapturedKernel& kernel,
                                      const capture::CapturedLaunch& launch,
                                      const capture::CapturedArguments& arguments) {
  if (!arguments.bytes) return std::nullopt;
  ObservedLaunch observed{
      .grid = launch.grid, .block = launch.block, .shared_bytes = launch.shared_bytes};
  for (const read::Parameter& parameter : kernel.parameters) {
    if (parameter.offset + parameter.size > arguments.bytes->size()) return std::nullopt;
    const auto first = arguments.bytes->begin() + parameter.offset;
    ObservedArgument argument{.bytes = {first, first + parameter.size}};
    for (const capture::CapturedAllocation& allocation : arguments.allocations) {
      if (allocation.argument_offset != parameter.offset || parameter.size != 8) continue;
      std::uint64_t pointer = 0;
      std::memcpy(&pointer, argument.bytes.data(), sizeof(pointer));
      if (pointer < allocation.address || pointer - allocation.address >= allocation.size) continue;
      argument.buffer_bytes = allocation.address + allocation.size - pointer;
    }
    observed.arguments.push_back(std::move(argument));
  }
  return observed;
}

// Launches with the same shape and numbers are one, wherever their buffers lie.
std::string key_of(const ObservedLaunch& launch) {
  std::string key =
      fmt::format("{} {} {} {} {} {} {}", launch.grid.x, launch.grid.y, launch.grid.z,
                  launch.block.x, launch.block.y, launch.block.z, launch.shared_bytes);
  for (const ObservedArgument& argument : launch.arguments) {
    if (argument.buffer_bytes) {
      key += fmt::format(" b{}", *argument.buffer_bytes);
    } else {
      key += fmt::format(" {:02x}", fmt::join(argument.bytes, ""));
    }
  }
  return key;
}

}  // namespace

Result<ObservedKernel> observe_kernel(const capture::Capture& capture, const std::string& kernel) {
  const Result<const capture::CapturedKernel*> found = find_kernel(capture, kernel);
  if (!found) return found.error();
  const capture::CapturedKernel& of = **found;
  if (of.module == 0) {
    return Error{fmt::format("{}: the capture does not contain the code of {}", capture.path(),
                             read::demangle(of.name)),
                 Exit::kInput};
  }
  ObservedKernel result{.name = of.name};
  Result<std::vector<std::uint8_t>> cubin = capture.cubin(of.module);
  if (!cubin) return cubin.error();
  result.cubin = std::move(*cubin);
  std::set<std::string> seen;
  for (const capture::CapturedLaunch& launch : capture.launches()) {
    if (launch.kernel != of.id) continue;
    const Result<capture::CapturedArguments> arguments = capture.arguments(launch.id);
    if (!arguments) return arguments.error();
    std::optional<ObservedLaunch> observed = observe(of, launch, *arguments);
    if (observed && seen.insert(key_of(*observed)).second) {
      result.launches.push_back(std::move(*observed));
    }
  }
  if (result.launches.empty()) {
    return Error{fmt::format("{}: the arguments of {} were not recorded", capture.path(),
                             read::demangle(of.name)),
                 Exit::kInput};
  }
  return result;
}

}  // namespace burin::jobs
