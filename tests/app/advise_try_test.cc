// Does `burin advise --try`, --fix and --plan make real changes, tell what they gave, and offer
// only those whose results are the same?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/command.h"
#include "app/refusal.h"
#include "toolchain/tools.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

#define NEEDS_NVCC() \
  if (!toolchain::find_tool("nvcc")) GTEST_SKIP() << "no nvcc"

// A folder with a copy of a source.
class SourceFolder {
 public:
  SourceFolder() {
    char name[] = "/tmp/burin-try-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~SourceFolder() { std::filesystem::remove_all(path_); }
  SourceFolder(const SourceFolder&) = delete;
  SourceFolder& operator=(const SourceFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }
  std::string read(const std::string& name) const {
    std::stringstream all;
    all << std::ifstream(file(name)).rdbuf();
    return all.str();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const std::string kTransposeLaunch =
    " --kernel transpose --grid 32,32 --block 32,8 --arg buf:4M:f32 --arg buf:4M:undef --arg "
    "i32:1024 --machine h200 ";
const std::string kTransposeSource = "advise examples/transpose.cu" + kTransposeLaunch;

// One loop whose additions wait for one another, and a double literal.
const char* const kSmooth = R"(#include "scale.h"
extern "C" __global__ void smooth(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = in[i];
  for (int k = 0; k < 64; ++k) {
    sum = sum * 0.5 + SCALE * in[(i + k) % n];
  }
  out[i] = sum;
}
)";
const std::string kSmoothArguments =
    " --arg buf:32K:f32 --arg buf:32K:undef --arg i32:8192 --machine h200 ";
const std::string kSmoothLaunch = " --grid 64 --block 128" + kSmoothArguments;

json tried_of(const std::string& arguments) {
  const Ran ran = burin(arguments + " --json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  return json::parse(ran.out, nullptr, false);
}

TEST(AdviseTry, AFindingShowsTheTimeOfTheRealChange) {
  NEEDS_NVCC();
  const json advice = tried_of(kTransposeSource + "--try");
  ASSERT_TRUE(advice.contains("tried"));
  const json& first = advice["findings"][0];
  EXPECT_EQ(first["rule"], "bank-conflicts");
  EXPECT_EQ(first["tried"]["change"],
            "shared array tile at transpose.cu:10, rows one element longer");
  EXPECT_EQ(first["speedup"], first["tried"]["speedup"]);
  EXPECT_GT(first["speedup"], 1.3);
  // The prediction is that of the changed source.
  const Ran changed = shell(
      "d=$(mktemp -d) && sed 's/kTile + kPad]/kTile + kPad + 1]/' examples/transpose.cu > "
      "$d/transpose.cu && $BURIN predict $d/transpose.cu" +
      kTransposeLaunch + " --json; rm -r $d");
  const json predicted = json::parse(changed.out);
  EXPECT_NEAR(predicted["time_us"].get<double>(), first["tried"]["predicted_us"].get<double>(),
              1e-6);
  for (const json& change : advice["tried"]["changes"]) {
    for (const char* key : {"family", "place", "change", "condition", "in_source", "predicted_us",
                            "speedup", "same_code", "registers", "local", "refused"}) {
      EXPECT_TRUE(change.contains(key)) << key;
    }
  }
}

TEST(AdviseTry, WhatIsNotFasterIsNoFinding) {
  NEEDS_NVCC();
  const json advice = tried_of(kTransposeSource + "--try");
  for (const json& finding : advice["findings"]) {
    if (!finding.contains("tried")) continue;
    EXPECT_GE(finding["tried"]["speedup"], 1.02);
  }
  const Ran text = burin(kTransposeSource + "--try");
  EXPECT_THAT(text.out, HasSubstr("tried: shared array tile"));
  EXPECT_THAT(text.out, HasSubstr("compiled and predicted"));
  EXPECT_THAT(text.out, HasSubstr("\nnot faster    "));
  EXPECT_THAT(text.out,
              HasSubstr("not tried     another block shape: the threads of a block synchronise"));
}

TEST(AdviseTry, HeadersBesideTheSourceAreFound) {
  NEEDS_NVCC();
  const SourceFolder folder;
  folder.write("scale.h", "#define SCALE 0.25f\n");
  const std::string source = folder.write("smooth.cu", kSmooth);
  const json advice = tried_of("advise " + source + kSmoothLaunch + "--try");
  std::size_t predicted = 0;
  for (const json& change : advice["tried"]["changes"]) {
    EXPECT_EQ(change["refused"].get<std::string>().find("does not compile"), std::string::npos)
        << change.dump();
    predicted += change["predicted_us"].is_null() ? 0 : 1;
  }
  EXPECT_GT(predicted, 5u);
}

TEST(AdviseTry, NoTimeLeavesChangesUntried) {
  NEEDS_NVCC();
  const json advice = tried_of(kTransposeSource + "--try --try-time 0");
  EXPECT_GT(advice["tried"]["not_reached"], 5);
  EXPECT_FALSE(advice["findings"].empty());
}

TEST(AdviseFix, GitAppliesThePatchAndThePredictionIsThatOfTheResult) {
  NEEDS_NVCC();
  const SourceFolder folder;
  folder.write("scale.h", "#define SCALE 0.25f\n");
  const std::string source = folder.write("smooth.cu", kSmooth);
  const std::string patch = folder.file("fix.patch");
  const json advice = tried_of("advise " + source + kSmoothLaunch + "--fix " + patch);
  const json& fix = advice["fix"];
  ASSERT_FALSE(fix["steps"].empty()) << advice.dump();
  EXPECT_TRUE(fix["results"]["same"]);
  EXPECT_EQ(fix["folder"], std::filesystem::canonical(folder.path()).string());
  ASSERT_EQ(folder.read("fix.patch"), fix["patch"].get<std::string>());
  const Ran applied = shell("cd " + folder.path() + " && git apply fix.patch");
  ASSERT_EQ(applied.status, 0) << applied.err << fix["patch"];
  EXPECT_THAT(folder.read("smooth.cu"), HasSubstr("sum * 0.5f"));
  std::string flags;
  for (const json& flag : fix["flags"]) flags += " --nvcc-flag=" + flag.get<std::string>();
  std::string shape = "--grid 64 --block 128";
  if (fix.contains("block")) {
    const auto dims = [](const json& d) {
      return std::to_string(d[0].get<int>()) + "," + std::to_string(d[1].get<int>());
    };
    shape = "--grid " + dims(fix["grid"]) + " --block " + dims(fix["block"]);
  }
  const Ran after = burin("predict " + source + " " + shape + kSmoothArguments + flags + " --json");
  ASSERT_EQ(after.status, 0) << after.err;
  EXPECT_NEAR(json::parse(after.out)["time_us"].get<double>(), fix["predicted_us"].get<double>(),
              1e-6);
}

// Blocks with sums of their own, each for many blocks of the launch. Results are compared on a grid
// of that kind.
TEST(AdviseFix, AtomicsOfEveryThreadBecomeSumsOfTheBlock) {
  NEEDS_NVCC();
  const SourceFolder folder;
  const std::string source = folder.write("count.cu", R"(
extern "C" __global__ void count(const unsigned char *data, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&bins[data[i]], 1);
}
)");
  const std::string arguments = " --arg buf:2M:u8 --arg buf:1024:zero --arg i32:2097000 ";
  const json advice = tried_of("advise " + source + " --kernel count --grid 8192 --block 256" +
                               arguments + "--machine h200 --fix " + folder.file("fix.patch"));
  const json& fix = advice["fix"];
  ASSERT_FALSE(fix["steps"].empty()) << advice.dump();
  EXPECT_THAT(fix["steps"][0]["change"].get<std::string>(), HasSubstr("private sums of bins"));
  EXPECT_TRUE(fix["results"]["same"]);
  EXPECT_EQ(fix["results"]["tolerance"], nullptr);
  EXPECT_GT(fix["speedup"], 5);
  EXPECT_EQ(fix["grid"], json({1056, 1, 1}));
  EXPECT_EQ(fix["block"], json({256, 1, 1}));
  ASSERT_EQ(shell("cd " + folder.path() + " && git apply fix.patch").status, 0);
  EXPECT_THAT(folder.read("count.cu"), HasSubstr("if (i >= n) continue;"));
}

TEST(AdviseSource, BytesOfAdjacentThreadsArePacked) {
  NEEDS_NVCC();
  const SourceFolder folder;
  const std::string source = folder.write("mix.cu", R"(
extern "C" __global__ void mix(const unsigned char *in, unsigned char *out, const int *order,
                               int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float weight = sqrtf((float)y) / (width + 1.0f);
    int from = order[x];
    for (int c = 0; c < 3; c++)
        out[(y * width + x) * 3 + c] = (unsigned char)(weight * in[from * 3 + c]);
}
)");
  const json advice = tried_of("advise " + source +
                               " --kernel mix --grid 16,2048 --block 256 --arg buf:12288:u8 --arg "
                               "buf:25165824:undef --arg buf:16384:int:4096 --arg i32:4096 "
                               "--machine h200 --rule vector-access");
  ASSERT_FALSE(advice["findings"].empty());
  const std::string hint = advice["findings"][0]["hint"];
  EXPECT_THAT(hint, HasSubstr("Compute 4 adjacent elements along x per thread"));
  EXPECT_THAT(hint, HasSubstr("stored with 3 stores instead of 12"));
  EXPECT_THAT(hint, HasSubstr("--grid 4,2048"));
}

TEST(AdviseSource, StructuresAreMovedWhole) {
  NEEDS_NVCC();
  const SourceFolder folder;
  const std::string source = folder.write("move.cu", R"(
struct Body { float x, y, z, vx, vy, vz, mass, age; };
extern "C" __global__ void move(Body *bodies, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bodies[i].x += bodies[i].vx * dt;
    bodies[i].y += bodies[i].vy * dt;
    bodies[i].z += bodies[i].vz * dt;
    bodies[i].age += dt;
}
)");
  const json advice = tried_of("advise " + source +
                               " --kernel move --grid 8192 --block 256 --arg buf:64M:f32 --arg "
                               "f32:0.1 --arg i32:2097152 --machine h200 --rule coalescing");
  ASSERT_FALSE(advice["findings"].empty());
  const std::string hint = advice["findings"][0]["hint"];
  EXPECT_THAT(hint, HasSubstr("32 bytes apart"));
  EXPECT_THAT(hint, HasSubstr("Load them with 2 float4 accesses"));
}

TEST(AdviseFix, OnStandardOutputThePatchStandsAlone) {
  NEEDS_NVCC();
  const Ran ran = burin(kTransposeSource + "--fix -");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::StartsWith("--- a/examples/transpose.cu\n+++ b/examples/"));
  EXPECT_THAT(ran.out, HasSubstr("\n+  __shared__ float tile[kTile][kTile + kPad + 1];\n"));
  EXPECT_THAT(ran.err, HasSubstr("same results, bit for bit"));
  const Ran checked =
      shell("$BURIN " + kTransposeSource + "--fix - 2> /dev/null | git apply --check");
  EXPECT_EQ(checked.status, 0) << checked.err;
}

// The padding is faster, and wrong: the kernel also fills the tile as one line.
TEST(AdviseFix, AChangeWhoseResultsDifferIsNotOffered) {
  NEEDS_NVCC();
  const SourceFolder folder;
  const std::string source = folder.write("columns.cu", R"(
extern "C" __global__ void columns(const float* in, float* out) {
  __shared__ float tile[32][32];
  float* line = &tile[0][0];
  for (int i = threadIdx.y * 32 + threadIdx.x; i < sizeof(tile) / sizeof(float); i += 256)
    line[i] = in[blockIdx.x * 1024 + i % 1024];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8)
    out[blockIdx.x * 1024 + r * 32 + threadIdx.x] = tile[threadIdx.x][r];
}
)");
  const std::string patch = folder.file("fix.patch");
  const Ran ran = burin("advise " + source +
                        " --grid 2048 --block 32,8 --arg buf:8M:f32 --arg buf:8M:undef --machine "
                        "h200 --fix " +
                        patch);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("not in fix    shared array tile at columns.cu:3, rows one element "
                        "longer: results differ: "));
  EXPECT_THAT(folder.read("fix.patch"), Not(HasSubstr("tile[32][33]")));
}

