// Do the paper's rules find what they are for, in kernels that have it, and say what to change?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "advise/patterns/code/call_site.h"
#include "advise/patterns/code/math_call.h"
#include "advise/rules/all.h"
#include "advised.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

// What one rule says, alone.
std::vector<Match> matches(const Advised& launch, std::string_view id) {
  const Case c = launch.launch_case();
  for (const Rule* rule : rules()) {
    if (rule->id() == id) return rule->match(c);
  }
  ADD_FAILURE() << "no rule " << id;
  return {};
}

const Match& only(const std::vector<Match>& all) {
  EXPECT_EQ(all.size(), 1u);
  static const Match kNone;
  return all.empty() ? kNone : all[0];
}

std::size_t edited(const Match& match, analyze::Edit::Kind kind) {
  std::size_t count = 0;
  for (const analyze::Edit& e : match.edits) {
    if (e.kind == kind) count += static_cast<std::size_t>(std::ranges::count(e.instructions, 1));
  }
  return count;
}

TEST(PaperRules, FindIntegerDivisions) {
  const Advised divide("divide_32/odd");
  const Match match = only(matches(divide, "strength-reduction"));
  EXPECT_THAT(match.text, HasSubstr("Integer division"));
  EXPECT_GT(edited(match, analyze::Edit::Kind::kShare), 20u);
  EXPECT_THAT(match.hint, HasSubstr("data that differs between threads"));
  EXPECT_TRUE(matches(Advised("copy/odd"), "strength-reduction").empty());
}

TEST(PaperRules, FindPreciseFunctions) {
  const Match match = only(matches(Advised("black_scholes/odd"), "fast-math"));
  EXPECT_THAT(match.text, HasSubstr("precise version"));
  EXPECT_THAT(match.hint, HasSubstr("--use_fast_math"));
  EXPECT_GT(edited(match, analyze::Edit::Kind::kShare), 20u);
  // Roots and quotients alone need no more than their own flags.
  const Match roots = only(matches(
      Advised("relax_cloth", "relax_cloth",
              {.grid = {32, 128},
               .block = {32, 8},
               .arguments = {"buf:16908544:f32", "buf:16908544:f32", "buf:16908544:undef",
                             "hex:000400000004000004040000cdcc4c3d0ad7233c0ad7a33c6f12833a"}}),
      "fast-math"));
  EXPECT_THAT(roots.hint, HasSubstr("compile with -prec-sqrt=false -prec-div=false."));
  EXPECT_THAT(roots.hint, Not(HasSubstr("--use_fast_math")));
  EXPECT_TRUE(matches(Advised("copy/odd"), "fast-math").empty());
}

TEST(PaperRules, FindLocalMemory) {
  const Advised sort("local_sort/odd");
  const Match match = only(matches(sort, "register-reuse"));
  EXPECT_THAT(match.hint, HasSubstr("indexed by a value unknown at compile time"));
  EXPECT_GT(edited(match, analyze::Edit::Kind::kSkipped), 2u);
  EXPECT_TRUE(matches(Advised("copy/odd"), "register-reuse").empty());
}

TEST(PaperRules, RegistersThatAreFreeAgainLoadAhead) {
  const Advised tiles("product_tiles", "product_tiles",
                      {.grid = {4, 4},
                       .block = {128},
                       .arguments = {"buf:131072:f32", "buf:262144:f32", "buf:524288:undef",
                                     "i32:256", "i32:512", "i32:128"}});
  const Match match = only(matches(tiles, "register-reuse"));
  EXPECT_GT(edited(match, analyze::Edit::Kind::kHidden), 40u);
  // Stores to an array are choices then, and there is nothing to load ahead.
  const Match array = only(matches(Advised("local_sort/odd"), "register-reuse"));
  EXPECT_GT(edited(array, analyze::Edit::Kind::kRetyped), 0u);
  EXPECT_EQ(edited(array, analyze::Edit::Kind::kHidden), 0u);
}

