// Is no launch emulated faster than its lower bounds allow?
#include "analyze/bounds/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "studied.h"

namespace burin::analyze {
namespace {

double bound_of(const std::vector<Bound>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Bound::name);
  return found == all.end() ? 0 : found->time_us;
}

class BoundsOf : public testing::TestWithParam<const char*> {};

TEST_P(BoundsOf, AreNeverAboveTheEmulatedTime) {
  const Studied launch(GetParam());
  for (const Bound& bound : bounds(launch.study())) {
    EXPECT_LE(bound.time_us, launch.study().base().time_us * (1 + 1e-9)) << bound.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, BoundsOf,
                         testing::Values("copy/large", "saxpy/odd", "triad/large", "gather/large",
                                         "scatter/odd", "transpose_naive/odd",
                                         "transpose_shared/large", "matrix_vector/odd",
                                         "product_f32/odd", "product_f64/tiny", "heat_tile/odd",
                                         "bitonic/odd", "scan_tree/odd", "black_scholes/odd",
                                         "softmax/odd", "triangles/odd", "mma_bf16/odd",
                                         "gcd_binary/odd", "atomics_32/odd", "spmm/odd"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '/', '_');
                           return text;
                         });

TEST(Bounds, AStreamIsNearDramsAndAChainNearItsOwn) {
  const Studied streamed = stream();
  const double time = streamed.study().base().time_us;
  const std::vector<Bound> all = bounds(streamed.study());
  EXPECT_EQ(all[0].name, "dram");
  EXPECT_GT(all[0].time_us, 0.8 * time);
  const Studied chain = fma_chain();
  EXPECT_GT(bound_of(bounds(chain.study()), "chain"), 0.6 * chain.study().base().time_us);
  EXPECT_GT(bound_of(bounds(chain.study()), "launch"), 0);
}

TEST(Roofline, TellsWhatLimits) {
  const Studied streamed = stream();
  const Roofline roof = roofline(streamed.study());
  EXPECT_TRUE(roof.memory);
  EXPECT_NEAR(roof.operations, 2 * 1e7, 0.05 * 2e7);
  EXPECT_LE(roof.per_second, roof.most_per_second);
  EXPECT_FALSE(roofline(fma_chain().study()).memory);
}

}  // namespace
}  // namespace burin::analyze
