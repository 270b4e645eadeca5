// Do long lines fit the terminal without losing anything?
#include "report/write/wrap.h"

#include <gtest/gtest.h>

namespace burin::report {
namespace {

TEST(Wrapped, ShortLinesStayAsTheyAre) {
  EXPECT_EQ(wrapped("waves   3.88", 80), "waves   3.88");
  EXPECT_EQ(wrapped("", 80), "");
  EXPECT_EQ(wrapped("µµµµµµµµµµµµµµµµµµµµ", 20), "µµµµµµµµµµµµµµµµµµµµ");  // 40 bytes, 20 columns
}

TEST(Wrapped, LongOnesGoOnBelowTheirLastColumn) {
  EXPECT_EQ(wrapped("occupancy   100.0 % theoretical, limited by warps and registers", 40),
            "occupancy   100.0 % theoretical, limited\n"
            "            by warps and registers");
  EXPECT_EQ(wrapped("A sentence without columns that is too long for it.", 30),
            "A sentence without columns\nthat is too long for it.");
  EXPECT_EQ(wrapped("  - an indented sentence that is too long", 30),
            "  - an indented sentence that\n  is too long");
}

TEST(Wrapped, WordsThatAreTooWideAreBroken) {
  EXPECT_EQ(wrapped("kernel  " + std::string(30, 'a'), 24),
            "kernel  " + std::string(16, 'a') + "\n        " + std::string(14, 'a'));
}

TEST(Wrapped, ColoursTakeNoRoom) {
  const std::string colored = "\x1b[1mbold text here\x1b[0m and more";
  EXPECT_EQ(wrapped(colored, 23), colored);
  EXPECT_EQ(wrapped(colored, 20), "\x1b[1mbold text here\x1b[0m and\nmore");
}

TEST(Wrapped, NoLineIsWiderAndNoWordIsLost) {
  const std::string line =
      "1  2.83×  bank-conflicts   transpose.cu:22  out[(y + j) * n + x] = t[x]";
  for (std::size_t width = 20; width < 90; ++width) {
    const std::string text = wrapped(line, width);
    std::string letters, expected;
    std::size_t column = 0;
    for (const char c : text) {
      column = c == '\n' ? 0 : column + ((c & 0xc0) != 0x80 ? 1 : 0);
      EXPECT_LE(column, width) << text;
      if (c != ' ' && c != '\n') letters += c;
    }
    for (const char c : line) {
      if (c != ' ') expected += c;
    }
    EXPECT_EQ(letters, expected) << width;
  }
}

TEST(LineWrapper, TakesTextInPieces) {
  std::string out;
  LineWrapper wrapper(20, [&](std::string_view text) { return out += text, true; });
  wrapper.write("one two three four ");
  wrapper.write("five six\nseven");
  EXPECT_EQ(out, "one two three four\nfive six\n");
  wrapper.finish();
  EXPECT_EQ(out, "one two three four\nfive six\nseven");
}

}  // namespace
}  // namespace burin::report
