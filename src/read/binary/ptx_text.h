// PTX source as a file of its own.
#pragma once

#include <optional>

#include "read/binary/container.h"

namespace burin::read {

// An entry for the whole text where it begins, after comments, with PTX's `.version`.
std::optional<Entry> read_ptx_text(Bytes file);

}  // namespace burin::read
