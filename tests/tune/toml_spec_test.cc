// Specs: what is read, what has a default, and that a mistake is named with its line and field.
#include "tune/formats/toml_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/configuration.h"
#include "tune/space/build_space.h"

namespace burin::tune {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTranspose = R"toml(kernel = "transpose"
source = "transpose.cu"
restrictions = ["threads <= 256"]

[problem]
n = 1024

[tunables]
tile = [1, 2, 4]
block_size_y = [4, 8]
block_size_x = [16, 32, 64]
wide = [true, false]

[names]
threads = "block_size_x * block_size_y"

[launch]
grid = ["ceildiv(n, block_size_x * tile)", "ceildiv(n, block_size_y)"]
args = ["buf:{4*n*n}:f32", "buf:{4*n*n}:zero", "i32:{n}"]
shared_bytes = "4 * threads"

[compile]
options = ["-DHALF={tile/2}"]

[reference]
outputs = ["1:f32"]
tolerance = 0.5

[objective]
maximise = "8*n*n/time_us/1e3"
unit = "GB/s"
)toml";

Spec toml_spec_of(std::string_view text) {
  Result<Spec> spec = parse_toml_spec(text, "folder/t.toml");
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return spec ? *spec : Spec{};
}

std::string toml_mistake(std::string_view from, std::string_view to) {
  std::string text(kTranspose);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const Result<Spec> spec = parse_toml_spec(text, "t.toml");
  if (spec) return "no error";
  EXPECT_EQ(spec.error().exit, Exit::kInput);
  return spec.error().message;
}

TEST(TomlSpec, KeepsTheOrderOfTunablesAndFindsSourcesBesideTheSpec) {
  const Spec spec = toml_spec_of(kTranspose);
  ASSERT_EQ(spec.tunables.size(), 4u);
  EXPECT_EQ(spec.tunables[0].name, "tile");
  EXPECT_EQ(spec.tunables[1].name, "block_size_y");
  EXPECT_EQ(spec.tunables[2].name, "block_size_x");
  EXPECT_EQ(spec.sources.at(Language::kCuda), "folder/transpose.cu");
  EXPECT_EQ(describe(spec.sizes.front()), "n=1024");
  EXPECT_TRUE(spec.objective.maximise);
  ASSERT_EQ(spec.reference.outputs.size(), 1u);
  EXPECT_EQ(spec.reference.outputs[0].type, launch::ElementType::kF32);
}

TEST(TomlSpec, ConfiguresAPoint) {
  const Spec spec = toml_spec_of(kTranspose);
  const Result<Space> space =
      build_space(spec.tunables, space_restrictions(spec), spec.sizes.front(), spec.derived);
  ASSERT_TRUE(space) << space.error().message;
  // 64 × 8 threads exceed 256.
  EXPECT_EQ(space->size(), 3u * (2 * 3 - 1) * 2);
  const Point point{1, 0, 2, 0};  // tile 2, 64 × 4 threads, wide
  ASSERT_TRUE(space->contains(point));
  const Result<Configuration> made = configure(spec, spec.sizes.front(), *space, point);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->defines,
              testing::ElementsAre("tile=2", "block_size_y=4", "block_size_x=64", "wide=1"));
  EXPECT_THAT(made->options, testing::ElementsAre("-DHALF=1"));
  ASSERT_EQ(made->steps.size(), 1u);
  EXPECT_EQ(made->steps[0].launch.grid, (launch::Dims{8, 256, 1}));
  EXPECT_EQ(made->steps[0].launch.block, (launch::Dims{64, 4, 1}));
  EXPECT_EQ(made->steps[0].launch.shared_bytes, 1024u);
  EXPECT_THAT(made->steps[0].arguments,
              testing::ElementsAre("buf:4194304:f32", "buf:4194304:zero", "i32:1024"));
  const Result<double> objective = objective_of(spec, made->names, 2.0, {});
  ASSERT_TRUE(objective);
  EXPECT_DOUBLE_EQ(*objective, -8.0 * 1024 * 1024 / 2 / 1e3);
}

TEST(TomlSpec, GridFollowsFromProblemSizeAndDivisors) {
  std::string text(kTranspose);
  const std::string grid =
      "grid = [\"ceildiv(n, block_size_x * tile)\", \"ceildiv(n, block_size_y)\"]";
  text.replace(text.find(grid), grid.size(),
               "problem_size = [\"n\", \"n + 1\"]\ngrid_div_x = [\"block_size_x\", \"tile\"]");
  const Spec spec = toml_spec_of(text);
  const Result<Space> space = build_space(spec.tunables, {}, spec.sizes.front());
  ASSERT_TRUE(space);
  const Result<Configuration> made = configure(spec, spec.sizes.front(), *space, Point{1, 0, 2, 0});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->steps[0].launch.grid, (launch::Dims{8, 257, 1}));
}