TEST(PaperRules, WhereDataIndexesAnArrayEachPlaceIsAsked) {
  const Advised reads("read_composition", "read_composition",
                      {.grid = {132},
                       .block = {128},
                       .arguments = {"buf:675840:int:4294967296", "buf:64:f32", "buf:67584:undef",
                                     "buf:67584:undef", "i32:16896", "i32:10"}});
  const Match match = only(matches(reads, "register-reuse"));
  const auto asked =
      std::ranges::find_if(match.edits, [](const analyze::Edit& e) { return e.value > 1; });
  ASSERT_NE(asked, match.edits.end());
  EXPECT_EQ(asked->kind, analyze::Edit::Kind::kRetyped);
  EXPECT_EQ(asked->value, 2 * 16);  // is it this one, and one more if so
  EXPECT_GE(std::ranges::count(asked->instructions, 1), 16);
}

TEST(PaperRules, FloatsDividedByWhatALoopKeepsAreMultiplied) {
  const Advised neurons("fire_neurons", "fire_neurons",
                        {.grid = {132},
                         .block = {256},
                         .arguments = {"buf:135168:f32", "buf:135168:f32", "buf:135168:undef",
                                       "buf:135168:f32", "i32:33792", "i32:32", "f32:0.05",
                                       "f32:1.1", "f32:12.5", "f32:3", "f32:0.7"}});
  const Match match = only(matches(neurons, "strength-reduction"));
  EXPECT_THAT(match.text, HasSubstr("float divisions"));
  EXPECT_THAT(match.hint, HasSubstr("before the loop"));
  // Four divisions, in four copies of the loop: the check, the reciprocal, two steps, the rest.
  EXPECT_GE(edited(match, analyze::Edit::Kind::kSkipped), 4u * 4 * 5);
}

TEST(PaperRules, FloatsDividedByOneValueAreMultiplied) {
  const Advised cloth("relax_cloth", "relax_cloth",
                      {.grid = {32, 16},
                       .block = {32, 8},
                       .arguments = {"buf:16908544:f32", "buf:16908544:f32", "buf:16908544:undef",
                                     "hex:000400000004000004040000cdcc4c3d0ad7233c0ad7a33c"
                                     "6f12833a"}});
  const Match match = only(matches(cloth, "strength-reduction"));
  EXPECT_THAT(match.text, HasSubstr("a repeated divisor"));
  EXPECT_THAT(match.hint, HasSubstr("before the first division"));
  // Of three divisions by a length the first stays, for each of 24 neighbours.
  std::ptrdiff_t checks = 0;
  const Case c = cloth.launch_case();
  for (const analyze::Edit& e : match.edits) {
    for (std::uint32_t i = 0; i < c.size() && e.kind == analyze::Edit::Kind::kSkipped; ++i) {
      if (e.instructions[i] != 0 && c.at(i).mnemonic() == "FCHK") ++checks;
    }
  }
  EXPECT_EQ(checks, 2 * 24);
}

TEST(PaperRules, LoopsAroundUnrolledOnesLoadAhead) {
  const Advised fits("harmonic_fits", "harmonic_fits",
                     {.grid = {132},
                      .block = {128},
                      .arguments = {"buf:6488064:f32", "buf:3072:f32", "buf:144:f32",
                                    "buf:540672:undef", "hex:004200006000000008000000cdcccc3d"}});
  const Match match = only(matches(fits, "register-reuse"));
  EXPECT_GT(edited(match, analyze::Edit::Kind::kEarlier), 0u);
  // Each of them alone, by so much of its latency as three of four iterations no more wait for.
  for (const analyze::Edit& e : match.edits) {
    if (e.kind != analyze::Edit::Kind::kEarlier) continue;
    EXPECT_EQ(std::ranges::count(e.instructions, 1), 1);
    EXPECT_GT(e.value, 0.5 * fits.study().machine().l1.latency);
    EXPECT_LT(e.value, fits.study().machine().dram.latency);
  }
}

TEST(PaperRules, LoadsThatStoresHoldBackAreMovedByHand) {
  const Advised tracks("filter_tracks", "filter_tracks",
                       {.grid = {264},
                        .block = {128},
                        .arguments = {"buf:17301504:f32", "buf:34603008:undef", "i32:33792",
                                      "i32:32", "hex:cdcccc3d0ad7233ccdcc4c3e00001041"}});
  const Advice advice = tracks.advice({.only = {"code-reordering"}});
  ASSERT_EQ(advice.findings.size(), 1u);
  EXPECT_GT(*advice.findings[0].speedup_emulated, 1.15);
}

