// Does advice rank, bound, place and explain what rules match?
#include "advise/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "advise/case/trust.h"
#include "advised.h"

namespace burin::advise {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// A rule that matches as it is told.
class Told final : public Rule {
 public:
  Told(std::string id, std::vector<Match> matches)
      : id_(std::move(id)), matches_(std::move(matches)) {}
  std::string_view id() const override { return id_; }
  std::string_view summary() const override { return "what the test says"; }
  std::vector<Match> match(const Case&) const override { return matches_; }

 private:
  std::string id_;
  std::vector<Match> matches_;
};

// A profile of 100 samples over a real kernel: so many at each of the first instructions.
class Advising : public testing::Test {
 protected:
  Advising() : launch_("heat_tile/odd") {}

  BlamedProfile samples(const std::vector<double>& stalls, double scale = 1) const {
    BlamedProfile profile;
    profile.issued.assign(launch_.study().kernel().instructions.size(), 0);
    profile.total = 100 * scale;
    double sum = 0;
    for (std::uint32_t s = 0; s < stalls.size(); ++s) {
      profile.stalls.push_back({.cause = s,
                                .waits = s + 1,
                                .stall = launch::Stall::kLongScoreboard,
                                .dependency = Dependency::kGlobalMemory,
                                .cycles = {.active = 0, .latency = stalls[s] * scale},
                                .distance = 1});
      sum += stalls[s];
    }
    profile.issued[0] = profile.active = (100 - sum) * scale;
    return profile;
  }
  Advice ask(const BlamedProfile& profile, const std::vector<Told>& rules) const {
    const Case base = launch_.launch_case();
    const Case c{.kernel = base.kernel, .machine = base.machine, .blamed = profile};
    AdviseOptions options;
    for (const Told& rule : rules) {
      options.only.emplace_back(rule.id());
      options.more.push_back(&rule);
    }
    return advise(c, options);
  }
  static Match all_of(std::uint32_t first, std::uint32_t count) {
    Match match;
    for (std::uint32_t s = first; s < first + count; ++s) match.stalls.push_back({.stall = s});
    return match;
  }

