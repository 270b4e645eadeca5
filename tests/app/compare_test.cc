// Does `burin compare` rank versions, and say when it cannot tell?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/refusal.h"
#include "base/temporary_folder.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kRankedFile = "examples/transpose.sm_90.cubin";
const std::string kRankedLaunch =
    " --grid 32,32 --block 32,8 --arg buf:4M:f32 --arg buf:4M:undef --arg i32:1024 --machine h200";

TEST(Compare, RanksVersionsOfAKernel) {
  const Ran ran = burin("compare " + kRankedFile + ":transpose " + kRankedFile +
                        ":transpose_padded" + kRankedLaunch + " --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json found = json::parse(ran.out);
  EXPECT_EQ(found["schema"], "burin.compare/1");
  EXPECT_EQ(found["best"], kRankedFile + ":transpose_padded");
  EXPECT_TRUE(found["certain"]);
  ASSERT_EQ(found["versions"].size(), 2u);
  EXPECT_EQ(found["versions"][1]["verdict"], "slower");
  EXPECT_GT(found["versions"][1]["to_best"]["low"], 1.0);
}

TEST(Compare, SaysWhereThereIsNoDifferenceToBetOn) {
  const Ran ran = burin(
      "compare --launches examples/compare/shapes.txt --machine h200 --arg "
      "buf:16M:f32 --arg buf:16M:f32 --arg buf:16M:undef --arg i32:4194304");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\nNo difference I would bet on between "));
}

TEST(Compare, RefusesInASentence) {
  EXPECT_EQ(burin("compare " + kRankedFile + kRankedLaunch).err,
            "burin: compare needs at least two versions: FILE or FILE:KERNEL each\n");
  const Ran missing = burin("compare a.cubin b.cubin" + kRankedLaunch);
  EXPECT_EQ(missing.status, 3);
  EXPECT_TRUE(is_one_line(missing.err)) << missing.err;
  const Ran one =
      burin("compare " + kRankedFile + ":transpose " + kRankedFile + ":none" + kRankedLaunch);
  EXPECT_EQ(one.status, 3);
  EXPECT_THAT(one.out, HasSubstr(":none: no prediction: "));
}

TEST(Schema, PrintsWhatIsInTheDocuments) {
  const Ran list = burin("schema");
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.out, HasSubstr("\nburin.predict/1\n"));
  for (const char* name : {"predict", "predict/1", "burin.predict/1"}) {
    std::ifstream file(BURIN_SOURCE_DIR "/docs/schemas/predict.1.json");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(burin(std::string("schema ") + name).out, text) << name;
  }
  EXPECT_EQ(burin("schema predit").err, "burin: unknown schema 'predit'; did you mean predict?\n");
}

class DiffLaunches : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
  }
  std::string file(const std::string& text) const {
    const std::string path = folder_->path() + "/launches.txt";
    std::ofstream(path) << text;
    return " --launches " + path;
  }
  std::optional<TemporaryFolder> folder_;
};

TEST_F(DiffLaunches, PredictsListedKernelsAndComparesTheOthers) {
  const std::string both = "diff " + kRankedFile + " " + kRankedFile;
  const Ran ran =
      burin(both + file("# one of two\n--kernel transpose_padded" + kRankedLaunch + "\n") +
            " --all --json --fail-on slower");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json diff = json::parse(ran.out);
  ASSERT_EQ(diff["kernels"].size(), 2u);
  for (const json& kernel : diff["kernels"]) {
    EXPECT_EQ(kernel["verdict"], "same");
    EXPECT_EQ(kernel["before"]["predicted_us"].is_null(), kernel["kernel"] == "transpose");
  }
}

TEST_F(DiffLaunches, ReportsTheVerdict) {
  const std::string slower = "diff " + kRankedFile + " " + kRankedFile +
                             " --kernel transpose_padded --after-kernel transpose" + kRankedLaunch;
  const Ran ran = burin(slower + " --markdown --fail-on slower");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("**slower**"));
  EXPECT_THAT(ran.err, HasSubstr("is slower: "));
}

TEST_F(DiffLaunches, RefusesWhatItCannotCompare) {
  const std::string both = "diff " + kRankedFile + " " + kRankedFile;
  const std::string line = "--kernel transpose_padded" + kRankedLaunch + "\n";
  EXPECT_THAT(burin(both + file(line + line)).err, HasSubstr("two launches of transpose_padded"));
  EXPECT_THAT(burin(both + file("--kernel transpose\n")).err, HasSubstr("launches.txt:1: "));
  EXPECT_THAT(burin(both + file("--kernl x\n")).err, HasSubstr("launches.txt:1: "));
  const Ran other = burin(both + file("--kernel none" + kRankedLaunch + "\n"));
  EXPECT_EQ(other.status, 0);
  EXPECT_THAT(other.out, HasSubstr("no prediction: "));
}

}  // namespace
}  // namespace burin::test
