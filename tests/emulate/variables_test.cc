// Does a kernel find its module's own variables, with what they start as?
#include "emulate/access/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulate/launched.h"

namespace burin::emulate {
namespace {

class VariablesTest : public testing::TestWithParam<unsigned> {
 protected:
  Launched launch(const std::string& name, launch::Dims grid, launch::Dims block,
                  const std::string& buffer) {
    return Launched("variables", name,
                    {.grid = grid, .block = block, .arguments = {buffer}, .sm = GetParam()});
  }
};

TEST_P(VariablesTest, StartAsTheModuleSays) {
  for (int time = 0; time < 2; ++time) {  // anew for every launch
    const Launched run = launch("reads", {}, {32}, "buf:128:undef");
    ASSERT_EQ(run.error(), "");
    EXPECT_EQ(run.words(0, 0, 5), (Words{2, 3, 5, 7, 11}));
    Words zeros(16, 0u);
    EXPECT_EQ(run.words(0, 8, 16), zeros);
    EXPECT_EQ(run.word(0, 24), 5u) << "through a pointer that the module holds";
    EXPECT_EQ(run.word(0, 25), 60u) << "written through one, and read by name";
    EXPECT_EQ(run.word(0, 26), 6u) << "how far it points";
    EXPECT_EQ(run.words(0, 28, 4), (Words{1, 4, 9, 16})) << "constants";
    EXPECT_TRUE(run.run().faults.empty());
  }
}

TEST_P(VariablesTest, WhatTheProgramMayHaveWrittenIsUnknown) {
  const Launched run("variables", "reads",
                     {.block = {32},
                      .arguments = {"buf:128:undef"},
                      .sm = GetParam(),
                      .unknown_variables = {"zeros", "squares"}});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.words(0, 0, 5), (Words{2, 3, 5, 7, 11}));
  EXPECT_EQ(run.words(0, 8, 16), Words(16, std::nullopt));
  EXPECT_EQ(run.words(0, 28, 4), Words(4, std::nullopt)) << "constants";
}

TEST_P(VariablesTest, AreSharedByAllBlocks) {
  const Launched run = launch("counts", {5}, {32}, "buf:32:zero");
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.words(0, 0, 8), Words(8, 20u)) << "160 numbers, none twice";
}

TEST_P(VariablesTest, HaveAnEnd) {
  const Launched run = launch("past", {}, {32}, "buf:128:zero");
  ASSERT_EQ(run.error(), "");
  const Fault* fault = run.fault(Fault::Kind::kOutOfBounds);
  ASSERT_NE(fault, nullptr);
  EXPECT_THAT(fault->detail, testing::HasSubstr("the module's variables"));
  EXPECT_EQ(run.words(0, 0, 5), (Words{2, 3, 5, 7, 11}));
}

TEST_P(VariablesTest, HoldWhatTheLaunchSetsThemTo) {
  const Launched run("variables", "reads",
                     {.block = {32},
                      .arguments = {"buf:128:undef"},
                      .settings = {"primes=zero", "squares=perm:seed=1", "zeros=int:9:seed=2"},
                      .sm = GetParam()});
  ASSERT_EQ(run.error(), "");
  const auto filled = [](const char* text, std::size_t words) {
    std::vector<std::uint32_t> values(words);
    launch::parse_argument(text, 0)->buffer()->fill(
        0, {reinterpret_cast<std::uint8_t*>(values.data()), 4 * words});
    return Words(values.begin(), values.end());
  };
  EXPECT_EQ(run.words(0, 0, 5), Words(5, 0u));
  EXPECT_EQ(run.words(0, 8, 16), filled("buf:64:int:9:seed=2", 16));
  EXPECT_EQ(run.words(0, 28, 4), filled("buf:16:perm:seed=1", 4));
  EXPECT_EQ(run.word(0, 24), 0u) << "through a pointer that nobody has set";
}

