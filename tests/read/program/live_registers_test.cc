// How many registers are live at each instruction?
#include "read/program/live_registers.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "read/isa/decode.h"

namespace burin::read {
namespace {

using LiveWord = std::pair<std::uint64_t, std::uint64_t>;

constexpr LiveWord kLiveLds = {0x0000000006087984, 0x000e240000000c00};    // LDS.128 R8, [R6]
constexpr LiveWord kLiveAdd9 = {0x0000000908097221, 0x001fc80000000000};   // FADD R9, R8, R9
constexpr LiveWord kLiveAdd10 = {0x000000090a097221, 0x000fca0000000000};  // FADD R9, R10, R9
constexpr LiveWord kLiveStore = {0x0000000902007986, 0x000fe2000c101904};  // STG.E [R2.64], R9
constexpr LiveWord kLiveExit = {0x000000000000794d, 0x000fea0003800000};

std::vector<std::uint16_t> live_in(std::initializer_list<LiveWord> words) {
  std::vector<Instruction> code;
  for (const auto& [low, high] : words) {
    code.push_back(decode(low, high, {90}, static_cast<std::uint32_t>(16 * code.size())));
  }
  Image image;
  image.arch = {90};
  Function function;
  return live_registers(build_from(std::move(code), image, function, {.dependences = false}));
}

TEST(LiveRegisters, FallWithEachLastRead) {
  // After the load: its four results, and R2 and R3 for the store, which R6 was needed for before.
  const std::vector<std::uint16_t> want{6, 5, 4, 3, 0};
  EXPECT_EQ(live_in({kLiveLds, kLiveAdd9, kLiveAdd10, kLiveStore, kLiveExit}), want);
}

TEST(LiveRegisters, AResultThatNobodyReadsLivesAtItsWriteOnly) {
  const std::vector<std::uint16_t> want{4, 0};
  EXPECT_EQ(live_in({kLiveLds, kLiveExit}), want);
}

TEST(LiveRegisters, CodeBehindTheExitHasNone) {
  EXPECT_EQ(live_in({kLiveExit, kLiveAdd9}).back(), 0);
}

}  // namespace
}  // namespace burin::read
