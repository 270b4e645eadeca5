// Does `burin explain` name the bottleneck, and refuse in a sentence what it cannot?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/refusal.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kOf =
    " examples/transpose.sm_90.cubin --kernel transpose --grid 64,64 --block 32,8";
const std::string kSquare = kOf + " --arg buf:16M:f32 --arg buf:16M:undef --arg i32:2048";
const std::string kExplainTranspose = "explain" + kSquare;

TEST(Explain, SaysFirstWhatLimits) {
  const Ran ran = burin(kExplainTranspose + " --what-if dram.bandwidth=2x --ladder");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, StartsWith("transpose on h200: "));
  EXPECT_THAT(ran.out, HasSubstr("Shared memory throughput limits this kernel ("));
  EXPECT_THAT(ran.out, HasSubstr("\nshared        throughput "));
  EXPECT_THAT(ran.out, HasSubstr("interaction"));
  EXPECT_THAT(ran.out, HasSubstr("\nlower bound "));
  EXPECT_THAT(ran.out, HasSubstr("\ncritical path "));
  EXPECT_THAT(ran.out, HasSubstr("\ndram.bandwidth=2x "));
  EXPECT_THAT(ran.out, HasSubstr("\nblocks per SM "));
}

TEST(Explain, JsonHasTheSameAndPredictsTime) {
  const json why = json::parse(burin(kExplainTranspose + " --json").out);
  const json predicted = json::parse(burin("predict" + kSquare + " --json").out);
  EXPECT_EQ(why["schema"], "burin.explain/1");
  EXPECT_EQ(why["time_us"], predicted["time_us"]);
  EXPECT_EQ(why["bottleneck"]["resource"], "shared");
  EXPECT_EQ(why["bottleneck"]["mode"], "throughput");
  EXPECT_EQ(why["bottleneck"]["share"], why["sensitivity"][0]["share"]);
  EXPECT_EQ(why["sensitivity"].size(), 2 * predicted["resources"].size());
  for (const json& row : why["sensitivity"]) {
    EXPECT_TRUE(predicted["resources"].contains(row["resource"])) << row;
    if (row["regions"].empty()) continue;
    double sum = row["interaction"];
    for (const json& region : row["regions"]) sum += region["share"].get<double>();
    EXPECT_NEAR(sum, row["share"].get<double>(), 1e-6);
  }
  for (const json& bound : why["bounds"]) EXPECT_LE(bound["time_us"], why["time_us"]) << bound;
  double path = 0;
  for (const json& link : why["critical_path"]) path += link["share"].get<double>();
  EXPECT_NEAR(path, 1, 1e-6);
}

// The two commands compute it with one function.
TEST(Explain, AdviseNamesTheSameLimiter) {
  const json why = json::parse(burin(kExplainTranspose + " --json --no-regions").out);
  const json advice = json::parse(burin("advise" + kSquare + " --json").out);
  EXPECT_EQ(advice["bottleneck"], why["bottleneck"]);
  EXPECT_THAT(advice["limit"].get<std::string>(), StartsWith(why["sentence"].get<std::string>()));
}

TEST(Explain, OnThePapersModel) {
  const json why = json::parse(
      burin(kExplainTranspose + " --json --model saake --what-if dram.throughput=2x").out);
  const json predicted = json::parse(burin("predict" + kSquare + " --json --model saake").out);
  EXPECT_EQ(why["model"], "saake");
  EXPECT_EQ(why["time_us"], predicted["time_us"]);
  EXPECT_EQ(why["bottleneck"]["limits"], true);
  EXPECT_FALSE(why["sensitivity"][0]["regions"].empty());
  EXPECT_TRUE(why["bounds"].empty());
  EXPECT_GE(why["what_if"][0]["speedup"], 1);
  const Ran text = burin(kExplainTranspose + " --model saake");
  EXPECT_THAT(text.out, HasSubstr("by the SAAKE model"));
  EXPECT_THAT(text.out, HasSubstr("\nregion "));
  expect_refusal(kExplainTranspose + " --model saake --ladder", 2,
                 "--ladder needs burin's own model");
}

TEST(Explain, SplitsOverTheUsersRegions) {
  const json why =
      json::parse(burin(kExplainTranspose + " --json --region all=transpose.cu:1-99").out);
  const json& regions = why["sensitivity"][0]["regions"];
  ASSERT_FALSE(regions.empty());
  EXPECT_EQ(regions[0]["name"], "all");
  const json none = json::parse(burin(kExplainTranspose + " --json --no-regions").out);
  EXPECT_TRUE(none["sensitivity"][0]["regions"].empty());
}

TEST(Explain, ALaunchOfACapture) {
  const std::string capture = " tests/data/capture/h200/spmv_vector.burin:1 --no-regions";
  const Ran ran = burin("explain" + capture);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("spmv_vector("));
  EXPECT_THAT(ran.out, HasSubstr(" limits this kernel ("));
  EXPECT_THAT(ran.out, HasSubstr("recorded      3.42 µs by launch 1 of "));
  const json why = json::parse(burin("explain" + capture + " --json").out);
  EXPECT_EQ(why["launch"]["grid"], json::parse("[4,1,1]"));
  expect_refusal("explain tests/data/capture/h200/spmv_vector.burin:7", 3, "has no launch 7");
}

// tests/golden/rebase.sh writes these files anew.
class ExplainGolden : public testing::TestWithParam<std::string> {};

TEST_P(ExplainGolden, SaysTheSameInTheSameWords) {
  const std::string folder = BURIN_SOURCE_DIR "/tests/golden/";
  std::ifstream file(folder + "explain/" + GetParam() + ".txt", std::ios::binary);
  ASSERT_TRUE(file) << "no golden file; run tests/golden/rebase.sh";
  const std::string was{std::istreambuf_iterator<char>(file), {}};
  const Ran ran = shell(folder + "explain.sh $BURIN " + GetParam());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, was);
}

INSTANTIATE_TEST_SUITE_P(All, ExplainGolden, testing::Values("transpose", "chain"));

TEST(Explain, RefusesInASentence) {
  expect_refusal(kExplainTranspose + " --region x=transpose.cu:900-901", 3,
                 "region x: no executed");
  expect_refusal(kExplainTranspose + " --region x", 2, "--region: expected NAME=FILE:LINE-LINE");
  expect_refusal(kExplainTranspose + " --what-if drum.latency=2x", 2,
                 "unknown parameter 'drum.latency'");
  expect_refusal(kExplainTranspose + " --what-if dram.latency=0x", 2, "is out of range");
  expect_refusal(kExplainTranspose + " --what-if sm.count=66.5", 2,
                 "sm.count=66.5: sm.count must be a whole number, not 66.5");
  expect_refusal(kExplainTranspose + " --what-if block=64+block=128", 2, "block is given twice");
  expect_refusal(kExplainTranspose + " --seed x", 2, "--seed: expected a whole number");
  expect_refusal(kExplainTranspose + " --region a=11 --region a=14", 2,
                 "--region: a: 11 and 14 are both given");
  expect_refusal(kExplainTranspose + " --step 0", 2, "--step: expected a percentage");
  expect_refusal(kExplainTranspose + " --machine a100", 3, "sm_90");
  expect_refusal("explain examples/transpose.sm_90.cubin --block 32", 2,
                 "--grid is required, such as --grid 64 --block 256; see burin explain --help");
}

}  // namespace
}  // namespace burin::test
