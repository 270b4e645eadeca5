#include "gpu/record/arguments.h"

#include <cstring>

namespace burin::gpu {
namespace {

// Words outside are no addresses of a 64-bit process: asking the driver about them is a waste.
constexpr CudaPointer kLowestAddress = CudaPointer{1} << 24;
constexpr CudaPointer kHighestAddress = CudaPointer{1} << 56;
constexpr std::size_t kMaxUnknown = 4096;
constexpr std::size_t kMaxArgumentBytes = 64 << 10;

std::uint64_t word_at(std::span<const std::uint8_t> bytes, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> read_arguments(const RecordedKernel& kernel,
                                                        void** parameters, void** extra) {
  std::vector<std::uint8_t> bytes;
  if (parameters != nullptr) {
    bytes.resize(kernel.argument_bytes);
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      if (parameters[i] == nullptr) return std::nullopt;
      std::memcpy(bytes.data() + kernel.parameters[i].offset, parameters[i],
                  kernel.parameters[i].size);
    }
    return bytes;
  }
  if (extra == nullptr) {
    return kernel.parameters.empty() ? std::optional(bytes) : std::nullopt;
  }
  const void* block = nullptr;
  std::size_t size = 0;
  for (; *extra != nullptr; extra += 2) {
    if (*extra == Cuda::kParameterBuffer) block = extra[1];
    if (*extra == Cuda::kParameterSize) size = *static_cast<const std::size_t*>(extra[1]);
  }
  if (block == nullptr || size > kMaxArgumentBytes) return std::nullopt;
  bytes.resize(size);
  std::memcpy(bytes.data(), block, size);
  return bytes;
}

const capture::SpoolAllocation* Allocations::find(CudaPointer address) {
  const auto at = known_.lower_bound(address);
  if (at != known_.end() && at->second.address <= address) return &at->second;
  if (unknown_.contains(address)) return nullptr;
  std::uint32_t type = 0, managed = 0;
  CudaPointer start = 0;
  std::size_t size = 0;
  int attributes[] = {RecordDriver::kMemoryType, RecordDriver::kIsManaged,
                      RecordDriver::kRangeStart, RecordDriver::kRangeSize};
  void* values[] = {&type, &managed, &start, &size};
  const bool inside = driver_.pointer_attributes(4, attributes, values, address) == 0 &&
                      size != 0 && start <= address && address - start < size;
  if (!inside) {
    if (unknown_.size() >= kMaxUnknown) unknown_.clear();
    unknown_.insert(address);
    return nullptr;
  }
  const capture::SpoolAllocation allocation{
      0, start, size, managed != 0 ? capture::SpoolAllocation::kManaged : type};
  return &(known_[start + size - 1] = allocation);
}

std::vector<capture::SpoolAllocation> Allocations::pointed_at(std::span<const std::uint8_t> bytes) {
  std::vector<capture::SpoolAllocation> found;
  const std::lock_guard lock(mutex_);
  for (std::size_t offset = 0; offset + 8 <= bytes.size(); offset += 8) {
    const CudaPointer word = word_at(bytes, offset);
    if (word < kLowestAddress || word > kHighestAddress) continue;
    const capture::SpoolAllocation* allocation = find(word);
    if (allocation == nullptr) continue;
    found.push_back(*allocation);
    found.back().argument_offset = static_cast<std::uint32_t>(offset);
  }
  return found;
}

std::vector<capture::SpoolAllocation> Allocations::of_arguments(
    std::span<const std::uint8_t> arguments) {
  std::vector<capture::SpoolAllocation> found = pointed_at(arguments);
  const std::lock_guard lock(mutex_);
  if (textures_.empty()) return found;
  for (std::size_t offset = 0; offset + 8 <= arguments.size(); offset += 8) {
    const auto texture = textures_.find(word_at(arguments, offset));
    if (texture == textures_.end()) continue;
    // The texture may be a part of what the program allocated.
    const bool is_array = texture->second.memory == capture::SpoolAllocation::kArray;
    const capture::SpoolAllocation* whole = is_array ? nullptr : find(texture->second.address);
    found.push_back(whole == nullptr ? texture->second : *whole);
    found.back().argument_offset = static_cast<std::uint32_t>(offset);
  }
  return found;
}

void Allocations::add_texture(std::uint64_t handle, const capture::SpoolAllocation& memory) {
  const std::lock_guard lock(mutex_);
  textures_[handle] = memory;
}

void Allocations::forget() {
  const std::lock_guard lock(mutex_);
  known_.clear();
  unknown_.clear();
}

}  // namespace burin::gpu