TEST(AdviseFix, ResultsThatAreUndefinedAreNotCompared) {
  NEEDS_NVCC();
  const SourceFolder folder;
  const std::string patch = folder.file("fix.patch");
  const Ran ran = burin(
      "advise examples/transpose.cu --kernel transpose --grid 32,32 --block 32,8 --arg "
      "buf:4M --arg buf:4M:undef --arg i32:1024 --machine h200 --fix " +
      patch);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("fix           none: the kernel cannot be executed to compare "
                                 "results: its results are undefined"));
  EXPECT_FALSE(std::filesystem::exists(patch));
}

TEST(AdvisePlan, LeadsFromTheLaunchTowardsTheWork) {
  const json advice = tried_of(
      "advise examples/transpose.sm_90.cubin --kernel transpose --grid 256,256 --block 32,8 --arg "
      "buf:256M:f32 --arg buf:256M:undef --arg i32:8192 --plan");
  const json& plan = advice["plan"];
  ASSERT_FALSE(plan["steps"].empty());
  EXPECT_EQ(plan["steps"][0]["rule"], "bank-conflicts");
  EXPECT_FALSE(plan["steps"][0]["tried"]);
  double before = advice["predicted_us"];
  for (const json& step : plan["steps"]) {
    EXPECT_LT(step["predicted_us"], before);
    before = step["predicted_us"];
  }
  EXPECT_GE(before, plan["work"]["time_us"]);
  // Every element is read once and written once; what stays in the L2 cache is not written.
  EXPECT_EQ(plan["work"]["read_bytes"], 256 << 20);
  EXPECT_LE(plan["work"]["write_bytes"], 256 << 20);
  EXPECT_GT(plan["work"]["write_bytes"], 200 << 20);
}

