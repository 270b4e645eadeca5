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
  EXPECT_FALSE(document(views[0], "burin.timeline/2")["intervals"]["warp"].empty());

  // Warp-cycles are conserved: issued and stalled, over all instructions.
  const json code = document(views[0], "burin.code/2");
  const std::size_t count = code["instructions"];
  for (const char* column : {"text", "control", "live", "place"}) {
    EXPECT_EQ(code[column].size(), count) << column;
  }
  for (const json& text : code["text"]) EXPECT_LT(text, code["texts"].size());
  for (const json& control : code["control"]) EXPECT_LT(control, code["controls"].size());
  const json& profile = code["profiles"][0];
  double sum = 0;
  for (const json& issued : profile["issued"]) sum += issued.get<double>();
  for (const json& stalled : profile["stalls"]["amount"]) sum += stalled.get<double>();
  EXPECT_NEAR(sum / profile["total"].get<double>(), 1, 1e-4);
  const json& causes = profile["causes"];
  int waits = 0;
  for (std::size_t k = 0; k < causes["instruction"].size(); ++k) {
    waits += causes["instruction"][k].get<int>();  // written as differences
    const int cause = waits - causes["distance"][k].get<int>();
    EXPECT_LT(waits, static_cast<int>(count));
    EXPECT_TRUE(cause >= 0 && cause < static_cast<int>(count) && cause != waits) << cause;
  }
  int now = 0, highest = 0;
  for (const json& change : code["live"]) highest = std::max(highest, now += change.get<int>());
  EXPECT_GT(highest, 5);
  EXPECT_LE(highest, code["registers"].get<int>());
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
    EXPECT_TRUE(document(view, "burin.code/2")["profiles"].empty());
    EXPECT_GT(document(view, "burin.code/2")["instructions"], 50);
  }
}

TEST_F(HtmlTest, ADifferenceHasTheCodeOfBothSides) {
  const std::string cubin = "examples/transpose.sm_90.cubin";
  const json views = views_of("diff " + cubin + " " + cubin +
                              " --kernel transpose --after-kernel transpose_padded --grid 8,8 "
                              "--block 32,8 --arg buf:256K:f32 --arg buf:256K:undef --arg i32:256 "
                              "--machine h200");
  if (views.is_null()) GTEST_SKIP() << "built without Node.js";
  const json sides = document(views[0], "burin.sides/1");
  ASSERT_EQ(sides["kernels"].size(), 1u);
  EXPECT_EQ(sides["kernels"][0]["before"][0]["kernel"], "transpose");
  EXPECT_EQ(sides["kernels"][0]["after"][0]["kernel"], "transpose_padded");
  EXPECT_FALSE(sides["kernels"][0]["after"][0]["texts"].empty());
}

TEST_F(HtmlTest, ACaptureHasTheSamplesOfItsKernelsByInstruction) {
  const std::string file = "build/corpus/captures/transpose_scaled.burin";
  if (!std::filesystem::exists(BURIN_SOURCE_DIR "/" + file)) GTEST_SKIP() << "not unpacked";
  const json views = views_of("inspect " + file);
  if (views.is_null()) GTEST_SKIP() << "built without Node.js";
  ASSERT_EQ(views.size(), 2u);
  const json capture = document(views[0], "burin.capture/1");
  const json sampled = document(views[1], "burin.sampled/1");
  EXPECT_EQ(sampled["samples"], capture["kernels"][sampled["kernel"].get<int>() - 1]["samples"]);
  const json code = document(views[1], "burin.code/2");
  const json& profile = code["profiles"][0];
  EXPECT_EQ(profile["source"], "samples");
  double sum = 0;
  for (const json& issued : profile["issued"]) sum += issued.get<double>();
  for (const json& stalled : profile["stalls"]["amount"]) sum += stalled.get<double>();
  EXPECT_NEAR(sum / sampled["samples"].get<double>(), 1, 0.01);
  // Samples are attributed to what they wait for: here to loads.
  int waits = 0, loads = 0;
  const json& causes = profile["causes"];
  for (std::size_t k = 0; k < causes["instruction"].size(); ++k) {
    waits += causes["instruction"][k].get<int>();
    const json& text =
        code["text"][static_cast<std::size_t>(waits - causes["distance"][k].get<int>())];
    loads +=
        code["texts"][text.get<std::size_t>()].get<std::string>().find("LDG") != std::string::npos
            ? 1
            : 0;
  }
  EXPECT_GT(loads, 4);
}

TEST_F(HtmlTest, CoarseningsAreShown) {
  std::ofstream(at("fill.ptx")) << R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 fill_out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [fill_out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
)";
  const json views = views_of("coarsen " + at("fill.ptx") +
                              " --grid 1 --block 64 --arg buf:256:undef --coarsen-thread x=2");
  if (views.is_null()) GTEST_SKIP() << "built without Node.js";
  EXPECT_EQ(document(views[0], "burin.coarsen/1")["coarsenings"][0]["factor"], 2);
  EXPECT_EQ(document(views[0], "burin.coarsen/1")["launch"]["block"][0], 32);
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
