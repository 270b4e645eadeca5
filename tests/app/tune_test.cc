// `burin tune` as a user runs it: recorded spaces, the emulator, OpenCL's CPU device, sessions that
// are continued, processes under mpirun, and mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "app/command.h"
#include "base/child.h"
#include "base/temporary_folder.h"
#include "toolchain/tools.h"

namespace burin::test {
namespace {

// Open MPI leaks memory, of which the address sanitizer complains.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kTuneSanitized = true;
#elif defined(__has_feature)
constexpr bool kTuneSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kTuneSanitized = false;
#endif

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kProducts = "bench/tuning/spaces/matrix_product.json.gz";
constexpr const char* kTunedAddition =
    "examples/vector_add.sm_90.cubin --grid 1024 --block 256 --arg buf:1M:f32 --arg buf:1M:f32 "
    "--arg buf:1M:f32 --arg i32:262144";

class TuneCommand : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
  }
  std::string path(const std::string& name) const { return folder_->path() + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  std::optional<TemporaryFolder> folder_;
};

json parsed(const Ran& ran) {
  EXPECT_EQ(ran.status, 0) << ran.err;
  return json::parse(ran.out, nullptr, false);
}

std::vector<std::string> configurations(const json& tuned) {
  std::vector<std::string> texts;
  for (const json& trial : tuned.at("trials")) texts.push_back(trial.at("config").dump());
  return texts;
}

TEST_F(TuneCommand, ReplaysARecordedSpace) {
  const std::string command =
      std::string("tune --device replay:") + kProducts + " --budget 60 --json --seed ";
  const json tuned = parsed(burin(command + "7"));
  EXPECT_EQ(tuned.at("schema"), "burin.tune/1");
  ASSERT_EQ(tuned.at("trials").size(), 60u);
  double best = 1e300;
  for (const json& trial : tuned.at("trials")) {
    EXPECT_EQ(trial.at("status"), "ok");
    best = std::min(best, trial.at("time_us").get<double>());
  }
  EXPECT_EQ(tuned.at("best").at("time_us"), best);
  EXPECT_LE(tuned.at("optimum_us").get<double>(), best);
  EXPECT_TRUE(tuned.at("best").at("config").contains("tile_size"));
  EXPECT_FALSE(tuned.at("best").contains("low_us"));  // measured
  const std::vector<std::string> asked = configurations(tuned);
  EXPECT_EQ(std::set(asked.begin(), asked.end()).size(), 60u);
  // The same seed takes the same way; another one does not.
  EXPECT_EQ(configurations(parsed(burin(command + "7"))), asked);
  EXPECT_NE(configurations(parsed(burin(command + "8"))), asked);
}

TEST_F(TuneCommand, FindsTheOptimumOfAWholeSpaceWithEveryStrategy) {
  for (const char* strategy : {"exhaustive", "random", "local", "annealing", "genetic",
                               "differential", "swarm", "surrogate", "ensemble"}) {
    const json tuned = parsed(burin(std::string("tune --device replay:") + kProducts +
                                    " --budget 1000 --json --strategy " + strategy));
    EXPECT_EQ(tuned.at("trials").size(), 180u) << strategy;
    EXPECT_EQ(tuned.at("best").at("time_us"), tuned.at("optimum_us")) << strategy;
  }
}

TEST_F(TuneCommand, ManySeedsAtOnce) {
  const Ran ran = burin(std::string("tune --device replay:") + kProducts +
                        " --budget 40 --seeds 25 --strategy random");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("25 searches of 40 trials"), HasSubstr("optimum")));
}

TEST_F(TuneCommand, ASessionIsContinuedAsIfItHadNeverEnded) {
  const std::string command =
      std::string("tune ") + kTunedAddition + " --device emulator:h200 --json";
  const json whole = parsed(burin(command + " --budget 6"));
  const std::string session = " --session " + path("s.session");
  EXPECT_EQ(parsed(burin(command + session + " --budget 2")).at("trials").size(), 2u);
  const json resumed = parsed(burin(command + session + " --resume --budget 6"));
  EXPECT_EQ(resumed.at("resumed"), 2);
  EXPECT_EQ(configurations(resumed), configurations(whole));
  EXPECT_EQ(resumed.at("best"), whole.at("best"));

  const Ran again = burin(command + session + " --budget 6");
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("--resume continues it"));
}

