#include "launch/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace burin::launch {
namespace {

using testing::HasSubstr;

read::Image some_image() {
  using Kind = read::VariablePlace::Kind;
  read::Image image;
  image.variables = {{"table", {Kind::kConstant, 3, 16, 8}},
                     {"_ZN4math5scaleE", {Kind::kConstant, 3, 24, 4}},
                     {"counter", {Kind::kZero, 0, 0, 4}}};
  return image;
}

std::string setting_refusal(std::vector<std::string> texts) {
  const auto settings = resolve_settings(texts, some_image());
  return settings ? "taken" : settings.error().message;
}

TEST(Setting, IsAFillOfTheVariablesSize) {
  const std::vector<std::string> texts = {"table=int:100:seed=3"};
  const auto settings = resolve_settings(texts, some_image());
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  const Setting& table = settings->front();
  EXPECT_EQ(table.symbol, "table");
  EXPECT_EQ(table.place.offset, 16u);
  std::vector<std::uint8_t> expected(8);
  parse_argument("buf:8:int:100:seed=3", 0)->buffer()->fill(0, expected);
  EXPECT_EQ(table.bytes(), expected);
}

TEST(Setting, IsAValueWhereTheTextIsOne) {
  const std::vector<std::string> texts = {"math::scale=f32:1.5", "table=f32:seed=1"};
  const auto settings = resolve_settings(texts, some_image());
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ((*settings)[0].symbol, "_ZN4math5scaleE");
  EXPECT_EQ((*settings)[0].bytes(), (std::vector<std::uint8_t>{0, 0, 0xc0, 0x3f}));
  EXPECT_EQ((*settings)[1].bytes().size(), 8u);
}

TEST(Setting, WrongOnesAreRefusedInWords) {
  EXPECT_THAT(setting_refusal({"table"}), HasSubstr("expected SYMBOL=FILL"));
  EXPECT_THAT(setting_refusal({"tabl=zero"}), HasSubstr("did you mean table?"));
  EXPECT_THAT(setting_refusal({"table=i32:5"}),
              HasSubstr("i32:5 has 4 bytes, but the variable has 8"));
  EXPECT_THAT(setting_refusal({"table=f33"}), HasSubstr("unknown fill f33"));
  EXPECT_THAT(setting_refusal({"table=undef"}), HasSubstr("a variable cannot be undefined"));
  EXPECT_THAT(setting_refusal({"table=buf:8:zero"}), HasSubstr("unknown fill buf"));
  EXPECT_THAT(setting_refusal({"table=zero", "table=f32"}), HasSubstr("table is set twice"));
  EXPECT_EQ(setting_refusal({"table=zero", "counter=u32:7"}), "taken");
}

}  // namespace
}  // namespace burin::launch
