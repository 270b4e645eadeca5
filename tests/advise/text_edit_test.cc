// Is the patch what the edits say, and does `git apply` take it?
#include "advise/changes/text_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace burin::advise {
namespace {

namespace fs = std::filesystem;

std::string numbered(int lines, const char* ending = "\n") {
  std::string text;
  for (int k = 1; k <= lines; ++k) text += "line " + std::to_string(k) + ending;
  return text;
}

// What `git apply` makes of the text, in a folder of its own; "refused" if it does not.
std::string applied(const std::string& text, const std::string& patch) {
  char name[] = "/tmp/burin-patch-XXXXXX";
  const fs::path folder = ::mkdtemp(name);
  std::ofstream(folder / "k.cu", std::ios::binary) << text;
  std::ofstream(folder / "k.patch", std::ios::binary) << patch;
  const std::string command =
      "cd " + folder.string() + " && GIT_CEILING_DIRECTORIES=/tmp git apply k.patch 2> /dev/null";
  std::string made = "refused";
  if (std::system(command.c_str()) == 0) {
    std::stringstream all;
    all << std::ifstream(folder / "k.cu", std::ios::binary).rdbuf();
    made = all.str();
  }
  fs::remove_all(folder);
  return made;
}

void expect_applies(const std::string& text, const std::vector<TextEdit>& edits) {
  const Result<std::string> wanted = apply_edits(text, edits);
  ASSERT_TRUE(wanted) << wanted.error().message;
  const std::string patch = unified_diff(CudaText(text), "k.cu", edits);
  EXPECT_EQ(applied(text, patch), *wanted) << patch;
}

std::size_t hunks(const std::string& patch) {
  std::size_t count = 0;
  for (std::size_t at = patch.find("@@ -"); at != std::string::npos;
       at = patch.find("@@ -", at + 1)) {
    ++count;
  }
  return count;
}

TEST(TextEdit, EditsAreAppliedInOrderAndOnce) {
  const TextEdit f{3, 0, "f"};
  EXPECT_EQ(*apply_edits("1.0 2.0", {{7, 0, "f"}, f, f}), "1.0f 2.0f");
  EXPECT_EQ(*apply_edits("abc", {}), "abc");
  const Result<std::string> both = apply_edits("abcdef", {{1, 3, "x"}, {2, 1, "y"}});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message, "two changes edit the same text");
}

TEST(Diff, AnInsertedLine) {
  const std::string text = numbered(9);
  const CudaText source(text);
  const std::string patch = unified_diff(source, "k.cu", {{source.line_start(5), 0, "#pragma\n"}});
  EXPECT_EQ(
      patch,
      "--- a/k.cu\n+++ b/k.cu\n@@ -2,6 +2,7 @@\n line 2\n line 3\n line 4\n+#pragma\n line 5\n"
      " line 6\n line 7\n");
  EXPECT_EQ(unified_diff(source, "k.cu", {}), "");
}

TEST(Diff, GitAppliesIt) {
  const std::string text = numbered(30);
  const CudaText source(text);
  const auto at = [&](std::uint32_t line) { return source.line_start(line); };
  expect_applies(text, {{at(1), 0, "first\n"}});
  expect_applies(text, {{at(1), 4, "LINE"}});
  expect_applies(text, {{at(30), 4, "LINE"}, {at(30) + 7, 0, " last"}});
  for (std::uint32_t distance = 1; distance < 12; ++distance) {
    expect_applies(text, {{at(10), 4, "LINE"}, {at(10 + distance), 0, "new\n"}});
    expect_applies(text, {{at(10), 0, "new\n"}, {at(10 + distance), 4, "LINE"}});
  }
  expect_applies(text, {{at(4), 0, "a\n"}, {at(6), 0, "b\n"}, {at(8), 4, "x"}, {at(27), 0, "c\n"}});
  expect_applies("one line", {{0, 3, "1"}});
  expect_applies(numbered(3, "\r\n"), {{8, 0, "new\r\n"}});
}

TEST(Diff, OneHunkForEachPlace) {
  const std::string text = numbered(30);
  const CudaText source(text);
  const std::string patch = unified_diff(
      source, "k.cu", {{source.line_start(10), 0, "a\n"}, {source.line_start(13), 0, "b\n"}});
  EXPECT_EQ(hunks(patch), 2u);
}

TEST(Diff, ATargetThatHasChangedIsRefused) {
  const std::string text = numbered(9);
  const CudaText source(text);
  const std::string patch = unified_diff(source, "k.cu", {{source.line_start(5), 4, "LINE"}});
  EXPECT_EQ(applied("other\n" + text.substr(0, 20), patch), "refused");
}

}  // namespace
}  // namespace burin::advise
