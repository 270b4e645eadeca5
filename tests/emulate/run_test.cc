// Does a whole grid run to its end, is every instruction counted and told, and is it the same for
// any number of workers?
#include "emulate/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "emulate/launched.h"
#include "emulate/state/block.h"

namespace burin::emulate {
namespace {

// Keeps what it is told.
class Recorder : public Listener {
 public:
  struct Told {
    std::uint64_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t instruction = 0;
    Mask active = 0, exec = 0, taken = 0;
    std::vector<Access> accesses;
  };

  void block_started(const Block& block) override {
    started.push_back(block.linear);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // others would come in between
  }
  void executed(const Event& event) override {
    told.push_back({.block = event.warp->block->linear,
                    .warp = event.warp->index,
                    .instruction = event.instruction,
                    .active = event.active,
                    .exec = event.exec,
                    .taken = event.taken,
                    .accesses = {event.accesses, event.accesses + event.access_count}});
    threads.insert(std::this_thread::get_id());
  }
  void block_ended(const Block& block) override { ended.push_back(block.linear); }

  std::vector<Told> told;
  std::vector<std::uint64_t> started, ended;
  std::set<std::thread::id> threads;
};

Launched::Shape scale_shape(Listener* listener = nullptr) {
  Launched::Shape shape{
      .grid = {3}, .block = {48}, .arguments = {"buf:1K:f32", "buf:1K:zero", "i32:100", "f32:0.5"}};
  shape.options.listener = listener;
  return shape;
}

Launched::Shape mixed_shape(unsigned threads) {
  Launched::Shape shape{
      .grid = {6},
      .block = {80},
      .arguments = {"buf:4K:int:5000", "buf:128:zero", "buf:8:zero", "buf:4K:zero", "u32:1000"}};
  shape.options.threads = threads;
  return shape;
}

TEST(EmulateRun, EveryInstructionIsToldOnce) {
  Recorder recorder;
  Launched::Shape shape = mixed_shape(4);
  shape.options.listener = &recorder;
  const Launched run("grid", "mixed", shape);
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(recorder.told.size(), run.run().executed());
  std::vector<InstructionCount> counts(run.run().counts.size());
  for (const Recorder::Told& t : recorder.told) {
    ++counts[t.instruction].warps;
    counts[t.instruction].lanes += static_cast<std::uint64_t>(std::popcount(t.exec & t.active));
    EXPECT_EQ(t.taken & ~t.active, 0u);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(counts[i].warps, run.run().counts[i].warps) << "instruction " << i;
    EXPECT_EQ(counts[i].lanes, run.run().counts[i].lanes) << "instruction " << i;
  }
  EXPECT_THAT(recorder.started, testing::ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(recorder.ended, recorder.started);
  EXPECT_EQ(recorder.threads.size(), 1u) << "one worker where somebody listens";
}

TEST(EmulateRun, AccessesAreToldWithTheirAddresses) {
  Recorder recorder;
  const Launched run("grid", "scale", scale_shape(&recorder));
  ASSERT_EQ(run.error(), "");
  std::map<std::string_view, Mask> lanes;  // per mnemonic, those of block 2 warp 0
  for (const Recorder::Told& t : recorder.told) {
    const std::string_view mnemonic = run.kernel().instructions[t.instruction].mnemonic();
    const bool load = mnemonic == "LDG", store = mnemonic == "STG";
    if (!load && !store) {
      EXPECT_TRUE(t.accesses.empty()) << mnemonic;
      continue;
    }
    ASSERT_EQ(t.accesses.size(), 1u);
    const Access& access = t.accesses[0];
    EXPECT_EQ(access.space, read::Space::kGlobal);
    EXPECT_EQ(access.load, load);
    EXPECT_EQ(access.store, store);
    EXPECT_FALSE(access.atomic);
    EXPECT_EQ(access.bytes, 4u);
    EXPECT_EQ(access.unknown, 0u);
    EXPECT_EQ(access.lanes, t.exec);
    for_each_lane(access.lanes, [&](unsigned lane) {
      const std::uint64_t i = 48 * t.block + 32 * t.warp + lane;
      EXPECT_EQ(access.address[lane], run.run().buffers[load ? 0 : 1] + 4 * i);
    });
    if (t.block == 2 && t.warp == 0) lanes[mnemonic] = access.lanes;
  }
  EXPECT_EQ(lanes["LDG"], 0xfu) << "elements 96 to 99";
  EXPECT_EQ(lanes["STG"], 0xfu);
  EXPECT_EQ(run.count("LDG").lanes, 100u);
}

TEST(EmulateRun, TakenBranchesAreTold) {
  Recorder recorder;
  Launched::Shape shape{.block = {32}, .arguments = {"buf:256:zero"}};
  shape.options.listener = &recorder;
  const Launched run("split", "sides", shape);
  ASSERT_EQ(run.error(), "");
  const auto first =
      std::ranges::find_if(recorder.told, [](const Recorder::Told& t) { return t.taken != 0; });
  ASSERT_NE(first, recorder.told.end());
  EXPECT_EQ(run.kernel().instructions[first->instruction].mnemonic(), "BRA");
  EXPECT_EQ(first->active, kAllLanes);
  EXPECT_THAT(first->taken, testing::AnyOf(0x55555555u, 0xaaaaaaaau)) << "even lanes, or odd ones";
  const auto after = std::next(first);
  EXPECT_THAT(after->active, testing::AnyOf(first->taken, kAllLanes & ~first->taken));
}

// A side that goes on for long lets the other run, for that may be what it waits for.
TEST(EmulateRun, SidesOfABranchTakeTurns) {
  Recorder recorder;
  Launched::Shape shape{.block = {32}, .arguments = {"buf:256:zero", "i32:300", "i32:300"}};
  shape.options.listener = &recorder;
  const Launched run("split", "marches", shape);
  ASSERT_EQ(run.error(), "");
  std::size_t turns = 0;
  for (std::size_t i = 1; i < recorder.told.size(); ++i)
    turns += recorder.told[i].active == ~recorder.told[i - 1].active ? 1 : 0;
  EXPECT_GT(turns, 4u);
}

TEST(EmulateRun, CountsAreConserved) {
  const Launched run("grid", "mixed", mixed_shape(1));
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.run().blocks, 6u);
  EXPECT_EQ(run.run().warps, 6u * 3);
  EXPECT_EQ(run.run().counts[0].warps, 6u * 3) << "every warp begins once";
  EXPECT_EQ(run.run().counts[0].lanes, 6u * 80);
  EXPECT_EQ(run.count("EXIT").lanes, 6u * 80) << "every thread ends once";
  std::uint64_t sum = 0;
  std::map<std::uint32_t, std::uint64_t> lines;
  for (std::uint32_t i = 0; i < run.run().counts.size(); ++i) {
    const InstructionCount& c = run.run().counts[i];
    sum += c.warps;
    lines[run.line_of(i)] += c.warps;
    EXPECT_LE(c.lanes, 32 * c.warps);
    EXPECT_LE(c.divergent, c.warps);
  }
  EXPECT_EQ(sum, run.run().executed());
  std::uint64_t of_lines = 0;
  for (const auto& [line, warps] : lines) of_lines += warps;
  EXPECT_EQ(of_lines, sum);
  EXPECT_GT(lines[run.line("v & 1 ? 3 * v + 1")], sum / 4) << "the inner loop";
}

TEST(EmulateRun, TheNumberOfWorkersChangesNothing) {
  const Launched one("grid", "mixed", mixed_shape(1)), two("grid", "mixed", mixed_shape(2));
  ASSERT_EQ(one.error(), "");
  ASSERT_EQ(two.error(), "");
  const std::vector<std::uint32_t> in = one.given(0);
  std::vector<std::uint32_t> bins(32);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    std::uint32_t v = in[i], steps = 0;
    for (; v > 1 && steps < 40; ++steps) v = v % 2 == 1 ? 3 * v + 1 : v / 2;
    ++bins[steps & 31];
    total += std::uint64_t{steps} * v;
    const std::uint32_t expected = steps > 10 ? in[i] / (steps - 9) : steps;
    EXPECT_EQ(one.word(3, i), expected) << "element " << i;
    EXPECT_EQ(two.word(3, i), expected) << "element " << i;
  }
  EXPECT_EQ(one.words(1, 0, 32), Words(bins.begin(), bins.end()));
  EXPECT_EQ(two.words(1, 0, 32), Words(bins.begin(), bins.end()));
  EXPECT_EQ(one.word(2, 0), static_cast<std::uint32_t>(total));
  EXPECT_EQ(one.words(2, 0, 2), two.words(2, 0, 2));
  for (std::size_t i = 0; i < one.run().counts.size(); ++i) {
    EXPECT_EQ(one.run().counts[i].warps, two.run().counts[i].warps) << "instruction " << i;
    EXPECT_EQ(one.run().counts[i].lanes, two.run().counts[i].lanes) << "instruction " << i;
    EXPECT_EQ(one.run().counts[i].divergent, two.run().counts[i].divergent) << "instruction " << i;
  }
}

TEST(EmulateRun, BlocksMayWaitForLaterOnes) {
  for (const unsigned threads : {1u, 2u}) {
    Launched::Shape shape{.grid = {4}, .block = {32}, .arguments = {"buf:16:zero", "buf:16:zero"}};
    shape.options.threads = threads;
    shape.options.most_instructions = 20'000'000;
    const Launched run("grid", "backwards", shape);
    ASSERT_EQ(run.error(), "");
    EXPECT_EQ(run.words(1, 0, 4), (Words{1003, 1003, 1002, 1000 + 0})) << threads << " workers";
  }
}

TEST(EmulateRun, AGridMayMeet) {
  for (const unsigned threads : {1u, 2u}) {
    Launched::Shape shape{
        .grid = {4}, .block = {64}, .arguments = {"buf:1K:undef", "buf:1K:undef", "buf:1K:undef"}};
    shape.options.threads = threads;
    shape.options.most_instructions = 20'000'000;
    const Launched run("grid", "together", shape);
    ASSERT_EQ(run.error(), "");
    EXPECT_TRUE(run.run().faults.empty());
    for (std::uint32_t i = 0; i < 256; ++i) {
      EXPECT_EQ(run.word(2, i), 7 * (255 - (i + 40) % 256) + 1) << threads << " workers, " << i;
    }
  }
}

TEST(EmulateRun, AKernelThatDoesNotEndIsGivenUp) {
  Launched::Shape shape{.grid = {2}, .block = {64}, .arguments = {"buf:4:zero"}};
  shape.options.most_instructions = 5000;
  EXPECT_EQ(Launched("grid", "endless", shape).error(),
            "the kernel did not finish within 5,000 warp instructions (--max-instructions); warp 0 "
            "of block 0,0,0 is in the loop at grid.cu:32, which has run 13,332 times");
}

TEST(EmulateRun, ALimitThatIsNotReachedIsNone) {
  Launched::Shape shape = scale_shape();
  const std::uint64_t needed = Launched("grid", "scale", shape).run().executed();
  shape.options.most_instructions = needed;
  EXPECT_EQ(Launched("grid", "scale", shape).error(), "");
  shape.options.most_instructions = needed - 1;
  EXPECT_NE(Launched("grid", "scale", shape).error(), "");
}

TEST(EmulateRun, ProgressTellsOfEveryBlock) {
  for (const unsigned threads : {1u, 2u}) {
    Launched::Shape shape = mixed_shape(threads);
    std::set<std::uint64_t> done;
    shape.options.progress = [&](std::uint64_t blocks, std::uint64_t of) {
      EXPECT_EQ(of, 6u);
      done.insert(blocks);
    };
    ASSERT_EQ(Launched("grid", "mixed", shape).error(), "");
    EXPECT_THAT(done, testing::ElementsAre(1, 2, 3, 4, 5, 6));
  }
}

TEST(EmulateRun, OtherArchitecturesAreRefused) {
  for (const unsigned sm : {75u, 100u}) {
    read::Image image;
    image.arch.sm = static_cast<decltype(image.arch.sm)>(sm);
    read::Kernel kernel;
    kernel.image = &image;
    const Result<burin::emulate::Run> run = emulate(kernel, {}, {});
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().message, testing::HasSubstr("sm_" + std::to_string(sm)));
  }
}

}  // namespace
}  // namespace burin::emulate