TEST_F(TuneCommand, ASessionOfSomethingElseIsRefused) {
  const std::string session = " --session " + path("s.session");
  ASSERT_EQ(burin(std::string("tune ") + kTunedAddition + " --device emulator --budget 1" + session)
                .status,
            0);
  const Ran other = burin(
      "tune examples/transpose.sm_90.cubin --kernel transpose --grid 8,8 --block 32,8 --any-block "
      "--arg buf:256K:f32 --arg buf:256K:f32 --arg i32:256 --device emulator --budget 1 --resume" +
      session);
  EXPECT_EQ(other.status, 3) << other.err;
  EXPECT_THAT(other.err, HasSubstr("s.session"));
  std::string larger = std::string("tune ") + kTunedAddition + " --device emulator --resume";
  larger.replace(larger.find("i32:262144"), 10, "i32:262143");
  const Ran other_launch = burin(larger + session);
  EXPECT_EQ(other_launch.status, 3) << other_launch.err;
  EXPECT_THAT(other_launch.err, HasSubstr("was: --arg i32:262144"));
}

TEST_F(TuneCommand, ASessionOfAnotherSourceIsRefused) {
  if (find_program("nvcc", {"/usr/local/cuda/bin"}).empty()) GTEST_SKIP() << "no nvcc here";
  const std::string spec = write("k.toml", R"toml(kernel = "k"
source = "k.cu"
[tunables]
block_size_x = [32, 64]
[launch]
grid = [1]
args = ["buf:256"]
)toml");
  const auto tune = [&](const std::string& body) {
    write("k.cu", "extern \"C\" __global__ void k(int* a) { a[threadIdx.x] = " + body + "; }");
    return burin("tune " + spec + " --device emulator --resume --session " + path("s.session"));
  };
  EXPECT_EQ(tune("1").status, 0);
  EXPECT_EQ(tune("1").status, 0);
  const Ran changed = tune("2");
  EXPECT_EQ(changed.status, 3);
  EXPECT_THAT(changed.err, HasSubstr("the kernel's source has changed"));
}

TEST_F(TuneCommand, ColdAndWarmCachesAreDifferentRuns) {
  const std::string command = std::string("tune ") + kTunedAddition +
                              " --device emulator:h200 --budget 2 --json --resume --session " +
                              path("s.session");
  const json cold = parsed(burin(command));
  const json warm = parsed(burin(command + " --warm"));
  EXPECT_EQ(cold.at("caches"), "cold");
  EXPECT_EQ(warm.at("caches"), "warm");
  EXPECT_EQ(warm.at("resumed"), 0);
  EXPECT_LT(warm.at("trials").at(0).at("time_us").get<double>(),
            cold.at("trials").at(0).at("time_us").get<double>());
  EXPECT_EQ(parsed(burin(command)).at("resumed"), 2);
}

TEST_F(TuneCommand, TunesTheBlockShapeOfAKernelWithoutTunables) {
  const json tuned = parsed(
      burin(std::string("tune ") + kTunedAddition + " --device emulator:h200 --budget 5 --json"));
  EXPECT_EQ(tuned.at("device"), "emulator:h200");
  EXPECT_EQ(tuned.at("trials").size(), 5u);
  EXPECT_GE(tuned.at("best").at("config").at("block_size_x").get<int>(), 32);
  // Predicted times have an interval.
  for (const json& trial : tuned.at("trials")) {
    if (trial.at("status") != "ok") continue;
    EXPECT_LT(trial.at("low_us").get<double>(), trial.at("time_us").get<double>());
    EXPECT_GT(trial.at("high_us").get<double>(), trial.at("time_us").get<double>());
    EXPECT_EQ(trial.at("defer"), false);
  }
  EXPECT_LT(tuned.at("best").at("low_us").get<double>(), tuned.at("best").at("high_us"));
  // The product's tile fixes its blocks.
  const Ran fixed = burin(
      "tune examples/matrix_product.sm_90.cubin --grid 8,8 --block 16,16 --arg "
      "buf:64K:f32 --arg buf:64K:f32 --arg buf:64K:f32 --arg i32:128 --device emulator");
  EXPECT_EQ(fixed.status, 3) << fixed.out << fixed.err;
  EXPECT_THAT(fixed.err, AllOf(HasSubstr("the block shape is fixed"), HasSubstr("--any-block")));
}

