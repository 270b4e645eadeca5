// Zip files: the directory, both ways to store a member, and the GPU code in the members.
#include "read/binary/zip.h"

#include <cstddef>
#include <cstdint>

#include "read/binary/container.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace burin;
  constexpr std::uint64_t kLimit = 1 << 22;
  constexpr std::size_t kFirst = 8;
  const Result<std::vector<read::ZipMember>> members = read::read_zip({data, size});
  if (!members) return 0;
  for (const read::ZipMember& member : *members) {
    if (member.data.size() > size) __builtin_trap();
    if (read::first_bytes(member, kFirst).size() > kFirst) __builtin_trap();
    const auto bytes = read::unpack(member, kLimit);
    if (bytes && bytes->size() != member.raw_size) __builtin_trap();
  }
  if (members->size() > 16) return 0;
  const Result<read::Container> container = read::open_container({data, size});
  if (!container || container->format != read::Container::Format::kZip) return 0;
  for (const read::Entry& entry : container->entries) {
    if (entry.member.empty()) __builtin_trap();
  }
  return 0;
}
