// Curves with a known shape: the plateau, the saturation point, and what is said where there is
// none.
#include "model/saturate/saturation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "model/saturate/savings.h"

namespace burin::model {
namespace {

using Times = double (*)(double work);

std::vector<SizeSample> curve(double from, double to, Times time_us) {
  std::vector<SizeSample> samples;
  for (double work = from; work <= to; work *= 2) {
    samples.push_back({.size = work, .work = work, .time_us = time_us(work)});
  }
  return samples;
}

SaturationOptions options_for(const SizeSample& target, double threshold = 0.1) {
  return {.threshold = threshold, .target = target};
}

// 10 µs and a thousand units per µs: 90 % of the plateau at 90,000 units.
double linear(double work) {
  return 10 + work / 1000;
}

TEST(Fit, FindsOverheadAndRate) {
  const std::vector<SizeSample> samples = curve(1024, 16384, linear);
  const std::optional<Fit> fit = fit_times(samples);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->overhead_us, 10, 1e-6);
  EXPECT_NEAR(fit->throughput, 1e9, 1);
  EXPECT_NEAR(fit->max_error, 0, 1e-9);
  EXPECT_NEAR(fit->throughput_at(1e6), 1e6 / 1010 * 1e6, 1);
}

TEST(Fit, NeverHasANegativeOverhead) {
  // Grows faster than the work: a cache that is left.
  const std::vector<SizeSample> samples{{.size = 1, .work = 1000, .time_us = 1},
                                        {.size = 2, .work = 2000, .time_us = 3}};
  const std::optional<Fit> fit = fit_times(samples);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->overhead_us, 0);
  EXPECT_GT(fit->max_error, 0.1);
}

TEST(Fit, RefusesWhatHasNoRate) {
  EXPECT_FALSE(fit_times({}));
  const std::vector<SizeSample> one{{.size = 1, .work = 1, .time_us = 1}};
  EXPECT_FALSE(fit_times(one));
  const std::vector<SizeSample> shrinking{{.size = 1, .work = 1, .time_us = 5},
                                          {.size = 2, .work = 2, .time_us = 1},
                                          {.size = 4, .work = 4, .time_us = 0.1}};
  const std::optional<Fit> fit = fit_times(shrinking);
  if (fit) {
    EXPECT_GT(fit->throughput, 0);
  }
  const std::vector<SizeSample> failed{{.size = 1, .work = 1, .time_us = 0},
                                       {.size = 2, .work = 2, .time_us = 1}};
  EXPECT_FALSE(fit_times(failed));
}

TEST(Fit, PredictionErrorLooksAtLaterSamplesOnly) {
  std::vector<SizeSample> samples = curve(1024, 65536, linear);
  EXPECT_NEAR(*prediction_error(samples, 2), 0, 1e-9);
  samples.back().time_us *= 1.5;
  EXPECT_NEAR(*prediction_error(samples, 2), 1 - 1 / 1.5, 1e-6);
  EXPECT_FALSE(prediction_error(std::span(samples).first(3), 2));
}

TEST(Saturation, IsTheSmallestSizeNearThePlateau) {
  const std::vector<SizeSample> samples = curve(1024, 1 << 24, linear);
  const Saturation found = find_saturation(samples, options_for(samples.back()));
  ASSERT_TRUE(found.msp);
  EXPECT_EQ(samples[*found.msp].work, 131072);  // 92.9 %; 65536 has 86.8 %
  EXPECT_EQ(found.plain_msp, *found.msp);
  EXPECT_EQ(found.plateau_from, PlateauFrom::kMeasured);
  EXPECT_NEAR(found.plateau, samples.back().throughput(), 1);
}

TEST(Saturation, ALargerThresholdTakesASmallerSize) {
  const std::vector<SizeSample> samples = curve(1024, 1 << 24, linear);
  double last = 1e300;
  for (const double threshold : {0.01, 0.05, 0.1, 0.15, 0.3}) {
    const Saturation found = find_saturation(samples, options_for(samples.back(), threshold));
    ASSERT_TRUE(found.msp);
    EXPECT_LE(samples[*found.msp].work, last);
    last = samples[*found.msp].work;
  }
}