TEST(TomlSpec, SeveralLaunchesAndInvocations) {
  const Spec spec = toml_spec_of(R"toml(source = "r.cl"
[problem]
n = 1000
[tunables]
work = [100, 300]
[[launches]]
kernel = "part"
block = [64]
grid = ["ceildiv(work, 64)"]
repeat = "ceildiv(n, work)"
args = ["buf:{4*n}:f32", "i32:{invocation * work}"]
[[launches]]
kernel = "total"
block = [32]
grid = [1]
repeat = 3
args = ["@0"]
)toml");
  EXPECT_TRUE(spec.sources.contains(Language::kOpencl));
  const Result<Space> space = build_space(spec.tunables, {}, spec.sizes.front());
  ASSERT_TRUE(space);
  const Result<Configuration> made = configure(spec, spec.sizes.front(), *space, Point{1});
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->steps.size(), 5u);  // 4 invocations of `part`, and `total`
  EXPECT_EQ(made->steps[3].arguments[1], "i32:900");
  EXPECT_EQ(made->steps[3].arguments[0], "@0");  // all invocations work on the same data
  EXPECT_EQ(made->steps[3].repeat, 1u);
  EXPECT_EQ(made->steps[4].kernel, "total");
  EXPECT_EQ(made->steps[4].repeat, 3u);
}

TEST(TomlSpec, SizesShareTheCommonNames) {
  const Spec spec = toml_spec_of(R"toml(kernel = "k"
source = "k.cu"
[problem]
m = 7
sizes = [{n = 1}, {n = 2, m = 9}]
[tunables]
block_size_x = [32]
[launch]
grid = ["n * m"]
)toml");
  ASSERT_EQ(spec.sizes.size(), 2u);
  EXPECT_EQ(describe(spec.sizes[0]), "m=7, n=1");
  EXPECT_EQ(describe(spec.sizes[1]), "m=9, n=2");
}

TEST(TomlSpec, NamesLineAndFieldOfAMistake) {
  EXPECT_THAT(toml_mistake("ceildiv(n, block_size_y)", "ceildiv(n, block_size_w)"),
              testing::AllOf(HasSubstr("t.toml:18: launch.grid:"), HasSubstr("block_size_w")));
  EXPECT_THAT(toml_mistake("4*n*n}:f32", "4*n*}:f32"), HasSubstr("t.toml:19: launch.args:"));
  EXPECT_THAT(toml_mistake("[tunables]", "[tunable]"),
              testing::AllOf(HasSubstr("t.toml:"), HasSubstr("did you mean tunables?")));
  EXPECT_THAT(toml_mistake("[1, 2, 4]", "[]"), HasSubstr("tunables.tile: the list is empty"));
  EXPECT_THAT(toml_mistake("[1, 2, 4]", "[1, 2, 1]"), HasSubstr("listed twice"));
  EXPECT_THAT(toml_mistake("n = 1024", "n = 1024 1"), HasSubstr("t.toml:6"));
  EXPECT_THAT(toml_mistake("n = 1024", "tile = 1024"),
              HasSubstr("both a problem size and a tunable"));
  EXPECT_THAT(toml_mistake("\"1:f32\"", "\"1:f23\""), HasSubstr("reference.outputs"));
  EXPECT_THAT(toml_mistake("tolerance = 0.5", "tolerance = -1"), HasSubstr("reference.tolerance"));
  EXPECT_THAT(toml_mistake("maximise", "minimise = \"time_us\"\nmaximise"), HasSubstr("only one"));
  EXPECT_THAT(toml_mistake("threads = \"", "wide = \""), HasSubstr("already used"));
}

TEST(TomlSpec, AConfigurationThatCannotBeSaysWhy) {
  const Spec spec = toml_spec_of(R"toml(kernel = "k"
source = "k.cu"
[tunables]
block_size_x = [32, 2048]
divisor = [0, 1]
[launch]
grid = ["64 // divisor"]
)toml");
  const Result<Space> space = build_space(spec.tunables, {});
  ASSERT_TRUE(space);
  const Result<Configuration> zero = configure(spec, {}, *space, Point{0, 0});
  ASSERT_FALSE(zero);
  EXPECT_THAT(zero.error().message, HasSubstr("grid"));
  const Result<Configuration> large = configure(spec, {}, *space, Point{1, 1});
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().message, HasSubstr("2048 threads; the limit is 1024"));
}

}  // namespace
}  // namespace burin::tune