TEST_F(TuneCommand, ExportsCanBeReplayed) {
  const std::string t4 = path("space.json.gz");
  const std::string cache = path("cache.json");
  const std::string csv = path("trials.csv");
  const json tuned = parsed(burin(std::string("tune ") + kTunedAddition +
                                  " --device emulator --budget 6 --json --export " + t4 +
                                  " --export cachefile=" + cache + " --export " + csv +
                                  " --emit header=" + path("tuned.h")));
  for (const std::string& space : {t4, cache}) {
    const json again = parsed(burin("tune --strategy exhaustive --json --device replay:" + space));
    EXPECT_EQ(again.at("trials").size(), 6u);
    EXPECT_EQ(again.at("best").at("config"), tuned.at("best").at("config"));
    EXPECT_FALSE(again.at("optimum_us").is_null());
  }
  std::ifstream lines(csv);
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) ++count;
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(tuned.at("written").size(), 4u);
  std::ifstream header(path("tuned.h"));
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(header), {}), HasSubstr("block_size_x"));
}

// The best of a few configurations is not taken for the optimum of all.
TEST_F(TuneCommand, AnExportOfSomeConfigurationsSaysSo) {
  const std::string some = path("some.json"), fewer = path("fewer.json");
  parsed(burin(std::string("tune ") + kTunedAddition +
               " --device emulator --budget 4 --json --export " + some));
  const std::string replay = "tune --json --device replay:";
  EXPECT_TRUE(parsed(burin(replay + some)).at("optimum_us").is_null());
  parsed(burin(replay + some + " --budget 4 --export " + fewer));
  EXPECT_TRUE(parsed(burin(replay + fewer)).at("optimum_us").is_null());
}

TEST_F(TuneCommand, TunesOnOpenclsCpuDevice) {
  if (!std::filesystem::exists("/etc/OpenCL/vendors")) GTEST_SKIP() << "no OpenCL here";
  const Ran ran =
      burin("tune examples/tune/gemm.toml --size n=64 --device opencl:0 --budget 2 --json");
  if (ran.status == 4 && ran.err.find("OpenCL") != std::string::npos) GTEST_SKIP() << ran.err;
  const json tuned = parsed(ran);
  ASSERT_EQ(tuned.at("trials").size(), 2u);
  EXPECT_EQ(tuned.at("trials").at(0).at("status"), "ok");
  EXPECT_GT(tuned.at("best").at("time_us").get<double>(), 0);
}

TEST_F(TuneCommand, CompilesTheConfigurationsOfASpec) {
  if (find_program("nvcc", {"/usr/local/cuda/bin"}).empty()) GTEST_SKIP() << "no nvcc here";
  const json tuned = parsed(
      burin("tune examples/tune/gemm.toml --size n=128 --device emulator:h200 --budget 4 --json"));
  ASSERT_EQ(tuned.at("trials").size(), 4u);
  for (const json& trial : tuned.at("trials")) {
    EXPECT_EQ(trial.at("status"), "ok") << trial.dump();
    EXPECT_GT(trial.at("registers").get<double>(), 0);
  }
  EXPECT_EQ(tuned.at("best").at("unit"), "GFLOP/s");
}

