// Are the microbenchmarks what they say, before any GPU has run them?
#include "gpu/micro/micro.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gpu/micro/build.h"
#include "gpu/micro/check_code.h"
#include "gpu/micro/clocks.h"
#include "gpu/micro/prelude.h"
#include "machine/entries.h"
#include "measure/scratch_folder.h"
#include "read/isa/decode.h"
#include "toolchain/tools.h"

namespace burin::gpu {
namespace {

const GpuShape kH200{.arch = {90, 0}, .sms = 132, .l2_bytes = 60u << 20};

TEST(Micro, EveryEntryIsOneOfTheMachineFileAndIsSettledOnce) {
  std::set<std::string> known, seen;
  for (const auto& entry : machine::machine_entries()) known.insert(entry.name);
  for (const Microbenchmark& micro : microbenchmarks(kH200)) {
    for (const std::string& entry : micro.entries) {
      EXPECT_TRUE(known.contains(entry)) << micro.name << ": " << entry;
      EXPECT_TRUE(seen.insert(entry).second) << micro.name << ": " << entry;
    }
  }
}

TEST(Micro, LabelsAreUniqueAndLaunchesParse) {
  for (const Microbenchmark& micro : microbenchmarks(kH200)) {
    std::set<std::string> labels;
    for (const MicroLaunch& launch : micro.launches) {
      EXPECT_TRUE(labels.insert(launch.label).second) << micro.name << ": " << launch.label;
      EXPECT_TRUE(launch::parse_arguments(launch.arguments).ok())
          << micro.name << ": " << launch.label;
    }
  }
}

// Three of them, as a compiler is started for each; $BURIN_MICRO names another, for those who write
// it. Not all pass: docs/calibrate.md lists those whose code ptxas makes other than was meant.
TEST(Micro, CompilesToTheCodeThatWasMeant) {
  if (!toolchain::find_tool("nvcc")) GTEST_SKIP() << "there is no nvcc";
  const auto folder = measure::ScratchFolder::make();
  ASSERT_TRUE(folder.ok());
  const char* const only = std::getenv("BURIN_MICRO");
  for (const Microbenchmark& micro : microbenchmarks(kH200)) {
    const bool usual = micro.name == "barrier" || micro.name == "chase" || micro.name == "imad";
    if (only == nullptr ? !usual : micro.name != only) continue;
    const Result<BuiltMicro> built = build_micro(micro, kH200.arch, (*folder)->path());
    EXPECT_TRUE(built.ok()) << micro.name << ": " << built.error().message;
  }
}

TEST(Micro, SpanGoesFromTheFirstStartToTheLastEndAcrossAWrap) {
  std::vector<std::uint32_t> words;
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    for (const std::uint32_t word : {0xfffffff0u, 0x10u, 0u, 0u, 0xffffffe0u, 0x08u}) {
      words.push_back(word);
    }
  }
  const std::vector<double> span = span_of_passes(words);
  ASSERT_EQ(span.size(), kPasses - 1);
  EXPECT_EQ(span.front(), 0x30);
  EXPECT_EQ(mean_of_passes(words).front(), (0x20 + 0x28) / 2.0);
}

TEST(Micro, SlopeTakesConstantCostsAway) {
  const Reading less{.values = {110, 110, 110}}, more{.values = {210, 210, 210}};
  EXPECT_EQ(slope(less, more, 50).value, 2);
}

}  // namespace
}  // namespace burin::gpu
