// Any 16 bytes are an instruction or an explicit Unknown, on every architecture: the first byte
// picks the architecture, the rest are words. What is decoded must print, and stay inside its
// bounds.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "read/isa/decode.h"
#include "read/isa/print.h"

using namespace burin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::uint16_t kArchitectures[] = {70,  75,  80,  86,  89, 90,
                                                     100, 103, 110, 120, 121};
  Cursor in(Bytes(data, size));
  const read::Architecture arch{kArchitectures[in.u8() % std::size(kArchitectures)]};
  std::string text;
  read::Instruction instruction;
  for (std::uint32_t offset = 0; in.remaining() >= 16; offset += 16) {
    const std::uint64_t low = in.u64();
    const std::uint64_t high = in.u64();
    read::decode_into(low, high, arch, offset, instruction);
    text.clear();
    read::print(instruction, text);
    if (text.empty() || text.size() > 1024) std::abort();
    unsigned registers = 0;
    const auto count = [&](read::RegisterFile, unsigned, unsigned n) { registers += n; };
    read::for_each_read(instruction, count);
    read::for_each_write(instruction, count);
    if (registers > 12 * 256) std::abort();
  }
  return 0;
}