TEST_F(TuneCommand, EmitsThePtxOfTheWinners) {
  if (find_program("nvcc", {"/usr/local/cuda/bin"}).empty()) GTEST_SKIP() << "no nvcc here";
  std::string spec{
      std::istreambuf_iterator<char>(
          std::ifstream(std::string(BURIN_SOURCE_DIR) + "/examples/tune/gemm.toml").rdbuf()),
      {}};
  const std::string folder = std::string(BURIN_SOURCE_DIR) + "/examples/tune/";
  spec.replace(spec.find("gemm.cu"), 7, folder + "gemm.cu");
  spec.replace(spec.find("gemm.cl"), 7, folder + "gemm.cl");
  const std::size_t size = spec.find("n = 256");
  spec.replace(size, spec.find('\n', size) - size, "sizes = [{ n = 64 }, { n = 128 }]");
  const std::string command = "tune " + write("gemm.toml", spec) + " --budget 2 --json --emit ptx";
  const json tuned = parsed(burin(command + "=" + path("best.ptx") + " --device emulator:h200"));
  ASSERT_EQ(tuned.at("written").size(), 2u);
  for (const std::size_t i : {0u, 1u}) {
    const std::string n = i == 0 ? "64" : "128";
    EXPECT_EQ(tuned.at("written").at(i), path("best.n_" + n + ".ptx"));
    std::ifstream file(path("best.n_" + n + ".ptx"));
    const std::string ptx{std::istreambuf_iterator<char>(file), {}};
    const json& config = tuned.at("runs").at(i).at("best").at("config");
    EXPECT_THAT(
        ptx, AllOf(HasSubstr("on emulator:h200 for n=" + n), HasSubstr(".target sm_90"),
                   HasSubstr(".entry gemm("), HasSubstr("items_x=" + config.at("items_x").dump()),
                   HasSubstr("block " + config.at("block_size_x").dump() + "," +
                             config.at("block_size_y").dump() + ",1")));
    // burin reads it as any other PTX.
    EXPECT_EQ(burin("inspect " + path("best.n_" + n + ".ptx")).status, 0);
  }
  const Ran opencl = burin(command + " --device opencl:0");
  EXPECT_EQ(opencl.status, 2);
  EXPECT_THAT(opencl.err, HasSubstr("--emit ptx: OpenCL devices have no PTX"));
}

TEST_F(TuneCommand, ASourceThatDoesNotCompileIsBadInput) {
  if (find_program("nvcc", {"/usr/local/cuda/bin"}).empty()) GTEST_SKIP() << "no nvcc here";
  write("k.cu", "__global__ void k(float* x) { x[0] = y; }\n");
  const std::string spec = write("k.toml", R"toml(kernel = "k"
source = "k.cu"
[tunables]
block_size_x = [32, 64]
[launch]
grid = [1]
args = ["buf:128:f32"]
)toml");
  const Ran ran = burin("tune " + spec + " --device emulator:h200");
  EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("no configuration worked"));
}

