// Do the causes of a profile add up to all of its warp time, before and after pruning?
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "advise/blame/causes.h"

namespace burin::test {

inline void expect_conserved(const read::Kernel& kernel, const advise::BlamedProfile& blamed,
                             const std::string& name) {
  const advise::StallCauses causes = advise::causes_of(kernel, blamed);
  double stalls = 0;
  for (const advise::BlamedStall& stall : blamed.stalls) stalls += stall.cycles.sum();
  for (const auto* rows : {&causes.lines, &causes.loops}) {
    double share = 0;
    double unpruned = 0;
    std::size_t pairs = 0;
    for (const advise::StallCause& row : *rows) {
      share += row.share;
      unpruned += row.share_unpruned.value_or(0);
      pairs += row.pairs;
      EXPECT_EQ(row.share_unpruned.has_value(), !blamed.unpruned.empty()) << name;
    }
    EXPECT_NEAR(share, stalls / blamed.total, 1e-9) << name;
    EXPECT_NEAR(share + causes.issued + causes.unattributed, 1, 1e-9) << name;
    if (!blamed.unpruned.empty()) {
      EXPECT_NEAR(unpruned, share, 1e-9) << name;
    }
    EXPECT_EQ(pairs, blamed.stalls.size()) << name;
    EXPECT_TRUE(std::ranges::is_sorted(*rows, std::ranges::greater(), &advise::StallCause::share))
        << name;
  }
}

}  // namespace burin::test
