#include "emulate/memory.h"

namespace burin {
struct GlobalMemory::State {};
GlobalMemory::GlobalMemory() = default;
GlobalMemory::~GlobalMemory() = default;
}  // namespace burin
namespace burin {
std::uint64_t GlobalMemory::add(std::string, const Buffer&) {
  return 0;
}
}  // namespace burin