TEST_P(VariablesTest, ConstantsHaveAnEnd) {
  const auto at = [](const char* first) {
    return Launched("variables", "past_constants",
                    {.block = {4}, .arguments = {"buf:16:zero", first}, .sm = GetParam()});
  };
  EXPECT_TRUE(at("i32:0").run().faults.empty());
  const Launched run = at("i32:1");
  const Fault* fault = run.fault(Fault::Kind::kOutOfBounds);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->count, 1u);
  EXPECT_EQ(fault->thread.x, 3u);
  EXPECT_THAT(fault->detail, testing::HasSubstr("__constant__ variables (16 bytes)"));
  EXPECT_EQ(run.words(0, 0, 3), (Words{4, 9, 16}));
}

INSTANTIATE_TEST_SUITE_P(Architectures, VariablesTest, testing::Values(80u, 90u),
                         [](const auto& of) { return "sm_" + std::to_string(of.param); });

// What the loader would write, into memory and into constant banks.
TEST(Variables, AddressesAreWrittenWhereTheLoaderWould) {
  const std::array<std::uint8_t, 24> initial{1, 2, 3, 4, 5, 6, 7, 8};
  read::Image image;
  image.initial_variables = initial;
  image.zero_variable_bytes = 64;
  using Target = read::AddressSlot::Target;
  image.addresses = {{read::AddressSlot::kNoBank, 16, Target::kZeroVariables, 40, ""},
                     {4, 8, Target::kInitialVariables, 3, ""},
                     {4, 16, Target::kOutside, 0, "elsewhere"},
                     {9, 0, Target::kInitialVariables, 0, ""},    // no such bank
                     {4, 28, Target::kInitialVariables, 0, ""}};  // it would not fit
  GlobalMemory memory;
  const Variables variables = place_variables(image, {}, memory);
  ASSERT_NE(variables.initial, 0u);
  ASSERT_NE(variables.zero, 0u);
  Datum d;
  ASSERT_EQ(memory.read(variables.initial, 8, d), MemoryStatus::kDone);
  EXPECT_TRUE(std::equal(d.bytes.begin(), d.bytes.begin() + 8, initial.begin()));
  ASSERT_EQ(memory.read(variables.initial + 16, 8, d), MemoryStatus::kDone);
  std::uint64_t pointer = 0;
  std::memcpy(&pointer, d.bytes.data(), 8);
  EXPECT_EQ(pointer, variables.zero + 40);
  ASSERT_EQ(memory.read(variables.zero + 56, 8, d), MemoryStatus::kDone);
  EXPECT_EQ(d.unknown, 0u);

  ConstantMemory constants;
  constants.banks[4].bytes.resize(32);
  write_addresses(image, variables, constants);
  const ConstantMemory::Bank& bank = constants.banks[4];
  std::memcpy(&pointer, bank.bytes.data() + 8, 8);
  EXPECT_EQ(pointer, variables.initial + 3);
  ASSERT_EQ(bank.unknown.size(), 32u);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(bank.unknown[i], i >= 16 && i < 24) << i;
  EXPECT_EQ(constants.banks.size(), 1u);
}

// A captured launch has its variables where they were.
TEST(Variables, SomeMayLieWhereTheLaunchSays) {
  read::Image image;
  image.zero_variable_bytes = 64;
  image.addresses = {{4, 0, read::AddressSlot::Target::kZeroVariables, 20, ""},
                     {4, 8, read::AddressSlot::Target::kZeroVariables, 40, ""}};
  const launch::PlacedVariable placed[] = {
      {{.kind = read::VariablePlace::Kind::kZero, .bank = 0, .offset = 16, .size = 8},
       0x7fc5'0000'0100}};
  GlobalMemory memory;
  const Variables variables = place_variables(image, placed, memory);
  ConstantMemory constants;
  constants.banks[4].bytes.resize(16);
  write_addresses(image, variables, constants);
  std::uint64_t first = 0, second = 0;
  std::memcpy(&first, constants.banks[4].bytes.data(), 8);
  std::memcpy(&second, constants.banks[4].bytes.data() + 8, 8);
  EXPECT_EQ(first, 0x7fc5'0000'0104u);
  EXPECT_EQ(second, variables.zero + 40);
}

TEST(Variables, AModuleMayHaveNone) {
  GlobalMemory memory;
  const Variables variables = place_variables({}, {}, memory);
  EXPECT_EQ(variables.initial, 0u);
  EXPECT_EQ(variables.zero, 0u);
}

}  // namespace
}  // namespace burin::emulate
