#include "emulate/memory.h"

namespace burin {
struct GlobalMemory::State {};
GlobalMemory::GlobalMemory() = default;
GlobalMemory::~GlobalMemory() = default;
}  // namespace burin
