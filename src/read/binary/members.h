// The parts of a container that consists of other files.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "read/binary/container.h"

namespace burin::read {

// Adds the GPU code of a member: a cubin, fatbin, host binary or, unless it is inside one, a static
// library. Anything else adds nothing. Entries and problems name the member.
void add_member(const std::string& name, Bytes contents, Container& container,
                bool inside_library = false);

// Returns whether a file that begins so may have GPU code; eight bytes are enough.
bool may_have_gpu_code(Bytes first);

// Adds the GPU code of all members of a zip file.
Result<void> add_zip(Bytes file, Container& container);

}  // namespace burin::read
