// Can a program and a kernel use the tuned constants?
#include "tune/formats/export_winners.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/child.h"

namespace burin::tune {
namespace {

using formula::Value;

class WinnersTest : public testing::Test {
 protected:
  WinnersTest()
      : folder_((std::filesystem::temp_directory_path() /
                 ("burin-winners-" + std::to_string(::getpid())))
                    .string()) {
    std::filesystem::create_directory(folder_);
  }
  ~WinnersTest() override { std::filesystem::remove_all(folder_); }

  WinningConfigs winners() const {
    return {.kernel = "gemm<float>",
            .made_by = "burin, a.session\n#error",
            .parameters = parameters_,
            .winners = {{.device = "NVIDIA H200",
                         .problem_size = {{"n", Value{std::int64_t{4096}}}},
                         .point = {1, 0, 1, 0, 0, 0, 1},
                         .time_us = 335.25,
                         .confidence = 0.93},
                        {.device = "AMD \"W6600\"",
                         .problem_size = {{"n", Value{std::int64_t{64}}}},
                         .point = {0, 1, 0, 1, 1, 1, 0},
                         .time_us = 12}}};
  }

  // The messages of the compiler; "" if it accepts `source`, with the header next to it.
  std::string compile(const std::string& compiler, const std::string& header,
                      const std::string& source, const std::vector<std::string>& options) const {
    std::ofstream(folder_ + "/gemm_tuned.h") << header;
    std::ofstream(folder_ + "/main.cc") << source;
    std::vector<std::string> arguments = {"-fsyntax-only", "-Wall",   "-Wextra",
                                          "-Wpedantic",    "-Werror", "-I" + folder_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(folder_ + "/main.cc");
    const Answer answer = run_program(compiler, arguments, 60);
    return answer.ok() ? "" : "failed: " + answer.text;
  }

  std::vector<Parameter> parameters_ = {
      {"block_size_x", {Value{std::int64_t{16}}, Value{std::int64_t{32}}}},
      {"layout", {Value{std::string("NHWC")}, Value{std::string("\"a?\"")}}},
      {"fast", {Value{false}, Value{true}}},
      {"factor", {Value{std::int64_t{1}}, Value{2.5}}},
      {"int", {Value{std::int64_t{7}}, Value{std::int64_t{1} << 40}}},
      {"-O", {Value{std::int64_t{2}}, Value{std::int64_t{3}}}},
      {"Config", {Value{std::int64_t{-5}}, Value{std::int64_t{6}}}}};
  std::string folder_;
};

TEST_F(WinnersTest, TheHeaderCompilesAndHoldsTheConstants) {
  const std::string compiler = find_program("c++", {"/usr/bin"});
  if (compiler.empty()) GTEST_SKIP() << "no compiler";
  const std::string header = winners_header(winners());
  EXPECT_EQ(compile(compiler, header, R"cpp(
#include "gemm_tuned.h"
#include "gemm_tuned.h"
                      using namespace gemm_float_tuned;
                      static_assert(kEntries == 2);
                      static_assert(find("NVIDIA H200", 4096) == &kTable[0]);
                      static_assert(find("AMD \"W6600\"", 64) == &kTable[1]);
                      static_assert(find("NVIDIA H200", 64) == nullptr);
                      static_assert(find("NVIDIA H20", 4096) == nullptr);
                      static_assert(kTable[0].config.block_size_x == 32);
                      static_assert(kTable[0].config.fast);
                      static_assert(kTable[0].config.factor == 1.0);
                      static_assert(kTable[1].config.factor == 2.5);
                      static_assert(kTable[1].config.int_ == 1LL << 40);
                      static_assert(kTable[1].config.O == 3);
                      static_assert(kTable[0].config.Config_ == 6);
                      static_assert(kTable[0].time_us == 335.25);
                      static_assert(same_text(kTable[1].config.layout, "\"a?\""));
                      template <int kBlock>
                      constexpr int twice() {
                        return 2 * kBlock;
                      }
                      static_assert(twice<nvidia_h200_n_4096::block_size_x>() == 64);
                      static_assert(!amd_w6600_n_64::fast);
                    )cpp",
                    {"-std=c++17"}),
            "")
      << header;
}

TEST_F(WinnersTest, AKernelGetsTheMacrosOfOneEntry) {
  const std::string compiler = find_program("c++", {"/usr/bin"});
  if (compiler.empty()) GTEST_SKIP() << "no compiler";
  WinningConfigs made = winners();
  parameters_[4].name = "unroll";
  const std::string header = winners_header(made);
  // As C, as OpenCL and NVRTC would read it. A tuner's own definition may be there already.
  const std::string kernel = R"c(
#define block_size_x 1
#include "gemm_tuned.h"
#if block_size_x != 32 || fast != 1 || factor != 1 || unroll != 7 || Config != 6
#error wrong
#endif
enum { NHWC };
int layout_of_kernel = layout;
)c";
  EXPECT_EQ(compile(compiler, header, kernel, {"-xc", "-DGEMM_FLOAT_TUNED=0"}), "") << header;
  EXPECT_NE(compile(compiler, header, kernel, {"-xc", "-DGEMM_FLOAT_TUNED=1"}), "");
  const std::string outside = compile(compiler, header, kernel, {"-xc", "-DGEMM_FLOAT_TUNED=2"});
  EXPECT_NE(outside.find("is not the number of an entry"), std::string::npos) << outside;
}

TEST_F(WinnersTest, NothingTunedIsAnEmptyTable) {
  const std::string compiler = find_program("c++", {"/usr/bin"});
  if (compiler.empty()) GTEST_SKIP() << "no compiler";
  WinningConfigs none = winners();
  none.winners.clear();
  EXPECT_EQ(compile(compiler, winners_header(none),
                    "#include \"gemm_tuned.h\"\nstatic_assert(gemm_float_tuned::kEntries == 0);",
                    {"-std=c++17"}),
            "");
}

TEST_F(WinnersTest, EntriesOfOneNameStayApart) {
  WinningConfigs same = winners();
  same.winners[1].device = "nvidia-h200";
  same.winners[1].problem_size = same.winners[0].problem_size;
  const std::string header = winners_header(same);
  EXPECT_NE(header.find("namespace nvidia_h200_n_4096 {"), std::string::npos);
  EXPECT_NE(header.find("namespace nvidia_h200_n_4096_2 {"), std::string::npos);
}

TEST_F(WinnersTest, TheJsonHoldsTheSame) {
  const nlohmann::json json = nlohmann::json::parse(winners_json(winners()));
  EXPECT_EQ(json["schema"], "burin.tuned/1");
  EXPECT_EQ(json["kernel"], "gemm<float>");
  ASSERT_EQ(json["tuned"].size(), 2u);
  EXPECT_EQ(json["tuned"][0]["device"], "NVIDIA H200");
  EXPECT_EQ(json["tuned"][0]["problem_size"]["n"], 4096);
  EXPECT_EQ(json["tuned"][0]["config"]["block_size_x"], 32);
  EXPECT_EQ(json["tuned"][0]["config"]["fast"], true);
  EXPECT_EQ(json["tuned"][0]["time_us"], 335.25);
  EXPECT_EQ(json["tuned"][0]["confidence"], 0.93);
  EXPECT_FALSE(json["tuned"][1].contains("confidence"));
  EXPECT_EQ(json["tuned"][1]["config"]["layout"], "\"a?\"");
}

}  // namespace
}  // namespace burin::tune