TEST(PaperRules, TheReciprocalOfARootIsOneFunction) {
  const Advised surface("shade_surface", "shade_surface",
                        {.grid = {8, 16},
                         .block = {32, 8},
                         .arguments = {"buf:262144:f32", "buf:131072:f32", "buf:128:f32",
                                       "buf:131072:undef", "i32:256", "i32:128", "i32:8"}});
  std::map<std::string_view, int> calls;
  for (const MathCall& call : math_calls(surface.launch_case())) ++calls[call.name];
  EXPECT_EQ(calls["1 / sqrtf"], 3);  // for the normal, and for two directions in the loop
  EXPECT_EQ(calls["sqrtf"], 0);
  EXPECT_EQ(calls["powf"], 2);
}

TEST(PaperRules, ABranchBehindEachCopyKeepsAnUnrolledLoopWaiting) {
  const Advised view("sky_view", "sky_view",
                     {.grid = {8, 64},
                      .block = {32, 4},
                      .arguments = {"buf:802816:f32", "buf:262144:undef", "i32:256", "i32:256",
                                    "i32:448", "f32:90"}});
  const Match match = only(matches(view, "loop-unrolling"));
  EXPECT_GT(edited(match, analyze::Edit::Kind::kHidden), 100u);
}

TEST(PaperRules, DivisionsThatAreCalledLoseTheirCalls) {
  const Advised query("bloom_query", "bloom_query",
                      {.grid = {132},
                       .block = {128},
                       .arguments = {"buf:67584:int:4294967296", "buf:32768:u8", "buf:16896:undef",
                                     "u64:262144", "i32:16896"}});
  const Match match = only(matches(query, "strength-reduction"));
  // Eight of them: the call, the way around it, the test and the moves.
  EXPECT_GT(edited(match, analyze::Edit::Kind::kSkipped), 8u * 6);
}

TEST(PaperRules, ALoopsCounterNeedsNoDivision) {
  const Advised dilated("dilate_heights", "dilate_heights",
                        {.grid = {32, 128},
                         .block = {32, 8},
                         .arguments = {"buf:4284896:f32", "buf:484:f32", "buf:4194304:undef",
                                       "hex:00040000000400000c040000", "i32:11", "f32:-1"}});
  const Match match = only(matches(dilated, "strength-reduction"));
  EXPECT_THAT(match.hint, HasSubstr("two nested loops"));
  const Advice advice = dilated.advice({.only = {"strength-reduction"}});
  ASSERT_EQ(advice.findings.size(), 1u);
  EXPECT_GT(*advice.findings[0].speedup_emulated, 2.5);
  // What each thread divides once, in no loop, is divided by what it has loaded.
  EXPECT_THAT(only(matches(Advised("divide_32/odd"), "strength-reduction")).hint,
              HasSubstr("compare and subtract instead"));
}

TEST(PaperRules, InliningFreesTheNumbersAroundACall) {
  const Advised volumes("molar_volumes", "molar_volumes",
                        {.grid = {132},
                         .block = {128},
                         .arguments = {"buf:67584:f32", "buf:67584:f32", "buf:67584:undef",
                                       "i32:16896", "i32:16", "f32:15.6", "f32:0.02"}});
  const Match match = only(matches(volumes, "function-inlining"));
  const Case c = volumes.launch_case();
  std::map<std::string_view, int> gone;
  for (const analyze::Edit& e : match.edits) {
    if (e.kind != analyze::Edit::Kind::kSkipped) continue;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (e.instructions[i] != 0) ++gone[c.at(i).mnemonic()];
    }
  }
  EXPECT_GT(gone["HFMA2"], 2);  // numbers
  EXPECT_GT(gone["ULDC"], 2);   // a parameter, for each copy of the loop
  EXPECT_EQ(gone["FFMA"], 0);
}

