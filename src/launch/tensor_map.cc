#include "launch/tensor_map.h"
namespace burin {
std::uint64_t span_bytes(const TensorMap& map) {
  std::uint64_t last = (map.size[0] - 1) * element_bytes(map.type);
  for (unsigned k = 1; k < map.rank; ++k) last += (map.size[k] - 1) * map.stride[k];
  return last + element_bytes(map.type);
}
std::array<std::uint8_t, kTensorMapBytes> encode(const TensorMap&) {
  return {};
}
Result<TensorMap> decode_tensor_map(std::span<const std::uint8_t, kTensorMapBytes>) {
  return TensorMap{};
}
}  // namespace burin
