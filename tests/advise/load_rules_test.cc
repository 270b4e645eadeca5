// Do a user's rules load, and are libraries that hold none refused in words?
#include "advise/load_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/rules/all.h"
#include "advised.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;

TEST(LoadRules, TakesTheExample) {
  const Result<std::vector<const Rule*>> rules = load_rules(BURIN_EXAMPLE_RULES);
  ASSERT_TRUE(rules) << rules.error().message;
  ASSERT_EQ(rules->size(), 1u);
  EXPECT_EQ(rules->front()->id(), "long-sleeps");
  EXPECT_FALSE(rules->front()->summary().empty());

  // It matches what it says: a stall of that kind, and nothing else.
  const Advised launch("heat_tile/odd");
  const Case c = launch.launch_case();
  EXPECT_TRUE(rules->front()->match(c).empty());
  BlamedProfile asleep = launch.blamed();
  asleep.stalls.front().stall = launch::Stall::kSleeping;
  const Case sleeping{.kernel = c.kernel, .machine = c.machine, .blamed = asleep};
  EXPECT_EQ(rules->front()->match(sleeping).size(), 1u);
  const Advice advice = advise(sleeping, {.only = {"long-sleeps"}, .more = *rules});
  ASSERT_EQ(advice.findings.size(), 1u);
  EXPECT_EQ(advice.findings[0].rule, "long-sleeps");
  EXPECT_GT(advice.findings[0].speedup, 1.01);
}

TEST(LoadRules, RefusesInWords) {
  const Result<std::vector<const Rule*>> missing = load_rules("/proc/nowhere/librules.so");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message,
              HasSubstr("/proc/nowhere/librules.so: cannot load this rule library"));
  const Result<std::vector<const Rule*>> other = load_rules(BURIN_NO_RULES);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("does not export burin_rules"));
}

TEST(LoadRules, IdsOfOurOwnAreUnique) {
  for (const Rule* rule : rules()) {
    EXPECT_EQ(std::ranges::count_if(rules(), [&](const Rule* r) { return r->id() == rule->id(); }),
              1)
        << rule->id();
    EXPECT_FALSE(rule->summary().empty()) << rule->id();
  }
}

}  // namespace
}  // namespace burin::advise