TEST_F(TuneCommand, TheBestConfigurationHasEveryTunable) {
  if (find_program("nvcc", {"/usr/local/cuda/bin"}).empty()) GTEST_SKIP() << "no nvcc here";
  write("k.cu", "__global__ void k(float* x) { x[threadIdx.x] = SCALE; }\n");
  const std::string spec = write("k.toml", R"toml(kernel = "k"
source = "k.cu"
reference = "none"
[tunables]
block_size_x = [32, 64]
SCALE = [3]
[launch]
grid = [1]
args = ["buf:256:f32"]
)toml");
  const Ran ran =
      burin("tune " + spec + " --device emulator:h200 --export cachefile=" + path("cache.json"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::ContainsRegex("best +block_size_x=[0-9]+, SCALE=3\n"));
  std::ifstream file(path("cache.json"));
  const json cache = json::parse(file, nullptr, false);
  EXPECT_EQ(cache.at("tune_params").at("SCALE"), json::array({3}));
  for (const auto& [key, entry] : cache.at("cache").items()) EXPECT_EQ(entry.at("SCALE"), 3) << key;
}

TEST_F(TuneCommand, ACompilerThatDoesNotFinishIsATimeout) {
  std::filesystem::create_directories(path("toolkit/bin"));
  write("toolkit/bin/nvcc", "#!/bin/sh\nexec sleep 30\n");
  std::filesystem::permissions(path("toolkit/bin/nvcc"), std::filesystem::perms::owner_all);
  const Ran ran = shell("CUDA_HOME=" + path("toolkit") +
                        " $BURIN tune examples/tune/gemm.toml --device emulator:h200 --compiler "
                        "nvcc --compile-limit 0.3 --budget 2 --json");
  EXPECT_EQ(ran.status, 4) << ran.err;  // nothing worked
  const json tuned = json::parse(ran.out, nullptr, false);
  ASSERT_EQ(tuned.at("trials").size(), 2u);
  for (const json& trial : tuned.at("trials")) {
    EXPECT_EQ(trial.at("status"), "timeout");
    EXPECT_THAT(trial.at("reason"), HasSubstr("nvcc did not finish within 0.3 seconds"));
    EXPECT_EQ(trial.at("compile_s"), 0.3);
  }
}

TEST_F(TuneCommand, ARankThatDiesAndOneThatStopsCostNothing) {
  if (kTuneSanitized) GTEST_SKIP() << "not under the address sanitizer: MPI leaks";
  if (find_program("mpirun", {}).empty()) GTEST_SKIP() << "no mpirun here";
  if (find_program("nvcc", {"/usr/local/cuda/bin"}).empty()) GTEST_SKIP() << "no nvcc here";
  const std::string session = path("ranks.session");
  // One of the measuring ranks is killed and another one stopped when the first trials are in.
  const std::string script =
      "export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 "
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 XDG_CACHE_HOME=" +
      folder_->path() +
      "; timeout -s KILL 200 mpirun --enable-recovery -n 4 $BURIN tune examples/tune/gemm.toml "
      "--size n=128 "
      "--compilers "
      "1 --device emulator:h200 --budget 40 --rank-patience 2 --json --session " +
      session + " > " + path("out.json") + " 2> " + path("err") +
      " & main=$!; for i in $(seq 300); do [ -s " + session +
      "-wal ] && break; sleep 0.1; done; "
      "pick() { for p in $(pgrep -f 'tune examples/tune/gemm.toml.*" +
      session +
      "'); do tr '\\0' '\\n' < /proc/$p/environ | grep -qx OMPI_COMM_WORLD_RANK=$1 && echo $p; "
      "done; }; stopped=$(pick 2); kill -KILL $(pick 1); kill -STOP $stopped; wait $main; exit 0";
  const Ran ran = shell(script);
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::ifstream file(path("out.json"));
  const json tuned = json::parse(file, nullptr, false);
  ASSERT_TRUE(tuned.is_object()) << std::string(
      std::istreambuf_iterator<char>(std::ifstream(path("err")).rdbuf()), {});
  const std::vector<std::string> asked = configurations(tuned);
  EXPECT_EQ(asked.size(), 40u);
  EXPECT_EQ(std::set(asked.begin(), asked.end()).size(), 40u);
  EXPECT_FALSE(tuned.at("best").is_null());
  // What became of the ranks is said.
  EXPECT_EQ(tuned.at("notes").size(), 2u) << tuned.at("notes").dump();
}

// Axes that the source knows nothing of: threads and blocks that become one, and a loop unrolled.
TEST_F(TuneCommand, CoarseningAndUnrollingAreAxes) {
  if (!toolchain::find_tool("nvcc")) GTEST_SKIP() << "no nvcc here";
  write("sum.cu", R"(#include "width.h"
extern "C" __global__ void sum(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int k = 0; k < kWidth; ++k) s += in[i * kWidth + k];
  out[i] = s;
}
)");
  write("width.h", "constexpr int kWidth = 64;\n");
  write("sum.toml", R"(kernel = "sum"
source = "sum.cu"
[problem]
n = 4096
[tunables]
block_size_x = [64, 128]
coarsen_thread_x = [1, 2, 4]
coarsen_stride_x = [1]
coarsen_block_x = [1, 3]
"unroll@6" = [1, 4]
[launch]
grid = ["(n + block_size_x - 1) // block_size_x"]
args = ["buf:{256*n}:f32", "buf:{4*n}:undef", "i32:{n}"]
)");
  const json tuned = parsed(
      burin("tune " + path("sum.toml") + " --device emulator:h200 --strategy exhaustive --json"));
  ASSERT_EQ(tuned.at("trials").size(), 24u);
  std::set<double> registers;
  for (const json& trial : tuned.at("trials")) {
    EXPECT_EQ(trial.at("status"), "ok") << trial.dump();
    registers.insert(trial.at("registers").get<double>());
  }
  EXPECT_GT(registers.size(), 2u);
  EXPECT_EQ(tuned.at("best").at("config").count("coarsen_thread_x"), 1u);
}