TEST(AdvisePlan, FromSourceTriedStepsComeFirst) {
  NEEDS_NVCC();
  const Ran ran = burin(kTransposeSource + "--plan");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\nHeadroom: "));
  EXPECT_THAT(ran.out, HasSubstr("\nplan          1  tried      "));
  EXPECT_THAT(ran.out, HasSubstr("× above the lower bound of the work\n"));
}

TEST(AdviseTry, WhatCannotBeTriedIsSaidInOneSentence) {
  const std::string cubin =
      "advise examples/transpose.sm_90.cubin --kernel transpose --grid 32,32 --block 32,8 --arg "
      "buf:4M:f32 --arg buf:4M:undef --arg i32:1024 ";
  for (const auto& [arguments, sentence] :
       {std::pair(cubin + "--try",
                  "--try changes and compiles the source: give the .cu file "
                  "instead of examples/transpose.sm_90.cubin"),
        {cubin + "--fix x.patch", "--fix changes and compiles the source"},
        {cubin + "--causes --plan", "--causes: makes no findings; remove --plan"},
        {kTransposeSource + "--fix examples/transpose.cu", "is an input of this command"},
        {kTransposeSource + "--fix - --json", "both write to standard output"}}) {
    const Ran ran = burin(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(sentence));
  }
}

TEST(AdviseTry, WithoutACompilerTheFirstSentenceSaysSo) {
  const Ran ran = shell("CUDA_HOME=/nowhere CUDA_PATH=/nowhere PATH=/nowhere $BURIN " +
                        kTransposeSource + "--try");
  if (ran.status == 0) GTEST_SKIP() << "a compiler is found in /usr/local";
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("nvcc"));
}

TEST(AdviseTry, ASourceThatDoesNotCompileIsRefused) {
  NEEDS_NVCC();
  const SourceFolder folder;
  const std::string source = folder.write("bad.cu", "__global__ void f(float* a) { a[0] = b; }\n");
  const Ran ran =
      burin("advise " + source + " --grid 1 --block 32 --arg buf:128:f32 --machine h200 --try");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("identifier \"b\" is undefined"));
}

}  // namespace
}  // namespace burin::test
