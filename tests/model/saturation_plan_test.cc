// Which sizes and configurations a spec asks for.
#include <gtest/gtest.h>

#include "model/saturate/plan.h"
#include "tune/formats/toml_spec.h"
#include "tune/space/build_space.h"

namespace burin::model {
namespace {

constexpr std::string_view kSpec = R"toml(
kernel = "scale"
source = "scale.cu"
restrictions = ["block_size_x / coarsen_thread_x >= 32"]
[problem]
sizes = [{ n = 4096, k = 2 }, { n = 1024, k = 2 }, { n = 16384, k = 2 }]
[tunables]
block_size_x = [32, 128, 256]
coarsen_thread_x = [1, 2, 4]
coarsen_stride_x = [0, 1]
"unroll@3" = [0, 4]
[launch]
grid = ["ceildiv(n, block_size_x)"]
args = ["buf:{4*n}:f32"]
[reference]
kernel = "scale"
grid = ["ceildiv(n, 128)"]
block = [128]
)toml";

tune::Spec spec_with(
    std::string_view more = "[objective]\nmaximise = \"k * n / time_us / 1e3\"\n") {
  const Result<tune::Spec> spec =
      tune::parse_toml_spec(std::string(kSpec) + std::string(more), "scale.toml");
  EXPECT_TRUE(spec) << spec.error().message;
  return *spec;
}

tune::Space space_of_spec(const tune::Spec& spec) {
  return *tune::build_space(spec.tunables, tune::space_restrictions(spec), spec.sizes.back(),
                            spec.derived);
}

TEST(SaturationPlan, SortsTheSizesOfTheProblem) {
  const Result<SizePlan> plan = plan_sizes(spec_with(), {});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->varied, "n");
  ASSERT_EQ(plan->sizes.size(), 3u);
  EXPECT_EQ(plan->value(0), 1024);
  EXPECT_EQ(plan->value(2), 16384);
}

TEST(SaturationPlan, TakesRangesOfSpecAndCommandLine) {
  const tune::Spec spec =
      spec_with("[saturation]\nsize = \"n\"\nfrom = 1000\nto = 70000\nstep = 4\nwork = \"n\"\n");
  const Result<SizePlan> own = plan_sizes(spec, {});
  ASSERT_TRUE(own) << own.error().message;
  ASSERT_EQ(own->sizes.size(), 5u);
  EXPECT_EQ(own->value(1), 4000);
  EXPECT_EQ(own->value(4), 70000);
  EXPECT_EQ(formula::plain_text(own->sizes[4].at("k")), "2");

  const Result<SizeRange> range = parse_size_range("k=2:32");
  ASSERT_TRUE(range);
  const Result<SizePlan> given = plan_sizes(spec, {.vary = *range, .target = {{"k", 24}}});
  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->varied, "k");
  ASSERT_EQ(given->sizes.size(), 5u);  // 2, 4, 8, 16, 24
  EXPECT_EQ(given->value(4), 24);
}

TEST(SaturationPlan, SaysWhatIsMissing) {
  tune::Spec spec = spec_with();
  spec.sizes.resize(1);
  EXPECT_EQ(plan_sizes(spec, {}).error().message,
            "scale.toml: no problem sizes to compare: give several in [problem] sizes, a range in "
            "[saturation], or --vary NAME=FROM:TO");
  spec = spec_with();
  spec.sizes[0]["k"] = std::int64_t{3};
  EXPECT_NE(plan_sizes(spec, {}).error().message.find("differ in k and n"), std::string::npos);
  EXPECT_EQ(plan_sizes(spec_with(), {.vary = SizeRange{"m", 1, 2, 2}}).error().message,
            "--vary: scale.toml has no problem size 'm'");
  EXPECT_EQ(plan_sizes(spec_with(), {.target = {{"k", 3}}}).error().message,
            "--target: k is not the size that is varied, n");
  for (const char* wrong :
       {"n", "n=5", "=1:2", "n=1:2:x", "n=8:4", "n=0:4", "n=1:4:1", "n=1:2:3:4"}) {
    EXPECT_FALSE(parse_size_range(wrong)) << wrong;
  }
  for (const char* wrong :
       {"from = 4\n", "from = 0\nto = 3\n", "size = \"m\"\n", "from = 1.5\nto = 3\n", "step = 1\n",
        "work = \"m\"\n", "whole_waves = 1\n", "sizes = 3\n"}) {
    EXPECT_FALSE(tune::parse_toml_spec(std::string(kSpec) + "[saturation]\n" + wrong, "scale.toml"))
        << wrong;
  }
}

