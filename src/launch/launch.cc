#include "launch/launch.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <string_view>

#include "base/format.h"
#include "base/text.h"

namespace burin::launch {

namespace {

Dims dims_of(const std::array<std::uint32_t, 3>& d) {
  return {d[0], d[1], d[2]};
}

// "the grid's y is 70000; it is at most 65535"
Result<void> check_dims(std::string_view what, Dims dims, Dims most) {
  const struct {
    char axis;
    std::uint32_t value, most;
  } axes[] = {{'x', dims.x, most.x}, {'y', dims.y, most.y}, {'z', dims.z, most.z}};
  for (const auto& [axis, value, limit] : axes) {
    if (value == 0)
      return Error{fmt::format("the {}'s {} is 0; it must be at least 1", what, axis)};
    if (value > limit) {
      return Error{
          fmt::format("the {}'s {} is {}; it must be at most {}", what, axis, value, limit)};
    }
  }
  return {};
}

Result<void> check_block(Dims block, const read::Function& kernel) {
  if (Result<void> fits = check_dims("block", block, kMaxBlock); !fits) return fits;
  if (block.total() > kMaxBlockThreads) {
    return Error{fmt::format("the block {} has {} threads; the limit is {}", to_string(block),
                             block.total(), kMaxBlockThreads)};
  }
  if (kernel.required_block && block != dims_of(*kernel.required_block)) {
    return Error{fmt::format("the block is {}, but the kernel was compiled for {} only",
                             to_string(block), to_string(dims_of(*kernel.required_block)))};
  }
  if (kernel.max_threads) {
    const std::uint64_t most = dims_of(*kernel.max_threads).total();
    if (block.total() > most) {
      return Error{
          fmt::format("the block {} has {} threads, but the kernel was compiled for at most {}",
                      to_string(block), block.total(), most)};
    }
  }
  return {};
}

Result<void> check_cluster(const Launch& launch, const read::Function& kernel) {
  const std::optional<Dims> cluster = cluster_of(launch, kernel);
  if (!cluster) return {};
  constexpr auto kMax = static_cast<std::uint32_t>(kMaxClusterBlocks);
  if (Result<void> fits = check_dims("cluster", *cluster, {kMax, kMax, kMax}); !fits) {
    return fits;
  }
  if (cluster->total() > kMaxClusterBlocks) {
    return Error{fmt::format("the cluster {} has {} blocks; the limit is {}", to_string(*cluster),
                             cluster->total(), kMaxClusterBlocks)};
  }
  const std::optional<Dims> compiled = cluster_of({}, kernel);
  if (compiled && *cluster != *compiled) {
    return Error{fmt::format("the cluster is {}, but the kernel was compiled for {} only",
                             to_string(*cluster), to_string(*compiled))};
  }
  const Dims& grid = launch.grid;
  if (grid.x % cluster->x != 0 || grid.y % cluster->y != 0 || grid.z % cluster->z != 0) {
    return Error{fmt::format("the grid {} is not a multiple of the cluster of {} blocks",
                             to_string(grid), to_string(*cluster))};
  }
  return {};
}

Result<void> check_shared(const Launch& launch, const read::Function& kernel) {
  if (launch.shared_bytes <= kMaxSharedBytes &&
      kernel.shared_bytes + launch.shared_bytes <= kMaxSharedBytes) {
    return {};
  }
  return Error{
      fmt::format("{} bytes of dynamic and {} bytes of static shared memory are too much: the "
                  "limit per block is {}",
                  launch.shared_bytes, kernel.shared_bytes, kMaxSharedBytes)};
}

std::string described(const Argument& argument) {
  if (argument.buffer() != nullptr) return "a buffer (8 bytes)";
  if (argument.tensor_map() != nullptr) return "a tensor map (128 bytes)";
  if (argument.reference() != nullptr) return "a buffer of the first launch (8 bytes)";
  if (argument.local_memory() != nullptr) return "local memory of OpenCL";
  const std::string_view type = std::string_view(argument.text).substr(0, argument.text.find(':'));
  return fmt::format("{} ({})", type, count_of(argument.size(), "byte"));
}

bool is_mapped(const std::vector<Argument>& arguments, std::size_t position) {
  return std::ranges::any_of(arguments, [&](const Argument& a) {
    return a.tensor_map() != nullptr && a.tensor_map()->argument == position;
  });
}

// A tensor map must lie completely inside the buffer of another argument.
Result<void> check_tensor_maps(const Launch& launch) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const TensorMap* map = launch.arguments[i].tensor_map();
    if (map == nullptr) continue;
    const Result<const Buffer*> buffer = buffer_at(launch, map->argument);
    if (!buffer) return buffer.error().within(fmt::format("argument {}", i));
    if (span_bytes(*map) > (*buffer)->size) {
      return Error{fmt::format("argument {} '{}' maps {}, but the buffer of argument {} has {}", i,
                               launch.arguments[i].text, count_of(span_bytes(*map), "byte"),
                               map->argument, (*buffer)->size)};
    }
  }
  return {};
}