  Advised launch_;
};

TEST_F(Advising, RanksTheLargestFirstAndDropsWhatIsUnderOnePercent) {
  const Advice advice =
      ask(samples({30, 20, 0.9}),
          {{"small", {all_of(1, 1)}}, {"large", {all_of(0, 1)}}, {"none", {all_of(2, 1)}}});
  ASSERT_THAT(advice.findings, SizeIs(2));
  EXPECT_EQ(advice.findings[0].rule, "large");
  EXPECT_NEAR(advice.findings[0].speedup, 100.0 / 70, 1e-9);
  EXPECT_EQ(advice.findings[1].rule, "small");
  EXPECT_NEAR(advice.findings[1].share, 0.2, 1e-9);
}

TEST_F(Advising, ShowsFiveHotspotsAndHowMuchTheyCover) {
  const Advice advice = ask(samples({10, 9, 8, 7, 6, 5, 4, 1}), {{"spread", {all_of(0, 8)}}});
  ASSERT_THAT(advice.findings, SizeIs(1));
  const Finding& found = advice.findings[0];
  ASSERT_THAT(found.hotspots, SizeIs(5));
  EXPECT_EQ(found.spread, 8u);
  EXPECT_NEAR(found.coverage, 40.0 / 50, 1e-9);
  EXPECT_NEAR(found.hotspots[0].share, 0.1, 1e-9);
  EXPECT_NEAR(found.hotspots[0].speedup, 100.0 / 90, 1e-9);
  EXPECT_EQ(found.cause, 0u);
  EXPECT_EQ(found.where, 1u);
  EXPECT_FALSE(found.hotspots[0].function.empty());
}

TEST_F(Advising, SaysWhatOverlaps) {
  const Advice advice = ask(samples({30, 20, 10}),
                            {{"a", {all_of(0, 2)}}, {"b", {all_of(1, 1)}}, {"c", {all_of(2, 1)}}});
  ASSERT_THAT(advice.findings, SizeIs(3));
  EXPECT_THAT(find(advice, "a")->overlaps, testing::ElementsAre("b"));
  EXPECT_THAT(find(advice, "b")->overlaps, testing::ElementsAre("a"));
  EXPECT_TRUE(find(advice, "c")->overlaps.empty());
}

TEST_F(Advising, TellsWhenSamplesAreFew) {
  const Advice few = ask(samples({30}), {{"a", {all_of(0, 1)}}});
  EXPECT_THAT(few.notes, Contains(HasSubstr("only 100 samples: record 901 more")));
  const Advice many = ask(samples({30}, 1000), {{"a", {all_of(0, 1)}}});
  EXPECT_TRUE(many.notes.empty());
  EXPECT_GT(many.findings[0].confidence, few.findings[0].confidence);
  EXPECT_THAT(many.findings[0].trust, HasSubstr("the launch cannot be emulated"));
}

// The launch without its loads: there is less to wait for.
Match without_loads(const Case& c) {
  Match match;
  analyze::Edit gone{.kind = analyze::Edit::Kind::kSkipped,
                     .instructions = read::InstructionSet(c.size())};
  for (std::uint32_t s = 0; s < c.blamed.stalls.size(); ++s) {
    if (c.blamed.stalls[s].dependency == Dependency::kGlobalMemory) match.stalls.push_back({s});
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (c.at(i).mnemonic() == "LDG") gone.instructions[i] = 1;
  }
  match.edits = {gone};
  match.relieves = {machine::Resource::kDram, machine::Resource::kL2, machine::Resource::kL1,
                    machine::Resource::kLsu, machine::Resource::kIssue};
  return match;
}

TEST_F(Advising, EmulatesAgainWhereItCan) {
  const Case c = launch_.launch_case();
  const Told rule("loads", {without_loads(c)});
  const Advice advice = advise(c, {.only = {"loads"}, .more = {&rule}});
  ASSERT_THAT(advice.findings, SizeIs(1));
  ASSERT_TRUE(advice.findings[0].speedup_emulated);
  EXPECT_GT(*advice.findings[0].speedup_emulated, 1.05);
  EXPECT_EQ(advice.findings[0].speedup, *advice.findings[0].speedup_emulated);
  EXPECT_THAT(advice.findings[0].trust, HasSubstr("the re-emulated estimate"));
}

TEST_F(Advising, FindingsEndWithTheCommandThatChecksTheChange) {
  const Case c = launch_.launch_case();
  const std::string as_now = shape_options(c.grid, c.block);
  Match same = without_loads(c);
  Match other = same;
  other.check = "--grid 7 --block 64";
  Match unknown = same;
  unknown.edits.push_back({.kind = analyze::Edit::Kind::kFewerBlocks, .value = 0.5});
  const auto hint_of = [&](const Match& match) {
    const Told rule("loads", {match});
    return advise(c, {.only = {"loads"}, .more = {&rule}, .least = 0}).findings.at(0).hint;
  };
  EXPECT_THAT(hint_of(same), HasSubstr("`burin predict NEW.cu --kernel heat_tile " + as_now + "`"));
  EXPECT_THAT(hint_of(other), HasSubstr("--kernel heat_tile --grid 7 --block 64`"));
  EXPECT_THAT(hint_of(unknown), Not(HasSubstr("burin predict")));
}

TEST_F(Advising, WithoutTimeToEmulateTheEquationsTellAndTheReaderKnows) {
  const Case c = launch_.launch_case();
  const Match match = without_loads(c);
  const Told rule("loads", {match, match, match});
  const Advice advice =
      advise(c, {.only = {"loads"}, .more = {&rule}, .go_on = [](std::size_t begun, std::size_t) {
                   return begun < 1;
                 }});
  ASSERT_THAT(advice.findings, SizeIs(3));
  const auto emulated = std::ranges::count_if(
      advice.findings, [](const Finding& f) { return f.speedup_emulated.has_value(); });
  EXPECT_EQ(emulated, 1);
  for (const Finding& f : advice.findings) {
    EXPECT_EQ(f.trust.find("no time left to re-emulate") == std::string::npos,
              f.speedup_emulated.has_value())
        << f.trust;
  }
  EXPECT_THAT(advice.notes, Contains(HasSubstr("no time left to re-emulate 2 changes")));
}

TEST(Advice, BoundsThatTheMeasuredTimeRefutesAreNotHeldAgainstIt) {
  const Advised launch("heat_tile/odd");
  Case c = launch.launch_case();
  const double predicted = launch.study().base().time_us;
  EXPECT_TRUE(emulation_trust(c).yes);
  const LaunchFacts believed = launch_facts_of(c);
  EXPECT_DOUBLE_EQ(believed.time_us, predicted);
  ASSERT_FALSE(believed.bounds.empty());
  c.time_measured = true;
  c.time_us = believed.bounds[0].time_us / 2;
  EXPECT_THAT(emulation_trust(c).why, HasSubstr("longer than the measured time"));
  const LaunchFacts refuted = launch_facts_of(c);
  EXPECT_DOUBLE_EQ(refuted.time_us, *c.time_us);
  EXPECT_LT(refuted.bounds.size(), believed.bounds.size());
  for (const analyze::Bound& bound : refuted.bounds) EXPECT_LE(bound.time_us, *c.time_us);
}

TEST(Advice, BoundsAreHeldAgainstTheMeasuredTimeThatAgrees) {
  const Advised launch("heat_tile/odd");
  Case c = launch.launch_case();
  c.time_measured = true;
  c.time_us = 1.1 * launch.study().base().time_us;
  const LaunchFacts grounds = launch_facts_of(c);
  EXPECT_TRUE(grounds.emulation);
  EXPECT_DOUBLE_EQ(grounds.time_us, *c.time_us);
}

TEST(Advice, WhatTheFullestSmIsBusyWithHoldsNoFairerSharesDown) {
  const LaunchFacts grounds{
      .bounds = {{"tail", 95}, {"issue", 50}}, .busy = {{"issue", 99}}, .time_us = 100};
  Match match;
  EXPECT_NEAR(speedup_cap(grounds, match)->speedup, 100.0 / 99, 1e-9);
  match.evens_sms = true;
  EXPECT_NEAR(speedup_cap(grounds, match)->speedup, 2, 1e-9);
}

TEST_F(Advising, WhereEmulationAndMeasurementDisagreeTheGainIsBetweenBothEstimates) {
  const BlamedProfile profile = samples({40});
  const Case base = launch_.launch_case();
  const double predicted = launch_.study().base().time_us;
  const Case c{.kernel = base.kernel,
               .machine = base.machine,
               .blamed = profile,
               .time_us = 2 * predicted,
               .time_measured = true,
               .study = base.study};
  LaunchFacts grounds{.emulation = false, .why = "times differ", .samples = 1000};
  Finding finding{.rule = "told", .speedup_paper = 3, .speedup_emulated = 1.5};
  settle(c, grounds, {}, finding);
  // Of the factor of two, the 1.2 that the emulator may be off by stay.
  EXPECT_NEAR(finding.speedup, std::sqrt(3 * 1.5 * 2 / 1.2), 1e-9);
  EXPECT_THAT(finding.trust, HasSubstr("the geometric mean of both estimates"));
  grounds.emulation = true;
  settle(c, grounds, {}, finding);
  EXPECT_NEAR(finding.speedup, 1.5 * 2 / 1.2, 1e-9);
}

TEST(Advice, NearTheRooflineNothingIsWorthMuch) {
  const Advised triad("stream", "triad",
                      {.grid = {1056},
                       .block = {256},
                       .arguments = {"buf:80000000:undef", "buf:80000000:f64", "buf:80000000:f64",
                                     "f64:0.75", "i32:10000000"}});
  for (const Finding& found : triad.advice().findings) {
    EXPECT_LE(found.speedup, 1.1) << found.rule << ": " << found.text;
  }
}

}  // namespace
}  // namespace burin::advise