TEST(SaturationPlan, WorkIsTheObjectivesUnlessItIsGiven) {
  const tune::Spec spec = spec_with();
  const formula::Names names{
      {"n", std::int64_t{1000}}, {"k", std::int64_t{2}}, {"block_size_x", std::int64_t{32}}};
  Result<WorkUnits> work = WorkUnits::of(spec, std::nullopt, "n");
  ASSERT_TRUE(work);
  EXPECT_NEAR(*work->at(names), 2.0 / 1e6, 1e-15);  // k n / 1e3, in units of 1e6 µs
  work = WorkUnits::of(spec, "n * n", "n");
  ASSERT_TRUE(work);
  EXPECT_EQ(*work->at(names), 1e6);
  EXPECT_FALSE(WorkUnits::of(spec, "n *", "n"));
  work = WorkUnits::of(spec, "n - 1000", "n");
  EXPECT_EQ(work->at(names).error().message,
            "the units of work \"n - 1000\" are not a positive number");
  work = WorkUnits::of(spec_with(""), std::nullopt, "n");
  EXPECT_TRUE(work->is_assumed());
  EXPECT_EQ(*work->at(names), 1000);
  work = WorkUnits::of(spec_with("[objective]\nmaximise = \"n / time_us / time_us\"\n"),
                       std::nullopt, "n");
  EXPECT_FALSE(work->at(names));
}

TEST(SaturationPlan, StartsFromTheReferencesBlock) {
  const tune::Spec spec = spec_with();
  const tune::Space space = space_of_spec(spec);
  const Result<tune::Point> base = default_point(spec, spec.sizes.back(), space);
  ASSERT_TRUE(base);
  EXPECT_EQ(tune::describe(space, *base),
            "block_size_x=128, coarsen_thread_x=1, coarsen_stride_x=0, unroll@3=0");
  const tune::Spec named = spec_with("[saturation]\nconfig = \"block_size_x=256\"\n");
  EXPECT_EQ(tune::describe(space, *default_point(named, spec.sizes.back(), space)),
            "block_size_x=256, coarsen_thread_x=1, coarsen_stride_x=0, unroll@3=0");
  EXPECT_EQ(tune::describe(space, *changed_point(space, *base, "unroll@3=4, coarsen_thread_x=2")),
            "block_size_x=128, coarsen_thread_x=2, coarsen_stride_x=0, unroll@3=4");
  EXPECT_EQ(changed_point(space, *base, "block_size_x=32,coarsen_thread_x=4").error().message,
            "block_size_x=32, coarsen_thread_x=4, coarsen_stride_x=0, unroll@3=0 violates a "
            "restriction");
  EXPECT_FALSE(changed_point(space, *base, "block_size_x=33"));
  EXPECT_FALSE(changed_point(space, *base, "block_size"));
}

TEST(SaturationPlan, ListsCoarseningsOfAConfiguration) {
  const tune::Spec spec = spec_with();
  const tune::Space space = space_of_spec(spec);
  const tune::Point base = *default_point(spec, spec.sizes.back(), space);
  const std::vector<CoarsenedPoint> all = coarsened_points(space, base);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].factor, 2);
  EXPECT_EQ(all[1].factor, 4);
  EXPECT_EQ(thread_coarsening(space, all[1].point), 4);
  // A block of 32 threads cannot be coarsened.
  EXPECT_TRUE(coarsened_points(space, *changed_point(space, base, "block_size_x=32")).empty());
}

TEST(SaturationSizes, GoUpByAFactorToTheTarget) {
  EXPECT_EQ(geometric_sizes(1024, 10000, 2),
            (std::vector<std::int64_t>{1024, 2048, 4096, 8192, 10000}));
  EXPECT_EQ(geometric_sizes(4, 4, 2), (std::vector<std::int64_t>{4}));
  EXPECT_EQ(geometric_sizes(2, 5, 1.1), (std::vector<std::int64_t>{2, 3, 4, 5}));
}

TEST(SaturationSizes, MoveToWholeWaves) {
  const BlocksOf blocks_of = [](std::int64_t size) {
    return std::optional<std::uint64_t>(static_cast<std::uint64_t>((size + 255) / 256));
  };
  // 132 SMs with 8 blocks each.
  const std::int64_t moved = whole_wave_size(1 << 19, 1056, blocks_of);
  EXPECT_GT(wave_efficiency(*blocks_of(moved), 1056), 0.97);
  EXPECT_LE(moved, 3 << 18);
  EXPECT_EQ(moved % (1 << 13), 0);
  EXPECT_EQ(whole_wave_size(1 << 17, 1056, blocks_of), 1 << 17);  // half a wave
  EXPECT_EQ(whole_wave_size(1056 * 256, 1056, blocks_of), 1056 * 256);
  EXPECT_EQ(whole_wave_size(4096, 0, blocks_of), 4096);
  const BlocksOf invalid = [](std::int64_t) { return std::optional<std::uint64_t>{}; };
  EXPECT_EQ(whole_wave_size(4096, 132, invalid), 4096);
  EXPECT_DOUBLE_EQ(wave_efficiency(66, 132), 0.5);
  EXPECT_DOUBLE_EQ(wave_efficiency(264, 132), 1);
}

}  // namespace
}  // namespace burin::model
