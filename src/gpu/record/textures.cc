#include "gpu/record/textures.h"

#include "launch/texture.h"

namespace burin::gpu {
namespace {

// Arrays lie at no address that a program could see. Theirs are above those of all allocations.
constexpr std::uint64_t kArrays = std::uint64_t{1} << 47;
constexpr std::uint64_t kArrayStride = std::uint64_t{1} << 36;
constexpr std::uint64_t kMaxArrays = kArrays / kArrayStride;

std::uint32_t bytes_of(std::uint32_t format) {
  switch (format) {  // CU_AD_FORMAT_…
    case 0x01:       // UNSIGNED_INT8
    case 0x08:       // SIGNED_INT8
      return 1;
    case 0x02:  // UNSIGNED_INT16
    case 0x09:  // SIGNED_INT16
    case 0x10:  // HALF
      return 2;
    case 0x03:  // UNSIGNED_INT32
    case 0x0a:  // SIGNED_INT32
    case 0x20:  // FLOAT
      return 4;
    default:
      return 0;
  }
}

}  // namespace

std::optional<capture::SpoolTexture> describe_texture(const RecordDriver& driver,
                                                      const TextureCreateCall& call) {
  if (call.handle == nullptr || call.resource == nullptr) return std::nullopt;
  const CudaResource& resource = *call.resource;
  capture::SpoolTexture texture{.handle = *call.handle};
  texture.is_normalized =
      call.texture != nullptr && (call.texture->flags & CudaTexture::kNormalized) != 0 ? 1 : 0;
  std::uint32_t format = 0;
  if (resource.type == CudaResource::kArray) {
    CudaArray array{};
    if (driver.array_descriptor == nullptr ||
        driver.array_descriptor(&array, resource.array.handle) != 0) {
      return std::nullopt;
    }
    format = array.format;
    texture.channels = array.channels;
    texture.width = array.width;
    texture.height = array.height;
    texture.is_array = 1;
    texture.address = kArrays + *call.handle % kMaxArrays * kArrayStride;
  } else if (resource.type == CudaResource::kLinear) {
    format = resource.linear.format;
    texture.channels = resource.linear.channels;
    texture.address = resource.linear.address;
    texture.width = resource.linear.bytes;
  } else if (resource.type == CudaResource::kPitched) {
    format = resource.pitched.format;
    texture.channels = resource.pitched.channels;
    texture.address = resource.pitched.address;
    texture.width = resource.pitched.width;
    texture.height = resource.pitched.height;
    texture.pitch = resource.pitched.pitch;
  } else {
    return std::nullopt;
  }
  texture.texel_bytes = bytes_of(format) * texture.channels;
  if (texture.texel_bytes == 0) return std::nullopt;
  if (resource.type == CudaResource::kLinear) texture.width /= texture.texel_bytes;
  if (texture.is_array != 0) texture.pitch = texture.width * texture.texel_bytes;
  return texture;
}

capture::SpoolAllocation memory_of(const capture::SpoolTexture& texture) {
  return {.address = texture.address,
          .size = launch::size_of({.texel_bytes = texture.texel_bytes,
                                   .width = texture.width,
                                   .height = texture.height,
                                   .pitch = texture.pitch,
                                   .is_array = texture.is_array != 0}),
          .memory = texture.is_array != 0 ? capture::SpoolAllocation::kArray
                                          : capture::SpoolAllocation::kDevice};
}

}  // namespace burin::gpu
