// `burin tune --strategy guided` and `--seed-with`, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "app/command.h"
#include "base/child.h"
#include "sanitized.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const std::string kGuidedAddition =
    "tune examples/vector_add.sm_90.cubin --grid 1024 --block 256 --arg buf:1M:f32 --arg "
    "buf:1M:f32 --arg buf:1M:f32 --arg i32:262144 --device emulator:h200 ";

json guided_json(const std::string& command) {
  const Ran ran = burin(command);
  EXPECT_EQ(ran.status, 0) << ran.err;
  return json::parse(ran.out, nullptr, false);
}

TEST(TuneGuided, FindsTheBestByPredictionAndSaysHow) {
  const json all = guided_json(kGuidedAddition + "--strategy exhaustive --json");
  const json found = guided_json(kGuidedAddition + "--strategy guided --json");
  EXPECT_EQ(found.at("best").at("time_us"), all.at("best").at("time_us"));
  EXPECT_LE(found.at("trials").size(), 5u);
  const json& guided = found.at("guided");
  EXPECT_LE(guided.at("examined").get<int>(), 60);
  ASSERT_GE(guided.at("path").size(), 2u);
  EXPECT_THAT(guided.at("path").front().at("text").get<std::string>(),
              HasSubstr("starts at block"));
  EXPECT_EQ(guided.at("path").back().at("config"), found.at("best").at("config"));
  const json& start = guided.at("path").front();
  EXPECT_GT(start.at("predicted_us").get<double>(), 0);
  EXPECT_LT(start.at("low_us").get<double>(), start.at("predicted_us").get<double>());
  EXPECT_GT(start.at("high_us").get<double>(), start.at("predicted_us").get<double>());
  EXPECT_EQ(start.at("defer"), false);
}

TEST(TuneGuided, CompilesNoMoreThanTheUserAllows) {
  const json found = guided_json(kGuidedAddition + "--strategy guided --examine 2 --json");
  EXPECT_EQ(found.at("guided").at("examined"), 2);
  EXPECT_EQ(found.at("trials").size(), 2u);
}

TEST(TuneGuided, TheTextShowsThePath) {
  const Ran ran = burin(kGuidedAddition + "--strategy guided --examine 4");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("4 configurations compiled and predicted"),
                             HasSubstr("starts at block_size_x="), HasSubstr("the best of 4 is"),
                             HasSubstr("µs for 80 % of such launches")));
}

TEST(TuneGuided, SeedsAnotherStrategyIfAsked) {
  const json found = guided_json(
      kGuidedAddition + "--strategy random --budget 6 --seed-with guided --examine 4 --json");
  EXPECT_EQ(found.at("trials").size(), 6u);
  // The first trial is what the guided search found to be the best.
  EXPECT_EQ(found.at("trials").front().at("config"),
            found.at("guided").at("path").back().at("config"));
  // On the emulator a prediction is a trial: nothing is gained by making it twice.
  EXPECT_FALSE(guided_json(kGuidedAddition + "--budget 2 --json").contains("guided"));
}

// Rank 0 predicts for the device of the others, once; they measure what it found first.
TEST(TuneGuided, SeedsTheRanksOfMpirun) {
  if (kSanitized) GTEST_SKIP() << "MPI leaks";
  if (find_program("mpirun", {}).empty()) GTEST_SKIP() << "no mpirun here";
  if (find_program("nvcc", {"/usr/local/cuda/bin"}).empty()) GTEST_SKIP() << "no nvcc here";
  const std::string tune =
      "$BURIN tune examples/tune/gemm.toml --size n=64 --device emulator:h200 --compilers 1 "
      "--budget 6 --seed-with guided --examine 8 --json";
  const Ran alone = shell(tune);
  ASSERT_EQ(alone.status, 0) << alone.err;
  const Ran ranks = shell(
      "export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 "
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; timeout -s KILL 200 mpirun -n 3 " +
      tune);
  ASSERT_EQ(ranks.status, 0) << ranks.err;
  const json expected = json::parse(alone.out, nullptr, false);
  const json found = json::parse(ranks.out, nullptr, false);
  ASSERT_TRUE(found.is_object()) << ranks.out << ranks.err;
  EXPECT_EQ(found.at("guided").at("examined"), 8);
  EXPECT_EQ(found.at("guided").at("path"), expected.at("guided").at("path"));
  ASSERT_EQ(found.at("trials").size(), 6u);
  // The best ones, as without mpirun; who was done first may come first.
  const auto first = [](const json& tuned) {
    std::set<std::string> configs;
    for (std::size_t k = 0; k < 6; ++k)
      configs.insert(tuned.at("trials").at(k).at("config").dump());
    return configs;
  };
  EXPECT_EQ(first(found), first(expected));
}

TEST(TuneGuided, SaysWhyItCannotPredict) {
  const std::string replay = "tune --device replay:bench/tuning/spaces/matrix_product.json.gz ";
  const Ran no_spec = burin(replay + "--strategy guided");
  EXPECT_EQ(no_spec.status, 2);
  EXPECT_THAT(no_spec.err, HasSubstr("burin tune SPEC --device replay:FILE"));
  EXPECT_EQ(burin(replay + "--seed-with none --budget 3").status, 0);
  const Ran wrong = burin(replay + "--seed-with luck");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'luck' is neither guided nor none"));
  EXPECT_THAT(burin(replay + "--strategy guide").err, HasSubstr("or guided"));
}

TEST(TuneGuided, SeedsTheReplayOfARecordedSpace) {
  if (kSanitized) GTEST_SKIP() << "predictions take too long under the sanitizers";
  if (find_program("nvcc", {"/usr/local/cuda/bin"}).empty()) GTEST_SKIP() << "no nvcc here";
  const json found = guided_json(
      "tune bench/tuning/kernels/matrix_product.toml --device "
      "replay:bench/tuning/spaces/matrix_product.json.gz --seed-with guided --examine 12 --budget "
      "5 "
      "--json");
  EXPECT_EQ(found.at("guided").at("examined"), 12);
  EXPECT_EQ(found.at("trials").front().at("config"),
            found.at("guided").at("path").back().at("config"));
  // Twelve predictions and one measured trial come closer than what random search expects of 50.
  EXPECT_GT(found.at("optimum_us").get<double>() / found.at("best").at("time_us").get<double>(),
            0.9);

  const Ran sizes = burin(
      "tune bench/tuning/kernels/contraction_d1_5.toml --device "
      "replay:bench/tuning/spaces/contraction_d1_5.extent_16.json.gz --strategy guided");
  EXPECT_EQ(sizes.status, 2);
  EXPECT_THAT(sizes.err, HasSubstr("--size says which one was recorded"));
}

}  // namespace
}  // namespace burin::test
