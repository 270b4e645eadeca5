// On real kernels: is every stall kept, and is every cause one that can have made it wait?
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>

#include "advise/blame/blame.h"
#include "advise/blame/dependency.h"
#include "conserved.h"
#include "corpus_files.h"
#include "read/program/program_builder.h"
#include "sanitized.h"
#include "timing/timed_launch.h"

namespace burin::advise {
namespace {

// Some samples at every instruction, of every reason in turn.
launch::StallProfile made_up(const read::Kernel& kernel) {
  launch::StallProfile profile;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    launch::StallRow& row = profile.row(16 * std::uint64_t{i});
    row.issued = i % 5;
    for (std::size_t s = 0; s < launch::kStalls; ++s)
      if ((i + s) % 3 == 0) row.stalls[s] = {static_cast<double>(i % 7), static_cast<double>(s)};
  }
  profile.unattributed = 11;
  return profile;
}

bool sets_scoreboard_for(const read::Kernel& kernel, const BlamedStall& stall) {
  for (const read::Dependence& d : kernel.dependences_of(stall.waits))
    if (d.producer == stall.cause && d.kind != read::Dependence::Kind::kRegister) return true;
  return false;
}

bool may_issue_before(const read::Kernel& kernel, const BlamedStall& stall) {
  const read::BasicBlock& block = kernel.blocks[kernel.block_of[stall.waits]];
  for (const read::Dependence& d : kernel.dependences_of(stall.waits))
    if (stall.stall == launch::Stall::kWait && d.producer == stall.cause) return true;
  if (stall.waits != block.first) return stall.cause + 1 == stall.waits;
  return stall.cause == kernel.blocks[kernel.block_of[stall.cause]].last;
}

bool is_legal(const read::Kernel& kernel, const BlamedStall& stall) {
  if (!stall.has_cause()) return stall.cause == stall.waits;
  const read::Instruction& cause = kernel.instructions[stall.cause];
  switch (search_of(stall.stall)) {
    case BlameSearch::kOwn:
      return false;
    case BlameSearch::kScoreboard:
      return sets_scoreboard_for(kernel, stall);
    case BlameSearch::kBefore:
      return may_issue_before(kernel, stall);
    case BlameSearch::kSynchronization:
      return read::is_synchronization(cause);
    case BlameSearch::kProducts:
      return is_product(cause);
    case BlameSearch::kStores:
      return cause.opcode->stores && is_long(cause);
    case BlameSearch::kConstant:
      return stall.cause == stall.waits || sets_scoreboard_for(kernel, stall);
  }
  return false;
}

void check(const read::Kernel& kernel, const std::string& name) {
  const launch::StallProfile profile = made_up(kernel);
  const BlamedProfile blamed = blame(kernel, profile, timing::h200(), {.unpruned = true});
  test::expect_conserved(kernel, blamed, name);
  std::array<launch::StallCycles, launch::kStalls> sums{};
  double issued = 0;
  for (const BlamedStall& stall : blamed.stalls) {
    sums[static_cast<std::size_t>(stall.stall)] += stall.cycles;
    ASSERT_TRUE(is_legal(kernel, stall))
        << name << ": " << burin::launch::name(stall.stall) << " at " << stall.waits
        << " blamed on " << stall.cause << " as " << burin::advise::name(stall.dependency);
  }
  for (const double each : blamed.issued) issued += each;
  const double rounding = 1e-9 * profile.total();
  EXPECT_NEAR(blamed.total, profile.total(), rounding) << name;
  EXPECT_NEAR(issued, profile.issued(), rounding) << name;
  const std::array<launch::StallCycles, launch::kStalls> expected = profile.stalls();
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    EXPECT_NEAR(sums[s].active, expected[s].active, rounding) << name;
    EXPECT_NEAR(sums[s].latency, expected[s].latency, rounding) << name;
  }
  EXPECT_LE(blamed.coverage_before, blamed.coverage_after) << name;
  EXPECT_TRUE(std::ranges::is_sorted(blamed.stalls, std::ranges::greater(),
                                     [](const BlamedStall& s) { return s.cycles.sum(); }))
      << name;
}

TEST(BlameKernels, StallsAreKeptAndCausesLegal) {
  std::size_t kernels = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus_file("cubins"))) {
    if (entry.path().extension() != ".cubin") continue;
    const Result<MappedFile> file = MappedFile::open(entry.path());
    ASSERT_TRUE(file) << file.error().message;
    const Result<read::Container> container = read::open_container(file->bytes());
    ASSERT_TRUE(container) << container.error().message;
    const Result<read::Image> image = read::load(container->entries.front());
    ASSERT_TRUE(image) << image.error().message;
    for (const read::Function& function : image->functions) {
      // Enough, and quick.
      if (++kernels % 6 != 0) continue;
      const Result<read::Kernel> kernel = read::build_kernel(*image, function);
      ASSERT_TRUE(kernel) << kernel.error().message;
      check(*kernel, function.demangled);
    }
  }
  EXPECT_GT(kernels, 100u);
}

// 20,000 instructions in thousands of blocks and loops in loops, every one of them sampled.
TEST(BlameKernels, LargeKernelsTakeNoTime) {
  test::WrittenProgram p;
  while (p.here() < 20000) {
    const std::uint32_t outer = p.here();
    p.op("LDG").writes(test::R(1)).sets(0).stall(1);
    for (int k = 0; k < 8; ++k) {
      const std::uint32_t inner = p.here();
      p.op("LDS").writes(test::R(2 + k)).sets(1 + k % 5).stall(2);
      p.op("BRA").when(1).to(p.here() + 2).stall(5);
      p.op("MOV").reads(test::R(2 + k)).waits(1u << (1 + k % 5)).stall(4);
      p.op("MOV").reads(test::R(2 + (k + 5) % 8)).waits(1u << (1 + (k + 5) % 5)).stall(4);
      p.op("BRA").when(0).to(inner).stall(5);
    }
    p.op("MOV").reads(test::R(1)).waits(1).stall(4);
    p.op("BRA").when(2).to(outer).stall(5);
  }
  p.op("EXIT");
  const std::clock_t begin = std::clock();
  const read::Kernel kernel = p.build();
  const std::clock_t built = std::clock();
  check(kernel, "large");
  const std::clock_t end = std::clock();
  RecordProperty("build_ms", static_cast<int>(1000 * (built - begin) / CLOCKS_PER_SEC));
  RecordProperty("blame_ms", static_cast<int>(1000 * (end - built) / CLOCKS_PER_SEC));
  EXPECT_LT(static_cast<double>(end - begin) / CLOCKS_PER_SEC, kSanitized ? 60 : 10);
}

}  // namespace
}  // namespace burin::advise
