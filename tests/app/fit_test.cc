// `burin fit` and `burin choose` as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "app/command.h"
#include "base/temporary_folder.h"
#include "toolchain/tools.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Fit : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::make();
    ASSERT_TRUE(made.ok());
    folder_ = std::make_unique<TemporaryFolder>(std::move(*made));
  }
  std::string path(const std::string& name) const { return folder_->path() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }

  // Exit status and sentence of a command that must fail.
  std::string refused(int status, const std::string& arguments) const {
    const Ran ran = burin(arguments);
    EXPECT_EQ(ran.status, status) << arguments << '\n' << ran.out << ran.err;
    EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
    return ran.err;
  }

  std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(Fit, FromARecordedLaunchToAChoice) {
  const std::string fit = "fit --capture tests/data/capture/copy_every.burin -o " +
                          path("copy.rp") + " --device emulator:h200 --samples 12";
  const Ran fitted = burin(fit);
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("proposed    " + path("copy.toml")));
  EXPECT_THAT(fitted.out, HasSubstr("all recorded launches have the same size"));
  const Ran chosen = burin("choose " + path("copy.rp") + " --set n2=1000000 --json");
  ASSERT_EQ(chosen.status, 0) << chosen.err;
  const json answer = json::parse(chosen.out);
  const unsigned x = answer["block"][0];
  EXPECT_EQ(answer["grid"], json({(1000000 + 2 * x - 1) / (2 * x), 1, 1}));
  // The proposed spec is one for every command, and says what code it is for.
  const Ran again = burin("fit " + path("copy.toml") + " -o " + path("again.rp") +
                          " --device emulator:h200 --samples 12");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(refused(3, fit + " --force --kernel nothing"),
              HasSubstr("no launched kernel is called"));
  EXPECT_THAT(refused(2, "fit x.toml --capture y.burin -o z.rp"), HasSubstr("leave one of them"));
}

TEST_F(Fit, FromTrialsToAChoice) {
  const Ran fitted = burin("fit --trials examples/fit/trials.csv -o " + path("k.rp") +
                           " --grid-expr 'ceildiv(width, bx)' --grid-expr 'ceildiv(height, by)'");
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("from examples/fit/trials.csv"));
  EXPECT_THAT(fitted.out, HasSubstr("regions"));
  const Ran chosen = burin("choose " + path("k.rp") + " --set width=6000 --set height=3400 --json");
  ASSERT_EQ(chosen.status, 0) << chosen.err;
  const json answer = json::parse(chosen.out);
  EXPECT_EQ(answer["schema"], "burin.choose/1");
  EXPECT_EQ(answer["grade"], "extrapolated");
  const unsigned x = answer["block"][0];
  const unsigned y = answer["block"][1];
  EXPECT_GE(x, 64u);  // measured there: 128 × 2 and 256 × 1 are the best
  EXPECT_EQ(x * y, 256u);
  EXPECT_EQ(answer["grid"], json({(6000 + x - 1) / x, (3400 + y - 1) / y, 1}));
  EXPECT_GT(answer["predicted_us"], 50);
  EXPECT_LT(answer["predicted_us"], 200);
  // Measured at this size: 128 × 2 is the fastest, 256 × 1 within 1 %.
  const json inside = json::parse(
      burin("choose " + path("k.rp") + " --set width=3000 --set height=1700 --json").out);
  EXPECT_EQ(inside["grade"], "inside");
  EXPECT_THAT(inside["block"], testing::AnyOf(json({128, 2, 1}), json({256, 1, 1})));
}

TEST_F(Fit, WithoutAGridThereIsNone) {
  ASSERT_EQ(burin("fit --trials examples/fit/trials.csv -o " + path("k.rp")).status, 0);
  const Ran chosen = burin("choose " + path("k.rp") + " --set width=100 --set height=100 --json");
  ASSERT_EQ(chosen.status, 0) << chosen.err;
  EXPECT_TRUE(json::parse(chosen.out)["grid"].is_null());
}

