// Which lines of the source compute in double precision.
#pragma once

#include <cstdint>
#include <set>

#include "advise/changes/propose.h"

namespace burin::advise {

// The lines of the source whose code has instructions of the FP64 units, or converts to double.
std::set<std::uint32_t> lines_with_doubles(const ProposalInput& input);

}  // namespace burin::advise