TEST(Saturation, IsExtrapolatedFromSmallSizes) {
  const std::vector<SizeSample> all = curve(4096, 1 << 24, linear);
  const SaturationOptions options = options_for({.size = 1 << 24, .work = 1 << 24});
  std::size_t run = 0;
  while (run < all.size() && !is_settled(std::span(all).first(run), options)) ++run;
  ASSERT_LT(run, all.size());
  const Saturation found = find_saturation(std::span(all).first(run), options);
  ASSERT_TRUE(found.msp);
  EXPECT_EQ(found.plateau_from, PlateauFrom::kExtrapolated);
  EXPECT_EQ(all[*found.msp].work, 131072);
  EXPECT_NEAR(found.plateau, all.back().throughput(), 1e-6 * found.plateau);
}

TEST(Saturation, SurvivesNoise) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(1, 0.01);
  for (int round = 0; round < 50; ++round) {
    std::vector<SizeSample> samples = curve(1024, 1 << 24, linear);
    for (SizeSample& sample : samples) sample.time_us *= noise(random);
    const Saturation found = find_saturation(samples, options_for(samples.back()));
    ASSERT_TRUE(found.msp) << found.reason;
    EXPECT_GE(samples[*found.msp].work, 65536);
    EXPECT_LE(samples[*found.msp].work, 262144);
  }
}

// What a warm SAXPY does on a GPU with a large L2 cache: faster while the data is in L2.
std::vector<SizeSample> saxpy_with_l2() {
  const double throughput[] = {2669, 3592, 4110, 3032, 3200, 3290, 3310, 3333};
  std::vector<SizeSample> samples;
  for (std::size_t i = 0; i < std::size(throughput); ++i) {
    const double work = std::pow(2.0, 20 + static_cast<double>(i));
    samples.push_back({.size = work,
                       .work = work,
                       .time_us = work / throughput[i],
                       .working_set_bytes = work * 8});
  }
  return samples;
}

TEST(Saturation, TheCliffAtTheEndOfL2IsNoPlateau) {
  const std::vector<SizeSample> samples = saxpy_with_l2();
  SaturationOptions options = options_for(samples.back());
  Saturation found = find_saturation(samples, options);
  ASSERT_TRUE(found.msp);
  EXPECT_EQ(samples[*found.msp].work, 1 << 23);
  EXPECT_EQ(samples[found.plain_msp].work, 1 << 22);  // in L2, as no run of the target is
  // 2^21 has the throughput of the target on its way up, and is not taken for saturated.
  EXPECT_NEAR(found.share[1], 1.07, 0.02);

  options.warm = true;
  options.l2_bytes = 50e6;
  found = find_saturation(samples, options);
  EXPECT_FALSE(found.in_regime[2]);
  EXPECT_TRUE(found.in_regime[3]);
  ASSERT_TRUE(found.msp);
  EXPECT_EQ(samples[*found.msp].work, 1 << 23);
}

TEST(Saturation, DoesNotExtrapolateFromL2ToDram) {
  std::vector<SizeSample> samples = curve(1 << 12, 1 << 22, linear);
  for (SizeSample& sample : samples) sample.working_set_bytes = sample.work * 8;
  SaturationOptions options = options_for({.size = 1 << 27, .work = 1 << 27});
  options.target.working_set_bytes = 8.0 * (1 << 27);
  EXPECT_TRUE(is_settled(samples, options));
  options.l2_bytes = 50e6;
  EXPECT_FALSE(is_settled(samples, options));
  options.warm = true;
  const Saturation found = find_saturation(samples, options);
  EXPECT_FALSE(found.msp);
  EXPECT_EQ(found.reason,
            "no size has the target's L2 behaviour: the target's working set does not fit in L2, "
            "those of the sizes do");
}

