// Texture objects that the program creates: what a kernel reads through them.
#pragma once

#include <optional>

#include "capture/spool/spool.h"
#include "gpu/record/driver/driver.h"

namespace burin::gpu {

// Describes the texture object of a call that has returned. Nothing if it reads mipmaps, or in a
// format whose texels have no size.
std::optional<capture::SpoolTexture> describe_texture(const RecordDriver& driver,
                                                      const TextureCreateCall& call);

// The bytes that it covers. Arrays have their own range of addresses.
capture::SpoolAllocation memory_of(const capture::SpoolTexture& texture);

}  // namespace burin::gpu