TEST(PaperRules, WhatIsFetchedAheadAlreadyIsNotMovedAgain) {
  const Advised orbits("kepler_orbits", "kepler_orbits",
                       {.grid = {264},
                        .block = {128},
                        .arguments = {"buf:2162688:f32", "buf:2162688:f32", "buf:135168:undef",
                                      "i32:33792", "i32:16"}});
  const Advice advice = orbits.advice({.only = {"code-reordering"}});
  ASSERT_EQ(advice.findings.size(), 1u);
  EXPECT_LT(*advice.findings[0].speedup_emulated, 1.8);
}

TEST(PaperRules, FindCalls) {
  const Match match = only(matches(Advised("call_chain/odd"), "function-inlining"));
  EXPECT_THAT(match.hint, HasSubstr("__forceinline__"));
  EXPECT_THAT(match.text, HasSubstr("trunk"));
  EXPECT_TRUE(matches(Advised("copy/odd"), "function-inlining").empty());
}

TEST(PaperRules, InliningPointsIntoTheFunctionNotAtALoadAround) {
  const Advised hashes("hash_words", "hash_words",
                       {.grid = {132},
                        .block = {128},
                        .arguments = {"buf:270336:int:4294967296", "buf:67584:undef",
                                      "buf:67584:undef", "i32:16896", "i32:4"}});
  const Match match = only(matches(hashes, "function-inlining"));
  const Case c = hashes.launch_case();
  ASSERT_NE(match.where, read::kNoIndex);
  const bool around =
      c.at(match.where).opcode->flow == read::Opcode::kCall || is_move(c.at(match.where));
  EXPECT_TRUE(c.places.function_of(match.where) != 0 || around);
}

TEST(PaperRules, FindBarriers) {
  const Match match = only(matches(Advised("sum_shared/odd"), "warp-balance"));
  EXPECT_THAT(match.text, HasSubstr("barrier"));
  EXPECT_GT(edited(match, analyze::Edit::Kind::kNoBarrierWait), 0u);
  EXPECT_TRUE(matches(Advised("copy/odd"), "warp-balance").empty());
}

// One block for each SM, whose warps pass `file`'s reactions so many times.
Advised reactions(const std::string& file, int times) {
  return Advised(file, "reaction_rates",
                 {.grid = {132},
                  .block = {128},
                  .arguments = {"buf:2162688:f32", "buf:2162688:undef", "i32:16896",
                                "i32:" + std::to_string(times)}});
}

TEST(PaperRules, FindLoopsLargerThanTheInstructionCache) {
  const Advised large = reactions("reaction_rates", 4);
  const Match match = only(matches(large, "function-split"));
  EXPECT_THAT(match.text, HasSubstr("63 %"));
  EXPECT_THAT(match.text, HasSubstr("80.55 KiB"));
  EXPECT_THAT(match.text, HasSubstr("32 KiB"));
  EXPECT_THAT(match.hint, HasSubstr("#pragma unroll 1"));
  // All waits for a fetch, and no others; where each is fetched at once, they are gone.
  const std::vector<BlamedStall>& stalls = large.blamed().stalls;
  const auto fetches =
      std::ranges::count(stalls, launch::Stall::kNoInstruction, &BlamedStall::stall);
  EXPECT_GT(fetches, 100);
  EXPECT_EQ(std::ssize(match.stalls), fetches);
  for (const MatchedStall& m : match.stalls) {
    EXPECT_EQ(stalls[m.stall].stall, launch::Stall::kNoInstruction);
  }
  EXPECT_EQ(edited(match, analyze::Edit::Kind::kFetched), large.launch_case().size());
  EXPECT_THAT(match.relieves, testing::ElementsAre(machine::Resource::kFetch));
  const Advice advice = large.advice({.only = {"function-split"}});
  ASSERT_EQ(advice.findings.size(), 1u);
  EXPECT_GT(*advice.findings[0].speedup_emulated, 1.7);
}

