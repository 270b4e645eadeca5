#include "mcp/budget.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mcp/tools.h"

namespace burin::mcp {
namespace {

TEST(Budget, TokensAreEstimatedFromAbove) {
  EXPECT_EQ(estimate_tokens(""), 0u);
  EXPECT_EQ(estimate_tokens("abcd"), 1u);
  EXPECT_EQ(estimate_tokens("abcde"), 2u);
  EXPECT_EQ(estimate_tokens("1234"), 2u);
  EXPECT_EQ(estimate_tokens("a  b"), 3u);
  EXPECT_EQ(estimate_tokens("µ"), 1u);
}

TEST(Budget, TextIsCutAtTheEndOfALine) {
  const std::string text = "one two\nthree four five six\n";
  EXPECT_EQ(text.substr(0, fitting_bytes(text, 5)), "one two\n");
  EXPECT_EQ(fitting_bytes(text, 100), text.size());
}

TEST(Budget, ALongLineIsCutBetweenCharacters) {
  const std::string text = "µµµµ";
  EXPECT_EQ(text.substr(0, fitting_bytes(text, 3)), "µµµ");
  EXPECT_GT(fitting_bytes(text, 0), 0u);  // always some progress
}

TEST(Budget, PartsMakeTheWhole) {
  std::string text;
  for (int k = 0; k < 500; ++k) text += "line " + std::to_string(k) + "\n";
  Answers answers;
  Part part = answers.first(text, 100);
  std::string all = part.text;
  while (!part.more.empty()) {
    EXPECT_LE(estimate_tokens(part.text), 100u);
    const Result<Part> next = answers.rest(part.more, 100);
    ASSERT_TRUE(next.ok());
    part = *next;
    all += part.text;
  }
  EXPECT_EQ(all, text);
}

TEST(Budget, OldAnswersAreForgottenInWords) {
  Answers answers;
  const std::string first = answers.first(std::string(5000, 'x'), 10).more;
  for (int k = 0; k < 20; ++k) answers.first(std::string(5000, 'x'), 10);
  const Result<Part> gone = answers.rest(first, 10);
  ASSERT_FALSE(gone.ok());
  EXPECT_NE(gone.error().message.find("is gone"), std::string::npos);
}

TEST(Tools, ArgumentsBecomeACommandLine) {
  const auto arguments = nlohmann::json::parse(
      R"({"file": "-a.cubin", "grid": [4, 2], "block": 64, "args": ["i32:1"], "warm": true})");
  const Result<ToolRequest> request = parse_arguments(*find_tool("predict"), arguments);
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->words,
            (std::vector<std::string>{"predict", "--quiet", "--warm", "--grid=4,2", "--block=64",
                                      "--arg=i32:1", "--", "./-a.cubin"}));
}

}  // namespace
}  // namespace burin::mcp
