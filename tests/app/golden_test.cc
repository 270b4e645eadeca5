// Is the whole structure of known kernels still what it was? tests/golden/rebase.sh writes the
// files anew; the diff then shows what a change did.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "app/command.h"

namespace burin::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = BURIN_SOURCE_DIR;

std::vector<std::string> golden_inputs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kRoot / "tests/data/golden")) {
    const std::string extension = entry.path().extension();
    if (extension == ".cubin" || extension == ".fatbin") names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string first_difference(const std::string& a, const std::string& b) {
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto line = 1 + std::count(a.begin(), at, '\n');
  const auto from = [](const std::string& text, auto where) {
    const auto start = text.rfind('\n', static_cast<std::size_t>(where - text.begin()));
    return text.substr(start == std::string::npos ? 0 : start + 1, 160);
  };
  return "line " + std::to_string(line) + "\n  was: " + from(a, at) + "\n  is:  " + from(b, other);
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, DumpIsUnchanged) {
  std::ifstream file(kRoot / "tests/golden" / (GetParam() + ".txt"), std::ios::binary);
  ASSERT_TRUE(file) << "no golden file; run tests/golden/rebase.sh";
  const std::string was{std::istreambuf_iterator<char>(file), {}};
  const Ran ran = burin("inspect --dump tests/data/golden/" + GetParam());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(ran.out == was) << first_difference(was, ran.out);
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::ValuesIn(golden_inputs()), [](const auto& test) {
  std::string name = test.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(GoldenSet, CoversEnoughAndHasNoStrayFiles) {
  std::set<std::string> archs;
  std::size_t kernels = 0;
  for (const std::string& name : golden_inputs()) {
    std::ifstream file(kRoot / "tests/golden" / (name + ".txt"));
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("kernel ")) ++kernels;
      if (line.starts_with("image ")) archs.insert(line.substr(6, line.find(',') - 6));
    }
  }
  EXPECT_GE(kernels, 12u);
  EXPECT_GE(archs.size(), 5u);
  for (const auto& entry : fs::directory_iterator(kRoot / "tests/golden")) {
    if (entry.path().extension() != ".txt") continue;
    EXPECT_TRUE(fs::exists(kRoot / "tests/data/golden" / entry.path().stem())) << entry.path();
  }
}

}  // namespace
}  // namespace burin::test
