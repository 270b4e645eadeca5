// What the driver puts in front of a kernel's parameters.
#include "emulate/access/constants.h"

#include <gtest/gtest.h>

#include <cstring>

#include "read/isa/decode.h"

namespace burin::emulate {
namespace {

std::uint64_t wide_at(const ConstantMemory::Bank& bank, std::size_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, bank.bytes.data() + offset, sizeof value);
  EXPECT_FALSE(bank.unknown[offset] || bank.unknown[offset + 7]);
  return value;
}

// cuBLAS finds its tensor maps by the one, what nvcc compiles by the other.
TEST(Constants, WhereTheBankAndTheParametersLieInMemory) {
  read::Image image;
  image.arch = {90};
  read::Function function;
  function.parameter_base = 0x210;
  const read::Kernel kernel = read::build_from({read::decode(0x0000000000007918, 0, {90}, 0)},
                                               image, function, {.dependences = false});
  const launch::Launch launch;
  const ConstantMemory memory =
      launch_constants(kernel, launch, {1, 1, 1}, {.arguments = {}, .parameters = 0x7f0000000210});
  EXPECT_EQ(wide_at(memory.banks.at(0), 0xc0), 0x7f0000000000u);
  EXPECT_EQ(wide_at(memory.banks.at(0), 0x198), 0x7f0000000210u);
}

}  // namespace
}  // namespace burin::emulate
