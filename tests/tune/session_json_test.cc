// Do names and values survive being stored as JSON?
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tune/session/flat_json.h"

namespace burin::tune {
namespace {

using formula::Value;

TEST(FlatJson, GivesEveryValueBackWithItsType) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<NamedValue> values = {
      {"integer", Value{std::int64_t{-42}}},
      {"largest", Value{std::numeric_limits<std::int64_t>::max()}},
      {"least", Value{std::numeric_limits<std::int64_t>::min()}},
      {"whole number", Value{2.0}},
      {"number", Value{0.1}},
      {"small", Value{5e-324}},
      {"yes", Value{true}},
      {"no", Value{false}},
      {"text", Value{std::string("a \"quoted\" \\ text\n\t\x01, {µ}")}},
      {"", Value{std::string()}},
      {"infinite", Value{infinity}},
      {"negative", Value{-infinity}}};
  const std::optional<std::vector<NamedValue>> back = parse_flat_json(write_flat_json(values));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, values);

  std::vector<Value> list;
  for (const auto& [name, value] : values) list.push_back(value);
  const std::optional<std::vector<Value>> again = parse_json_list(write_json_list(list));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, list);
}

TEST(FlatJson, NotANumberIsNull) {
  const std::string text = write_flat_json(std::vector<NamedValue>{{"x", Value{std::nan("")}}});
  EXPECT_EQ(text, R"({"x":null})");
  EXPECT_TRUE(std::isnan(std::get<double>(parse_flat_json(text)->front().second)));
}

TEST(FlatJson, EmptyOnesToo) {
  EXPECT_EQ(write_flat_json({}), "{}");
  EXPECT_EQ(parse_flat_json(" { } ")->size(), 0u);
  EXPECT_EQ(parse_json_list("[]")->size(), 0u);
}

TEST(FlatJson, RefusesWhatIsNotFlatJson) {
  for (const char* text :
       {"", "{", "}", "[", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1}}", "{\"a\":1,}",
        "{\"a\":[1]}", "{\"a\":{}}", "{a:1}", "{\"a\":\"x}", "{\"a\":\"\\", "{\"a\":\"\\u00",
        "{\"a\":\"\\u0041\"}", "{\"a\":1x}", "{\"a\":--1}", "[1]"}) {
    EXPECT_FALSE(parse_flat_json(text)) << text;
  }
  for (const char* text : {"", "[", "[1", "[1,]", "[,]", "[1]2", "{}"}) {
    EXPECT_FALSE(parse_json_list(text)) << text;
  }
}

}  // namespace
}  // namespace burin::tune
