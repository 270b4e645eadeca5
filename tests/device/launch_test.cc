// The launch library on a real GPU: an ordinary program, built by nvcc, gives the same results with
// other launch shapes, relinked and preloaded. Opt-in: BURIN_DEVICE names the GPU.
//
//   BURIN_DEVICE=cuda:0 build/tests/test_device --gtest_filter='Launch*'
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/temporary_folder.h"

namespace burin::runtime {
namespace {

using testing::HasSubstr;
using Environment = std::map<std::string, std::string>;

struct LaunchLibrary : testing::Test {
  void SetUp() override {
    if (std::getenv("BURIN_DEVICE") == nullptr) {
      GTEST_SKIP() << "BURIN_DEVICE names no GPU, such as cuda:0";
    }
    nvcc = find_program("nvcc", {"/usr/local/cuda/bin"});
    if (nvcc.empty()) GTEST_SKIP() << "nvcc, which builds the program, is not installed";
    build("app", {});
    build("relinked", {"-Xcompiler", std::string("@") + BURIN_LAUNCH_OPTIONS});
  }

  void build(const std::string& name, const std::vector<std::string>& options) {
    std::vector<std::string> words = {"-O2",  "-std=c++17", "-arch=sm_90",
                                      source, "-o",         folder->path() + "/" + name};
    words.insert(words.end(), options.begin(), options.end());
    const Answer built = run_program(nvcc, words, 300);
    ASSERT_TRUE(built.ok()) << built.text;
  }

  // The output without the times.
  std::string results(const std::string& name, Environment environment) {
    std::remove(log_path.c_str());
    environment["BURIN_LAUNCH_PATH"] = std::string(BURIN_SOURCE_DIR) + "/examples/launch";
    environment["BURIN_LAUNCH_LOG"] = log_path;
    const Answer answer = run_program(folder->path() + "/" + name, {}, 120, "", environment);
    EXPECT_TRUE(answer.ok()) << answer.text;
    return std::regex_replace(answer.text, std::regex(" +[0-9.]+ us"), "");
  }

  std::string log() const {
    std::stringstream text;
    text << std::ifstream(log_path).rdbuf();
    return text.str();
  }

  Result<TemporaryFolder> folder = TemporaryFolder::make();
  std::string log_path = folder->path() + "/log";
  std::string source = std::string(BURIN_SOURCE_DIR) + "/examples/launch/app.cu";
  std::string nvcc;
};

TEST_F(LaunchLibrary, SameResultsWithOtherShapes) {
  const std::string plain = results("app", {});
  EXPECT_EQ(log(), "");
  EXPECT_EQ(results("relinked", {}), plain);
  const std::string relinked_log = log();
  EXPECT_THAT(relinked_log, HasSubstr("rows=2048: block 256 1 1 -> 64 1 1"));
  EXPECT_THAT(relinked_log, HasSubstr("width=8192: block 16 16 1 -> 4 64 1"));
  EXPECT_EQ(results("app", {{"LD_PRELOAD", BURIN_LAUNCH_SO}}), plain);
  EXPECT_EQ(log(), relinked_log);
  EXPECT_EQ(results("relinked", {{"LD_PRELOAD", BURIN_LAUNCH_SO}}), plain);
  EXPECT_EQ(log(), relinked_log);
}

TEST_F(LaunchLibrary, SwitchedOff) {
  const Environment off = {{"BURIN_LAUNCH", "off"}};
  EXPECT_EQ(results("relinked", off), results("app", off));
  EXPECT_EQ(log(), "");
}

TEST_F(LaunchLibrary, RefinementKeepsResultsAndWisdom) {
  const std::string wisdom = folder->path() + "/wisdom";
  const Environment refine = {
      {"LD_PRELOAD", BURIN_LAUNCH_SO}, {"BURIN_LAUNCH", "refine"}, {"BURIN_LAUNCH_WISDOM", wisdom}};
  const std::string plain = results("app", {});
  EXPECT_EQ(results("app", refine), plain);
  EXPECT_THAT(log(), HasSubstr("refined: block"));
  EXPECT_EQ(results("app", refine), plain);
  EXPECT_THAT(log(), HasSubstr("(wisdom)"));
}

}  // namespace
}  // namespace burin::runtime
