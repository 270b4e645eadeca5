// `burin carve` as a user runs it: from recorded counts, which need no compiler, and from source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "app/command.h"
#include "base/temporary_folder.h"
#include "sanitized.h"
#include "toolchain/tools.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kRecorded =
    "carve bench/tuning/kernels/matrix_product.toml --counts "
    "bench/carving/counts/matrix_product.csv.gz";
const std::string kReplayed =
    kRecorded + " --run --device replay:bench/tuning/spaces/matrix_product.json.gz";

TEST(CarveCommand, JudgesThreeSelectionsByRecordedTimes) {
  const Ran ran = burin(kReplayed + " --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json carved = json::parse(ran.out);
  EXPECT_EQ(carved.at("schema"), "burin.carve/1");
  const json& size = carved.at("sizes").at(0);
  EXPECT_EQ(size.at("configurations"), 180);
  EXPECT_EQ(size.at("times"), "recorded");
  ASSERT_EQ(size.at("rows").size(), 3u);
  for (const json& row : size.at("rows")) {
    EXPECT_GE(row.at("share_of_best"), 0.95) << row;
    EXPECT_GT(row.at("share_of_best"), row.at("random_share_of_best")) << row;
  }
  const json& modern = size.at("rows").at(1);
  EXPECT_EQ(modern.at("selection"), "modern metrics");
  EXPECT_EQ(modern.at("kept"), 36);
  EXPECT_EQ(size.at("kept").size(), 36u);
}

TEST(CarveCommand, EveryPrunedConfigurationHasAReason) {
  const json carved = json::parse(burin(kReplayed + " --json --all").out);
  const json& size = carved.at("sizes").at(0);
  EXPECT_EQ(size.at("kept").size() + size.at("pruned").size(), 180u);
  for (const json& one : size.at("pruned")) EXPECT_FALSE(one.at("reason").empty());
}

TEST(CarveCommand, CompilesAShare) {
  const json carved = json::parse(burin(kReplayed + " --json --compile 0.3").out);
  EXPECT_EQ(carved.at("sizes").at(0).at("compiled"), 54);
  EXPECT_GE(carved.at("sizes").at(0).at("rows").at(1).at("share_of_best"), 0.95);
}

TEST(CarveCommand, DrawsThePlot) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string path = folder->path() + "/front.svg";
  ASSERT_EQ(burin(kReplayed + " --svg " + path).status, 0);
  std::ifstream file(path);
  const std::string plot((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(plot, HasSubstr("<svg"));
  EXPECT_THAT(plot, HasSubstr("class=\"best\""));
  EXPECT_THAT(plot, HasSubstr("36 of 180 configurations kept"));
}

TEST(CarveCommand, MistakesEndInOneSentence) {
  const auto refused = [](const std::string& arguments, int status, const std::string& says) {
    const Ran ran = burin(arguments);
    EXPECT_EQ(ran.status, status) << arguments;
    EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(says));
  };
  refused(kReplayed + " --threshold occupancy=2", 3, "after the threshold occupancy=2");
  refused(kReplayed + " --threshold speed=2", 2, "expected coalescing=N");
  refused(kReplayed + " --metrics fast", 2, "--metrics: expected modern, published");
  refused(kReplayed + " --size m=2", 2, "has no problem size 'm'");
  refused(kRecorded + " --machine nosuch", 3, "--machine");
  refused("carve examples/matrix_product.cu", 2, "takes a spec");
  refused(
      "carve bench/tuning/kernels/gemm.toml --counts bench/carving/counts/matrix_product.csv.gz", 3,
      "holds the counts of other parameters");
  refused(kRecorded + " --count-only --run --device replay:nosuch.json", 3, "nosuch.json");
  refused("carve bench/tuning/kernels/gemm.toml --count-only", 2, "--counts FILE");
}

// How often the loop runs is in a buffer whose contents nobody gave.
TEST(CarveCommand, NamesTheLoopWhoseCountIsUnknown) {
  if (!toolchain::find_tool("nvcc")) GTEST_SKIP() << "no nvcc";
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  std::ofstream(folder->path() + "/walk.cu")
      << R"cuda(extern "C" __global__ void walk(const int* next, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = next[i]; k < n; k = next[k] * 3 + 1) sum += k * 0.5f;
  out[i] = sum;
}
)cuda";
  const std::string spec = folder->path() + "/walk.toml";
  std::ofstream(spec) << R"toml(kernel = "walk"
source = "walk.cu"
[problem]
n = 4096
[tunables]
block_size_x = [64, 128]
[launch]
block = ["block_size_x"]
grid = ["ceildiv(n, block_size_x)"]
args = ["buf:{4*n}", "buf:{4*n}:f32", "i32:{n}"]
)toml";
  const Ran unknown = burin("carve " + spec);
  EXPECT_EQ(unknown.status, 3);
  EXPECT_TRUE(is_one_line(unknown.err)) << unknown.err;
  EXPECT_THAT(unknown.err, HasSubstr("the loop at line 4; --trip 4=N gives its count, or give the "
                                     "buffer a fill"));
  EXPECT_EQ(burin("carve " + spec + " --trip 4=7").status, 0);
}

TEST(CarveCommand, CompilesCountsAndMeasuresOnTheEmulator) {
  if (!toolchain::find_tool("nvcc")) GTEST_SKIP() << "no nvcc";
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string counts = folder->path() + "/gemm.csv";
  const std::string command =
      "carve examples/tune/gemm.toml --size n=128 --run --device emulator:h200 --json --counts " +
      counts;
  const json carved = json::parse(burin(command).out, nullptr, false);
  const json& size = carved.at("sizes").at(0);
  EXPECT_EQ(size.at("times"), "measured");
  EXPECT_EQ(size.at("trials").size(), size.at("kept").size());
  for (const json& trial : size.at("trials")) EXPECT_EQ(trial.at("status"), "ok");
  // Everything is in the file now: nothing is compiled a second time.
  const json again = json::parse(burin(command + " --time-limit 0").out, nullptr, false);
  EXPECT_EQ(again.at("sizes").at(0).at("complete"), true);
  EXPECT_EQ(again.at("sizes").at(0).at("kept"), size.at("kept"));
}

TEST(CarveCommand, TuneSearchesAmongWhatIsKept) {
  if (kSanitized) GTEST_SKIP() << "predictions take too long under the sanitizers";
  if (!toolchain::find_tool("nvcc")) GTEST_SKIP() << "no nvcc";
  const std::string command =
      "tune examples/tune/gemm.toml --size n=128 --device emulator:h200 --json";
  const json carved = json::parse(burin(command + " --carve").out, nullptr, false);
  EXPECT_THAT(carved.at("notes").dump(), HasSubstr("carving kept 8 of 40 configurations"));
  EXPECT_EQ(carved.at("trials").size(), 8u);
  EXPECT_EQ(carved.at("space").at("valid"), 8);

  const Ran kernel = burin(
      "tune examples/tune/sobel.cu --carve --grid 4,8 --block 32,4 --arg buf:64K:f32 --arg "
      "buf:64K:f32 "
      "--arg i32:128 --arg i32:32");
  EXPECT_EQ(kernel.status, 2);
  EXPECT_THAT(kernel.err, HasSubstr("only the configurations of a spec are carved"));
  EXPECT_THAT(burin("tune --carve --device replay:a.json").err, HasSubstr("--carve: "));
}

}  // namespace
}  // namespace burin::test
