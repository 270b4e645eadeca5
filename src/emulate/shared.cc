#include "emulate/shared.h"
namespace burin {
struct SharedMemory::State {};
void SharedMemory::reset(std::uint32_t bytes, std::uint32_t reserved) {
  bytes_.assign(bytes, 0);
  reserved_ = reserved;
}
}  // namespace burin