TEST_F(TuneCommand, RanksOnOneCpuDisturbEachOtherAndItIsSaid) {
  if (kTuneSanitized) GTEST_SKIP() << "not under the address sanitizer: MPI leaks";
  if (find_program("mpirun", {}).empty()) GTEST_SKIP() << "no mpirun here";
  if (!std::filesystem::exists("/etc/OpenCL/vendors")) GTEST_SKIP() << "no OpenCL here";
  const Ran ran = shell(
      "export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 "
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; timeout -s KILL 100 mpirun -n 3 $BURIN tune "
      "examples/tune/gemm.toml --size n=64 --device opencl:0 --warm --budget 4 --json");
  if (ran.status == 4 && ran.err.find("OpenCL") != std::string::npos) GTEST_SKIP() << ran.err;
  const json tuned = parsed(ran);
  ASSERT_EQ(tuned.at("trials").size(), 4u);
  for (const json& trial : tuned.at("trials")) EXPECT_EQ(trial.at("disturbed"), true);
  ASSERT_EQ(tuned.at("notes").size(), 1u) << tuned.at("notes").dump();
  EXPECT_THAT(tuned.at("notes").at(0), HasSubstr("ranks 1 and 2 measure on the CPU of "));
}

TEST_F(TuneCommand, MistakesAreOneSentence) {
  const std::string spec = write("k.toml", R"toml(kernel = "k"
source = "k.cu"
restrictions = ["a > 4", "b < 3", "a < b"]
[tunables]
a = [1, 2, 4, 8]
b = [1, 2, 4, 8]
block_size_x = [32]
[launch]
grid = ["a // b"]
)toml");
  const std::string zero = write("z.toml", R"toml(kernel = "k"
source = "k.cu"
restrictions = ["a % (b - 1) == 0"]
[tunables]
a = [1, 2]
b = [1, 2]
block_size_x = [32]
[launch]
grid = [1]
)toml");
  struct Mistake {
    std::string arguments;
    int status;
    std::string sentence;
  };
  const std::string replay = std::string("tune --device replay:") + kProducts;
  for (const auto& [arguments, status, sentence] : std::vector<Mistake>{
           {"tune", 2, "name a spec"},
           {"tune missing.toml", 3, "missing.toml"},
           {"tune " + spec, 3, "contradict each other"},
           {"tune " + zero, 3, "division by zero"},
           {"tune examples/tune/gemm.toml --device cuda:x", 2, "--device"},
           {"tune examples/tune/gemm.toml --device emulator:h999", 3, "h999"},
           {"tune examples/tune/gemm.toml --size q=4", 2, "no problem size 'q'"},
           {"tune examples/tune/gemm.toml --size n=4 --size n=8", 2,
            "--size: n: 4 and 8 are both given"},
           {"tune examples/tune/gemm.toml --device emulator:h200 --resume", 2,
            "--resume: name the session"},
           {"tune examples/tune/gemm.toml --device emulator --seeds 3", 2, "--seeds"},
           {replay + " --strategy simulated", 2, "--strategy"},
           {replay + " --budget 0", 2, "--budget"},
           {replay + " --first tile_size=7", 2, "not a value of tile_size"},
           {replay + " --first tile_size=16,tile_size=16", 2, "gives tile_size twice"},
           {replay + " --warm", 2, "--warm"},
           {replay + " --emit ptx", 2, "--emit ptx: a recorded space"},
           {replay + " --emit sass", 2, "--emit: 'sass' is none of"},
           {std::string("tune ") + kTunedAddition + " --device emulator --emit ptx", 2,
            "--emit ptx: without a spec"},
           {replay + " --export out.xyz", 2, "says no format"},
           {replay + " --export t4=" + kProducts, 2, "is an input"},
           {"tune --device replay:examples/tune/gemm.toml", 3, "gemm.toml"},
           {"tune --device replay:missing.json", 3, "missing.json"},
       }) {
    const Ran ran = burin(arguments);
    EXPECT_EQ(ran.status, status) << arguments << "\n" << ran.out << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(sentence)) << arguments;
    EXPECT_TRUE(is_one_line(ran.err)) << arguments << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << arguments;
  }
}

}  // namespace
}  // namespace burin::test
