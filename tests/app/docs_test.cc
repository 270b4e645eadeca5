// Is the output shown in the documents what burin prints today? In a fenced block, `$ burin …`
// stands before its output; a closing "…" means that it goes on.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "app/command.h"

namespace burin::test {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(std::istream&& text) {
  Lines lines;
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

struct Example {
  std::string arguments;
  std::string shown;
};

std::vector<Example> examples_in(const std::string& document) {
  static const std::string kPrompt = "$ burin ";
  std::vector<Example> examples;
  bool inside = false;
  for (const std::string& line : lines_of(std::ifstream(BURIN_SOURCE_DIR "/" + document))) {
    if (line.starts_with("```")) {
      inside = false;
    } else if (line.starts_with(kPrompt)) {
      inside = true;
      examples.push_back({line.substr(kPrompt.size()), ""});
    } else if (inside) {
      examples.back().shown += line + "\n";
    }
  }
  return examples;
}

TEST(Docs, ExamplesAreRealOutput) {
  for (const char* document : {"README.md", "docs/inspect.md", "docs/machines.md", "docs/run.md"}) {
    const std::vector<Example> examples = examples_in(document);
    EXPECT_FALSE(examples.empty()) << document;
    for (const Example& example : examples) {
      SCOPED_TRACE(std::string(document) + ": burin " + example.arguments);
      Lines shown = lines_of(std::istringstream(example.shown));
      const Ran ran = burin(example.arguments);
      Lines printed = lines_of(std::istringstream(ran.out + ran.err));
      if (!shown.empty() && shown.back() == "…") {
        shown.pop_back();
        ASSERT_GT(printed.size(), shown.size());
        printed.resize(shown.size());
      }
      EXPECT_EQ(printed, shown);
    }
  }
}

}  // namespace
}  // namespace burin::test
