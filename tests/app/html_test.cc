// Do --html and --trace write what was asked for, or say in a sentence why not?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "base/temporary_folder.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kHtmlLaunch =
    " examples/transpose.sm_90.cubin --kernel transpose --grid 64,64 --block 32,8 --arg "
    "buf:16M:f32 "
    "--arg buf:16M:undef --arg i32:2048 --machine h200";

class HtmlTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_->path() + "/" + name; }

  // The views of the report that the command writes; null where this build leaves reports out.
  json views_of(const std::string& words) const {
    const Ran ran = burin(words + " --html " + at("r.html"));
    if (ran.status == 2) {
      EXPECT_THAT(ran.err, HasSubstr("leaves HTML reports out"));
      EXPECT_FALSE(std::filesystem::exists(at("r.html")));
      return {};
    }
    EXPECT_EQ(ran.status, 0) << ran.err;
    std::ifstream file(at("r.html"));
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    const std::size_t begin = page.find("id=\"data\">") + 10;
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin))["views"];
  }

  static json document(const json& view, const std::string& schema) {
    for (const json& each : view) {
      if (each["schema"] == schema) return each;
    }
    return {};
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(HtmlTest, AdviceHasEverythingAboutTheLaunch) {
  const json views = views_of("advise" + kHtmlLaunch);
  if (views.is_null()) GTEST_SKIP() << "built without Node.js";
  ASSERT_EQ(views.size(), 1u);
  const json said = json::parse(burin("advise" + kHtmlLaunch + " --json").out);
  EXPECT_EQ(document(views[0], "burin.advise/1"), said);
  const json predict = document(views[0], "burin.predict/1");
  EXPECT_EQ(predict["time_us"], said["predicted_us"]);
  EXPECT_FALSE(document(views[0], "burin.explain/1")["sensitivity"].empty());
  EXPECT_FALSE(document(views[0], "burin.timeline/1")["intervals"].empty());

  // Warp-cycles are conserved: issued and stalled, over all instructions.
  const json code = document(views[0], "burin.code/1");
  const std::size_t count = code["instructions"];
  for (const char* column : {"text", "stall", "yield", "write_barrier", "read_barrier", "wait_mask",
                             "reuse", "live", "place"}) {
    EXPECT_EQ(code[column].size(), count) << column;
  }
  const json& profile = code["profiles"][0];
  double sum = 0;
  for (const json& issued : profile["issued"]) sum += issued.get<double>();
  for (const json& stall : profile["stalls"]) sum += stall[2].get<double>();
  EXPECT_NEAR(sum / profile["total"].get<double>(), 1, 1e-4);
  for (const json& cause : profile["causes"]) {
    EXPECT_LT(cause[0], count);
    EXPECT_LT(cause[1], count);
    EXPECT_NE(cause[0], cause[1]);
  }
  unsigned highest = 0;
  for (const json& live : code["live"]) highest = std::max(highest, live.get<unsigned>());
  EXPECT_GT(highest, 5u);
  EXPECT_LE(highest, code["registers"].get<unsigned>());
  EXPECT_EQ(code["files"][0]["path"].get<std::string>().substr(0, 0), "");
  EXPECT_THAT(code["files"][0]["parts"][0]["text"].dump(), HasSubstr("__syncthreads"));
}

TEST_F(HtmlTest, ExplanationsKeepTheirSchema) {
  const json views = views_of("explain" + kHtmlLaunch + " --ladder");
  if (views.is_null()) GTEST_SKIP() << "built without Node.js";
  json said = json::parse(burin("explain" + kHtmlLaunch + " --ladder --json").out);
  json shown = document(views[0], "burin.explain/1");
  for (json* each : {&said, &shown}) each->erase("critical_path");  // shortened
  EXPECT_EQ(shown, said);
}

TEST_F(HtmlTest, ABinaryHasOneViewForEachKernel) {
  const json views = views_of("inspect examples/transpose.sm_90.cubin");
  if (views.is_null()) GTEST_SKIP() << "built without Node.js";
  ASSERT_EQ(views.size(), 2u);
  for (const json& view : views) {
    EXPECT_TRUE(document(view, "burin.code/1")["profiles"].empty());
    EXPECT_GT(document(view, "burin.code/1")["instructions"], 50);
  }
}

TEST_F(HtmlTest, TheTraceNeedsNoNode) {
  const Ran ran = burin("predict" + kHtmlLaunch + " --trace " + at("t.json"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::ifstream file(at("t.json"));
  const json trace = json::parse(file);
  EXPECT_GT(trace["traceEvents"].size(), 1000u);
}

TEST_F(HtmlTest, OneLaunchAtATime) {
  const Ran ran = burin("predict --launches x.txt --html " + at("r.html"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("show one launch"));
}

}  // namespace
}  // namespace burin::test