TEST_F(Fit, FromASpecOnTheEmulator) {
  if (!toolchain::find_tool("nvcc")) GTEST_SKIP() << "no CUDA toolkit";
  const Ran fitted = burin("fit examples/fit/saxpy.toml --device emulator:h200 --json -o " +
                           path("saxpy.rp") + " --samples-file " + path("samples.csv"));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const json made = json::parse(fitted.out);
  EXPECT_EQ(made["schema"], "burin.fit/1");
  EXPECT_LE(made["samples"], 100);
  EXPECT_EQ(made["shapes"], 6);
  const Ran chosen = burin("choose " + path("saxpy.rp") + " --set n=3000000 --machine h200");
  ASSERT_EQ(chosen.status, 0) << chosen.err;
  EXPECT_THAT(chosen.out, HasSubstr("grade     inside"));
  EXPECT_THAT(chosen.out, HasSubstr("block     256 × 1 × 1"));
  const Ran other = burin("choose " + path("saxpy.rp") + " --set n=50000000 --machine a100");
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("grade     unknown device"));
  // What was sampled is trials again.
  EXPECT_EQ(burin("fit --trials " + path("samples.csv") + " -o " + path("again.rp")).status, 0);
  // Trials with the spec: the emulator explores beyond them.
  const Ran both = burin("fit examples/fit/saxpy.toml --trials " + path("samples.csv") +
                         " --gpu 'NVIDIA H200' --explore 8 -o " + path("both.rp"));
  ASSERT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("explored"));
  EXPECT_THAT(both.out, HasSubstr("_Z5saxpyifPKfPf"));
}

TEST_F(Fit, EmitsCpp) {
  ASSERT_EQ(burin("fit --trials examples/fit/trials.csv -o " + path("k.rp")).status, 0);
  const Ran ran =
      burin("choose " + path("k.rp") + " --emit-cpp " + path("k.h") + " --namespace wave");
  ASSERT_EQ(ran.status, 0) << ran.err;
  std::ifstream file(path("k.h"));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(text, HasSubstr("namespace wave {"));
  EXPECT_THAT(refused(2, "choose " + path("k.rp") + " --emit-cpp " + path("k.rp")),
              HasSubstr("is an input of this command"));
}

TEST_F(Fit, BadInputIsASentence) {
  write("broken.csv", "n,block_x,time_us\n100,32,fast\n");
  EXPECT_THAT(refused(3, "fit --trials " + path("broken.csv") + " -o " + path("k.rp")),
              HasSubstr("broken.csv: line 2: time_us is \"fast\""));
  EXPECT_THAT(refused(3, "fit --trials " + path("none.csv") + " -o " + path("k.rp")),
              HasSubstr("cannot open"));
  EXPECT_THAT(refused(2, "fit -o " + path("k.rp")),
              HasSubstr("a spec, --capture or --trials is needed"));
  EXPECT_THAT(refused(2, "fit --trials examples/fit/trials.csv"), HasSubstr("--output"));
  EXPECT_THAT(refused(2, "fit examples/vector_add.cu -o " + path("k.rp")),
              HasSubstr("a spec (.toml, or T1 .json) is needed"));
  EXPECT_THAT(refused(3, "fit examples/tune/gemm.toml --device emulator:h200 -o " + path("k.rp")),
              HasSubstr("is no side of the block"));
  EXPECT_THAT(
      refused(3, "fit --trials examples/fit/trials.csv --constraint 'bx <= m' -o " + path("k.rp")),
      HasSubstr("\"m\" has no value"));
  EXPECT_FALSE(std::ifstream(path("k.rp")).good());  // nothing half-written

  ASSERT_EQ(burin("fit --trials examples/fit/trials.csv -o " + path("k.rp")).status, 0);
  EXPECT_THAT(refused(2, "choose " + path("k.rp") + " --set width=10"),
              HasSubstr("the size height is missing"));
  EXPECT_THAT(refused(2, "choose " + path("k.rp") + " --set depth=10"),
              HasSubstr("no size 'depth'; it has width and height"));
  EXPECT_THAT(refused(2, "choose " + path("k.rp") + " --set width=9 --set width=10"),
              HasSubstr("--set: width: 9 and 10 are both given"));
  EXPECT_THAT(refused(2, "choose " + path("k.rp") + " --set width=many"),
              HasSubstr("expected NAME=NUMBER"));
  EXPECT_THAT(refused(3, "choose " + path("k.rp") + " --set width=9 --set height=9 --machine zx81"),
              HasSubstr("--machine"));
  std::ifstream file(path("k.rp"));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  text[text.find("shape 8")] = 'S';
  write("damaged.rp", text);
  EXPECT_THAT(refused(3, "choose " + path("damaged.rp") + " --set width=9 --set height=9"),
              HasSubstr("damaged.rp: line"));
}

}  // namespace
}  // namespace burin::test
