// Reads files that contain PTX source text.
#pragma once

#include <optional>

#include "read/binary/container.h"

namespace burin::read {

// An entry for the whole text, if it starts (after comments) with PTX's `.version`; otherwise
// nullopt.
std::optional<Entry> read_ptx_text(Bytes file);

}  // namespace burin::read