// "int", "float*" of "saxpy(int, float*)": the types, if the name has one for each parameter.
std::vector<std::string_view> parameter_types(const read::Function& kernel) {
  std::vector<std::string_view> types;
  const std::string_view name = kernel.demangled;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '(' && depth == 0) {  // the last list is that of the parameters
      begin = i + 1;
      types.clear();
    }
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    const bool ends = begin > 0 && (depth == 0 ? c == ')' : depth == 1 && c == ',');
    if (!ends) continue;
    types.push_back(name.substr(begin, i - begin));
    begin = i + 1 + (i + 1 < name.size() && name[i + 1] == ' ' ? 1 : 0);
  }
  if (types.size() != kernel.parameters.size()) types.assign(kernel.parameters.size(), "");
  return types;
}

// One line for each parameter, and for each argument too many.
std::string parameter_table(const std::vector<Argument>& arguments, const read::Function& kernel) {
  constexpr std::size_t kMaxShown = 40;
  const std::vector<std::string_view> types = parameter_types(kernel);
  const std::size_t rows = std::max(arguments.size(), types.size());
  std::string text;
  for (std::size_t i = 0; i < std::min(rows, kMaxShown); ++i) {
    const std::string given = i < arguments.size() ? arguments[i].text : "missing";
    if (i >= types.size()) {
      text +=
          fmt::format("\n  {:>2}  {}: {}", i,
                      is_mapped(arguments, i) ? "under a tensor map" : "no such parameter", given);
      continue;
    }
    const read::Parameter& parameter = kernel.parameters[i];
    text += fmt::format("\n  {:>2}  offset {:<4} {:>9}{}{}: {}", i, parameter.offset,
                        count_of(parameter.size, "byte"), types[i].empty() ? "" : "  ", types[i],
                        given);
  }
  if (rows > kMaxShown) text += fmt::format("\n  and {} more", rows - kMaxShown);
  return text;
}

Result<void> check_arguments(const std::vector<Argument>& arguments, const read::Function& kernel) {
  const std::vector<read::Parameter>& parameters = kernel.parameters;
  // Sizes are checked first: if an argument in the middle is missing, the error names its position.
  for (std::size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i) {
    if (arguments[i].size() != parameters[i].size || arguments[i].local_memory() != nullptr) {
      return Error{fmt::format("argument {} is {}, but the kernel's parameter {} has {}:{}", i,
                               described(arguments[i]), i, count_of(parameters[i].size, "byte"),
                               parameter_table(arguments, kernel))};
    }
  }
  const std::string takes =
      fmt::format("the kernel has {}, but {} {} given", count_of(parameters.size(), "parameter"),
                  count_of(arguments.size(), "argument"), arguments.size() == 1 ? "is" : "are");
  if (arguments.size() < parameters.size()) {
    return Error{takes + ":" + parameter_table(arguments, kernel)};
  }
  for (std::size_t i = parameters.size(); i < arguments.size(); ++i) {
    if (arguments[i].buffer() != nullptr && is_mapped(arguments, i)) continue;
    return Error{takes + ":" + parameter_table(arguments, kernel)};
  }
  return {};
}

}  // namespace

std::string to_string(Dims dims) {
  return fmt::format("{},{},{}", dims.x, dims.y, dims.z);
}

std::optional<Dims> cluster_of(const Launch& launch, const read::Function& kernel) {
  if (launch.cluster) return launch.cluster;
  // A size of 0 in the binary leaves the choice to the launch.
  if (!kernel.cluster || std::ranges::count(*kernel.cluster, 0u) != 0) return std::nullopt;
  return dims_of(*kernel.cluster);
}

Result<void> check_launch(const Launch& launch, const read::Function& kernel) {
  if (Result<void> fits = check_dims("grid", launch.grid, kMaxGrid); !fits) return fits;
  if (Result<void> fits = check_block(launch.block, kernel); !fits) return fits;
  if (Result<void> fits = check_cluster(launch, kernel); !fits) return fits;
  if (Result<void> fits = check_shared(launch, kernel); !fits) return fits;
  if (Result<void> fits = check_arguments(launch.arguments, kernel); !fits) return fits;
  return check_tensor_maps(launch);
}

std::vector<std::uint8_t> parameter_block(const Launch& launch, const read::Function& kernel,
                                          std::span<const std::uint64_t> addresses) {
  assert(launch.arguments.size() >= kernel.parameters.size());
  assert(launch.arguments.size() == addresses.size());
  std::vector<std::uint8_t> block(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    const std::size_t offset = kernel.parameters[i].offset;
    // A binary whose parameters reach beyond its own block still gets them all.
    block.resize(std::max(block.size(), offset + argument.size()));
    const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&argument.value);
    const void* from = bytes == nullptr ? static_cast<const void*>(&addresses[i]) : bytes->data();
    std::array<std::uint8_t, kTensorMapBytes> encoded;
    if (const TensorMap* map = argument.tensor_map()) {
      TensorMap placed = *map;
      placed.address = addresses[map->argument];
      encoded = encode(placed);
      from = encoded.data();
    }
    std::memcpy(block.data() + offset, from, argument.size());
  }
  return block;
}

Result<const Buffer*> buffer_at(const Launch& launch, std::size_t position) {
  if (position >= launch.arguments.size()) {
    return Error{fmt::format("there is no argument {}: the launch has {}, counted from 0", position,
                             count_of(launch.arguments.size(), "argument"))};
  }
  const Argument& argument = launch.arguments[position];
  if (argument.buffer() == nullptr) {
    return Error{fmt::format("argument {} '{}' is not a buffer", position, argument.text)};
  }
  return argument.buffer();
}

}  // namespace burin::launch
