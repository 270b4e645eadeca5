// `burin saturate` and `burin tune --at-saturation` as a user runs them, on the emulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "app/command.h"
#include "app/refusal.h"
#include "base/temporary_folder.h"
#include "toolchain/tools.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kScale = R"cuda(
extern "C" __global__ void scale(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 2 * from[i];
}
)cuda";

constexpr const char* kScaleSpec = R"toml(
kernel = "scale"
source = "scale.cu"
restrictions = ["block_size_x / coarsen_thread_x >= 32"]
[problem]
n = 16777216
[tunables]
block_size_x = [32, 64, 128, 256, 512]
coarsen_thread_x = [1, 2, 4]
[launch]
grid = ["ceildiv(n, block_size_x)"]
args = ["buf:{4*n}:f32", "buf:{4*n}:undef", "i32:{n}"]
[reference]
kernel = "scale"
grid = ["ceildiv(n, 256)"]
block = [256]
)toml";

class SaturateCommand : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
    std::ofstream(folder_->path() + "/scale.cu") << kScale;
  }
  std::string path(const std::string& name) const { return folder_->path() + "/" + name; }
  std::string spec(const std::string& more) const {
    std::ofstream(path("scale.toml")) << kScaleSpec << more;
    return path("scale.toml");
  }
  static bool can_compile() { return toolchain::find_tool("nvcc").ok(); }

  std::optional<TemporaryFolder> folder_;
};

constexpr const char* kRange =
    "[saturation]\nfrom = 16384\nto = 16777216\nstep = 4\nwork = \"8*n\"\n";

TEST_F(SaturateCommand, FindsTheSaturationPoint) {
  if (!can_compile()) GTEST_SKIP() << "no compiler for CUDA";
  const std::string file = spec(kRange);
  const Ran ran =
      burin("saturate " + file + " --device emulator:h200 --json --svg " + path("s.svg"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json found = json::parse(ran.out);
  EXPECT_EQ(found.at("schema"), "burin.saturate/1");
  EXPECT_EQ(found.at("size"), "n");
  EXPECT_EQ(found.at("target"), 16777216);
  EXPECT_EQ(found.at("work"), "8*n");
  // The default has the reference's block; the largest coarsening is measured beside it.
  ASSERT_EQ(found.at("configurations").size(), 2u);
  const json& base = found.at("configurations").at(0);
  EXPECT_EQ(base.at("config"), "block_size_x=256, coarsen_thread_x=1");
  EXPECT_EQ(found.at("configurations").at(1).at("coarsening"), 4);
  double last = 0;
  for (const json& sample : base.at("samples")) {
    EXPECT_GT(sample.at("throughput"), last * 0.8);
    last = sample.at("throughput");
  }
  EXPECT_GT(last, 1e12);  // bytes per second
  const double point = base.at("saturation_point");
  EXPECT_GT(point, 65536);
  EXPECT_LT(point, 16777216);
  std::ifstream svg(path("s.svg"));
  const std::string text((std::istreambuf_iterator<char>(svg)), std::istreambuf_iterator<char>());
  EXPECT_THAT(text, AllOf(HasSubstr("<svg"), HasSubstr("saturation point"), HasSubstr("</svg>")));
}

TEST_F(SaturateCommand, ShowsEveryCoarseningAndTheCommandLinesSizes) {
  if (!can_compile()) GTEST_SKIP() << "no compiler for CUDA";
  const Ran ran = burin("saturate " + spec("") +
                        " --device emulator:h200 --vary n=1024:4096 --work n --coarsenings all "
                        "--config block_size_x=128");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("block_size_x=128, coarsen_thread_x=1"),
                             HasSubstr("throughput per coarsening factor"),
                             HasSubstr("not below the target: no plateau"),
                             HasSubstr("tune at n=4096"), HasSubstr("limited by  the grid")));
}

TEST_F(SaturateCommand, TunesAtTheSaturationPointAndVerifiesAtTheTarget) {
  if (!can_compile()) GTEST_SKIP() << "no compiler for CUDA";
  const Ran ran =
      burin("tune " + spec(kRange) +
            " --device emulator:h200 --at-saturation --finalists 2 --json --emit header=" +
            path("tuned.h"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json tuned = json::parse(ran.out);
  EXPECT_EQ(tuned.at("schema"), "burin.tune_at_saturation/1");
  EXPECT_FALSE(tuned.at("at_target"));
  const json& searches = tuned.at("searches");
  ASSERT_GE(searches.size(), 2u);
  EXPECT_EQ(searches.front().at("trials").size(), 12u);
  EXPECT_LT(searches.front().at("problem").at("n"), 16777216);
  EXPECT_EQ(searches.back().at("problem").at("n"), 16777216);
  EXPECT_EQ(searches.back().at("trials").size(), 2u);
  EXPECT_GT(tuned.at("savings").at("speedup").get<double>(), 1.0);
  EXPECT_GT(tuned.at("savings").at("paper_speedup"), tuned.at("savings").at("speedup"));
  std::ifstream header(path("tuned.h"));
  const std::string text((std::istreambuf_iterator<char>(header)), {});
  EXPECT_THAT(text, HasSubstr("16777216"));
}

TEST_F(SaturateCommand, NamesWhatIsMissing) {
  expect_refusal("saturate " + spec("") + " --device emulator:h200", 3, "no problem sizes");
  const std::string file = spec(kRange);
  expect_refusal("saturate " + file + " --device emulator:h200 --vary m=1:2", 2,
                 "has no problem size 'm'");
  expect_refusal("saturate " + file + " --device emulator:h200 --vary n=1", 2, "NAME=FROM:TO");
  expect_refusal("saturate " + file + " --device emulator:h200 --target k=3", 2,
                 "not the size that is varied");
  expect_refusal("saturate " + file + " --device emulator:h200 --config block_size_x=7", 2,
                 "7 is not a value of block_size_x");
  expect_refusal("saturate " + file + " --device emulator:h200 --threshold 90", 2, "--threshold");
  std::string large = kScaleSpec;
  large.replace(large.find("{4*n}"), 5, "{40000*n}");
  std::ofstream(path("large.toml")) << large << kRange;
  expect_refusal("saturate " + path("large.toml") + " --device emulator:h200", 3,
                 "n=4194304 does not fit the device: its buffers take 156.3 GiB");
  expect_refusal("saturate " + file + " --svg " + file, 2, "is an input of this command");
  expect_refusal("tune " + file + " --device emulator:h200 --vary n=1:2", 2, "--at-saturation");
  expect_refusal("tune " + file + " --device replay:x.json --at-saturation", 2, "one problem size");
  expect_refusal("saturate scale.cu", 2, "a spec (.toml, or T1 .json) is needed");
  expect_refusal("tune " + spec("") + " --at-saturation --device emulator:h200", 3,
                 "no problem sizes");
}

}  // namespace
}  // namespace burin::test
