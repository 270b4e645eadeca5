#include "report/write/output.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/write/json.h"

namespace burin::report {
namespace {

TEST(Output, WritesNumbersAndColumns) {
  std::string text;
  Output out([&](std::string_view piece) { return text += piece, true; });
  out.put(Hex{0x1f, 4}, ' ', Hex{0x12345, 4, true}, ' ', -5, ' ', 7u, '|', Right{42u, 5}, '|',
          Left{"ab", 4}, '|', Right{"wide", 2}, Style::kBold, "x", Style::kPlain);
  out.put(' ', std::numeric_limits<std::int64_t>::min());
  out.flush();
  EXPECT_EQ(text, "0x001f 12345 -5 7|   42|ab  |widex -9223372036854775808");
}

TEST(Output, StopsOfferingToASinkThatRefused) {
  int offered = 0;
  Output out([&](std::string_view) { return ++offered, false; });
  for (int i = 0; i < 100; ++i) out.put(std::string(10000, 'x'));
  out.flush();
  EXPECT_TRUE(out.closed());
  EXPECT_EQ(offered, 1);
}

TEST(Output, HandsOnLargePieces) {
  std::size_t pieces = 0, bytes = 0;
  Output out([&](std::string_view piece) { return ++pieces, bytes += piece.size(), true; });
  for (int i = 0; i < 100000; ++i) out.put("0123456789");
  out.flush();
  EXPECT_EQ(bytes, 1000000u);
  EXPECT_LT(pieces, 20u);
}

std::string as_json(std::string_view value) {
  std::string text;
  Output out([&](std::string_view piece) { return text += piece, true; });
  Json json(out);
  json.open('{');
  json.field("text", value);
  json.field("none", nullptr);
  json.open("list", '[');
  json.element(1u);
  json.element("two");
  json.close();
  json.field("last", true);
  json.close();
  out.flush();
  return text;
}

TEST(Json, IsValidAndKeepsTheText) {
  const std::string odd = "quote \" slash \\ tab \t line \n bell \x07 ü € 😀";
  const auto document = nlohmann::json::parse(as_json(odd));
  EXPECT_EQ(document["text"], odd);
  EXPECT_TRUE(document["none"].is_null());
  EXPECT_EQ(document["list"], nlohmann::json::parse(R"([1, "two"])"));
  EXPECT_EQ(document["last"], true);
}

TEST(Json, MendsWhatIsNotUtf8) {
  for (const char* bad : {"\xff", "a\xc3", "\xe2\x82", "\xc0\xaf", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\x80z", "\xe0\x80\x80", "\xf0\x80\x80\x80"}) {
    const auto document = nlohmann::json::parse(as_json(bad), nullptr, false);
    ASSERT_FALSE(document.is_discarded());
    EXPECT_NE(document["text"].get<std::string>().find("\xef\xbf\xbd"), std::string::npos);
  }
}

}  // namespace
}  // namespace burin::report
