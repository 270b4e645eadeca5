// Is a report one whole file, in which nothing of the data becomes markup?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/html/columns.h"
#include "report/html/page.h"
#include "report/html/timeline_json.h"

namespace burin::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of(std::string_view title, std::string_view data) {
  std::string text;
  Output out([&](std::string_view part) { return text += part, true; });
  write_page(out, title, data);
  out.flush();
  return text;
}

TEST(HtmlPage, DataAndTitleAreEscaped) {
  const std::string page =
      page_of("a<b>&\"c\"", R"({"name":"</script><script>alert(1)</script><!--"})");
  EXPECT_THAT(page, HasSubstr("<title>a&lt;b&gt;&amp;&quot;c&quot;</title>"));
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script")));
  EXPECT_THAT(page, HasSubstr(R"("name":"\u003c/script>\u003cscript>alert(1)\u003c/script>)"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(HtmlPage, TheDataComesBack) {
  const std::string data = R"({"a":"x < y && \"z\" \\u003c","b":[1,2.5,null]})";
  const std::string page = page_of("t", data);
  const std::size_t begin = page.find("id=\"data\">") + 10;
  const std::string inside = page.substr(begin, page.find("</script>", begin) - begin);
  EXPECT_EQ(nlohmann::json::parse(inside), nlohmann::json::parse(data));
}

TEST(HtmlPage, SaysInASentenceWhenTheBuildHasNone) {
  const Result<void> built = check_pages();
  if (web_bundle().script.empty()) {
    EXPECT_THAT(built.error().message, HasSubstr("leaves HTML reports out"));
  } else {
    EXPECT_TRUE(built.ok());
    EXPECT_THAT(web_bundle().script, Not(HasSubstr("</script")));
  }
}

TEST(HtmlPage, NumbersAreRoundedToSixDigits) {
  EXPECT_EQ(rounded(1234567.8), 1234570);
  EXPECT_EQ(rounded(0), 0);
  EXPECT_EQ(rounded(1.0 / 3), 0.333333);
}

TEST(Columns, DifferencesAndRepeatedValues) {
  std::string text;
  Output out([&](std::string_view part) { return text += part, true; });
  Json json(out);
  json.open('{');
  write_differences(json, "live", {3, 3, 4, 2});
  Distinct<std::string> texts;
  for (const char* each : {"EXIT", "NOP", "EXIT"}) texts.add(each);
  write_column(json, "texts", texts.values());
  write_column(json, "text", texts.indices());
  json.close();
  out.flush();
  EXPECT_EQ(text, "{\"live\":[3,0,1,-2],\"texts\":[\"EXIT\",\"NOP\"],\"text\":[0,1,0]}\n");
}

TEST(TimelineJson, IntervalsNameTheirWarpByIndex) {
  timing::Timeline timeline{.from = 100, .until = 120, .warps_per_block = 2};
  timeline.intervals = {
      {.from = 100,
       .until = 110,
       .warp = 7,
       .instruction = 3,
       .cause = 1,
       .stall = launch::Stall::kBarrier,
       .scheduler = 2},
      {.from = 110, .until = 111, .warp = 9, .instruction = 4, .scheduler = 1, .is_issue = true}};
  std::string text;
  Output out([&](std::string_view part) { return text += part, true; });
  Json json(out);
  write_timeline_json(json, timeline);
  out.flush();
  const nlohmann::json read = nlohmann::json::parse(text);
  EXPECT_EQ(read["warp"], nlohmann::json::array({7, 9}));
  EXPECT_EQ(read["scheduler"], nlohmann::json::array({2, 1}));
  const nlohmann::json& intervals = read["intervals"];
  EXPECT_EQ(intervals["warp"], nlohmann::json::array({0, 1}));
  EXPECT_EQ(intervals["from"], nlohmann::json::array({0, 10}));
  EXPECT_EQ(intervals["cycles"], nlohmann::json::array({10, 1}));
  EXPECT_EQ(intervals["step"], nlohmann::json::array({3, 4}));  // each warp counts for itself
  EXPECT_EQ(intervals["reason"], nlohmann::json::array({3, -1}));
  EXPECT_EQ(intervals["distance"], nlohmann::json::array({2}));  // stalls only
}

}  // namespace
}  // namespace burin::report
