// The C++ of a rational program compiles, and chooses as the program does.
#include <gtest/gtest.h>

#include <fstream>

#include "base/child.h"
#include "base/format.h"
#include "base/temporary_folder.h"
#include "formula/rational/chooser.h"
#include "formula/saxpy_program.h"

namespace burin::formula {
namespace {

TEST(RationalCpp, ChoosesAsTheProgram) {
  std::string compiler = find_program("g++", {});
  if (compiler.empty()) compiler = find_program("clang++", {});
  if (compiler.empty()) GTEST_SKIP() << "no C++ compiler";
  const Result<Chooser> chooser = Chooser::prepare(*parse_rational_program(kSaxpyProgram));
  ASSERT_TRUE(chooser.ok());
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  std::ofstream(folder->path() + "/saxpy_launch.h") << to_cpp(chooser->program(), "saxpy_launch");
  static constexpr char kMain[] = R"(#include "saxpy_launch.h"
#include <cstdio>
int main() {
  const std::int64_t launch[] = {1, 1, 1};
  const double inputs[] = {40};
  for (int device = -1; device < 2; ++device) {
    for (std::int64_t n = 1; n < 4000000; n = n * 3 / 2 + 1) {
      saxpy_launch::Choice c{};
      if (!saxpy_launch::choose(&n, device, inputs, launch, 0, c)) { std::puts("none"); continue; }
      std::printf("%u %u %u %u %.17g\n", c.block[0], c.block[1], c.grid[0], unsigned(c.grade),
                  c.predicted_us);
    }
  }
}
)";
  const std::string binary = folder->path() + "/choose";
  const Answer compiled =
      run_program(compiler,
                  {"-std=c++20", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-I",
                   folder->path(), "-x", "c++", "-", "-o", binary},
                  300, kMain);
  ASSERT_TRUE(compiled.ok()) << compiled.text;
  const Answer answer = run_program(binary, {}, 60);
  ASSERT_TRUE(answer.ok()) << answer.text;

  std::string expected;
  const double inputs[] = {40};
  for (int device = -1; device < 2; ++device) {
    for (std::int64_t n = 1; n < 4000000; n = n * 3 / 2 + 1) {
      Choice c;
      const std::int64_t sizes[] = {n};
      if (!chooser->choose({.sizes = sizes, .device = device, .inputs = inputs}, c)) {
        expected += "none\n";
        continue;
      }
      expected +=
          fmt::format("{} {} {} {} {}\n", c.block[0], c.block[1], c.grid[0],
                      static_cast<unsigned>(c.grade), fmt::format("{:.17g}", c.predicted_us));
    }
  }
  EXPECT_EQ(answer.text, expected);
}

}  // namespace
}  // namespace burin::formula