TEST(Saturation, HitRatesDecideWhereTheyAreKnown) {
  SizeSample sample{.working_set_bytes = 1e6, .l2_hit_rate = 0.5};
  SaturationOptions options{.l2_bytes = 50e6};
  options.target = {.working_set_bytes = 1e9, .l2_hit_rate = 0.55};
  options.warm = true;
  EXPECT_TRUE(same_regime(sample, options));
  options.target.l2_hit_rate = 0.9;
  EXPECT_FALSE(same_regime(sample, options));
  options.warm = false;
  EXPECT_FALSE(same_regime(sample, options));
  options.target.l2_hit_rate.reset();
  EXPECT_TRUE(same_regime(sample, options));
}

TEST(Saturation, ACurveThatNeverFlattensHasNone) {
  // One thread per row: the time grows with the root of the work.
  const std::vector<SizeSample> samples =
      curve(1024, 1 << 20, [](double work) { return std::sqrt(work); });
  const Saturation found = find_saturation(samples, options_for(samples.back()));
  EXPECT_FALSE(found.msp);
  EXPECT_EQ(found.reason, "no plateau: at 524288 the throughput is 70.7 % of that at the target");
  EXPECT_FALSE(is_settled(samples, options_for({.size = 1 << 24, .work = 1 << 24})));
}

TEST(Saturation, OneOrTwoSizesSayLittle) {
  const std::vector<SizeSample> samples = curve(1 << 20, 1 << 22, linear);
  const SaturationOptions beyond = options_for({.size = 1 << 24, .work = 1 << 24});
  EXPECT_EQ(find_saturation({}, beyond).reason, "no size was measured");
  EXPECT_EQ(find_saturation(std::span(samples).first(1), beyond).reason,
            "1 size with the target's L2 behaviour, of at least 3 that a plateau can be "
            "extrapolated from");
  EXPECT_FALSE(find_saturation(std::span(samples).first(2), beyond).msp);
  // Two sizes of which one is the target are enough.
  const Saturation two = find_saturation(std::span(samples).last(2), options_for(samples.back()));
  ASSERT_TRUE(two.msp);
  EXPECT_EQ(*two.msp, 0u);
  const Saturation one = find_saturation(std::span(samples).last(1), options_for(samples.back()));
  EXPECT_FALSE(one.msp);
  EXPECT_EQ(one.reason, "only the target was measured");
}

TEST(Saturation, CoarsenedConfigurationsNeedMoreWork) {
  const std::vector<std::vector<SizeSample>> samples{
      curve(1024, 1 << 24, linear),
      curve(1024, 1 << 24, [](double work) { return 80 + work / 1200; })};
  std::vector<Saturation> found;
  for (const std::vector<SizeSample>& one : samples) {
    found.push_back(find_saturation(one, options_for(one.back())));
  }
  EXPECT_EQ(common_msp(std::span(samples).first(1), std::span(found).first(1)), 131072);
  EXPECT_EQ(common_msp(samples, found), 1 << 20);
  found.back().msp.reset();
  EXPECT_FALSE(common_msp(samples, found));
}

TEST(Savings, AreThoseOfFormula2) {
  const Savings savings{
      .target_us = 5e6, .tuning_us = 2e5, .curve_us = 1e5, .verification_us = 1e5};
  EXPECT_DOUBLE_EQ(savings.paper_speedup(), 5e6 / 3e5);
  EXPECT_DOUBLE_EQ(savings.speedup(), 12.5);
  EXPECT_EQ(Savings{}.speedup(), 1);
  EXPECT_FALSE(target_factor({}));
  const std::vector<TimedAtBoth> timed{{1, 16}, {2, 30}, {0, 5}, {1, 100}};
  EXPECT_EQ(target_factor(timed), 16);
}

}  // namespace
}  // namespace burin::model