// Loops that fit are fetched once: little is lost in a long run, and none of it to their size.
TEST(PaperRules, LoopsThatFitTheInstructionCacheNeedNotBeSplit) {
  const Advised split = reactions("reaction_rates_fixed", 32);
  const Match match = only(matches(split, "function-split"));
  EXPECT_THAT(match.text, HasSubstr("20.55 KiB"));
  EXPECT_THAT(match.hint, testing::Not(HasSubstr("#pragma unroll 1")));
  const Advice advice = split.advice({.only = {"function-split"}});
  ASSERT_EQ(advice.findings.size(), 1u);
  EXPECT_LT(*advice.findings[0].speedup_emulated, 1.15);
}

// Code outside of loops is passed once, so its size is that of the whole kernel.
TEST(PaperRules, CodeThatIsPassedOnceIsFetchedWhole) {
  const Advised once("stream", "saxpy",
                     {.grid = {132},
                      .block = {128},
                      .arguments = {"f32:2", "buf:67584:f32", "buf:67584:f32", "i32:16896"}});
  const Match match = only(matches(once, "function-split"));
  EXPECT_THAT(match.text, HasSubstr("the kernel"));
  EXPECT_THAT(match.hint, HasSubstr("__noinline__"));
}

TEST(PaperRules, UnrollWhatWaitsForItsOwnLoads) {
  const Advised sum("sum_shared/large");
  const Match match = only(matches(sum, "loop-unrolling"));
  EXPECT_EQ(match.estimator, Estimator::kHide);
  // It has one load, but too few iterations to be unrolled further.
  EXPECT_THAT(match.hint, HasSubstr("Write out 2 iterations"));
  for (const MatchedStall& m : match.stalls) {
    EXPECT_NE(m.scope, read::kNoIndex);
    EXPECT_LE(m.weight, 1 - 1.0 / 2);
  }
  // A list is followed one element after the other, however often the loop is written out.
  const Advised climb("climb/odd");
  for (const Match& m : matches(climb, "loop-unrolling")) {
    for (const MatchedStall& s : m.stalls) {
      EXPECT_NE(climb.blamed().stalls[s.stall].dependency, Dependency::kGlobalMemory);
    }
  }
}

// A copy by so few or so small blocks.
Advised copy_by(std::uint32_t grid, std::uint32_t block) {
  return Advised("stream", "copy",
                 {.grid = {grid},
                  .block = {block},
                  .arguments = {"buf:4000000:f32", "buf:4000000:undef", "i32:1000000"}});
}

TEST(PaperRules, WantABlockForEverySm) {
  const Advised few = copy_by(16, 256);
  const Match match = only(matches(few, "block-increase"));
  EXPECT_THAT(match.text, HasSubstr("16 blocks for 132 SMs"));
  ASSERT_TRUE(match.launch);
  EXPECT_GE(match.launch->grid.total(), 132u);
  const Advice advice = few.advice({.only = {"block-increase"}});
  ASSERT_EQ(advice.findings.size(), 1u);
  EXPECT_GT(advice.findings[0].speedup, 2);
  EXPECT_EQ(advice.findings[0].where, read::kNoIndex);
  EXPECT_THAT(only(matches(copy_by(132, 256), "block-increase")).text,
              HasSubstr("8 of 64 warps per SM"));
  EXPECT_TRUE(matches(copy_by(132 * 8, 256), "block-increase").empty());
}

TEST(PaperRules, WantBlocksThatFillAnSm) {
  const Advised small = copy_by(132 * 64, 32);
  const Match match = only(matches(small, "thread-increase"));
  EXPECT_THAT(match.text, HasSubstr("32 of its 64 warps"));
  EXPECT_GT(match.warps, 8);
  // A launch of another shape is emulated whole: no equation holds it down.
  const Advice advice = small.advice({.only = {"thread-increase"}});
  ASSERT_EQ(advice.findings.size(), 1u);
  EXPECT_DOUBLE_EQ(*advice.findings[0].speedup_emulated, *match.emulated);
  EXPECT_TRUE(matches(copy_by(132 * 8, 256), "thread-increase").empty());
  // Half a warp is half idle, however many there are.
  EXPECT_THAT(only(matches(copy_by(64, 16), "thread-increase")).text,
              HasSubstr("50 % of the lanes"));
}

}  // namespace
}  // namespace burin::advise
