// From the bytes of a cubin to the program: do the kernels of tests/data/program/flow.cu come out
// as their source says, on every architecture they were compiled for?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/file.h"
#include "read/binary/container.h"
#include "read/program/kernel.h"

namespace burin::read {
namespace {

using testing::Contains;
using testing::SizeIs;

class Cubin : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    Result<MappedFile> file = MappedFile::open(
        std::string(BURIN_SOURCE_DIR "/tests/data/program/flow.") + GetParam() + ".cubin");
    ASSERT_TRUE(file) << file.error().message;
    file_.emplace(std::move(*file));
    Result<Container> container = open_container(file_->bytes());
    ASSERT_TRUE(container) << container.error().message;
    Result<Image> image = load(container->entries.at(0));
    ASSERT_TRUE(image) << image.error().message;
    image_.emplace(std::move(*image));
  }

  Kernel kernel(std::string_view name) {
    for (const Function& function : image_->functions) {
      if (function.name != name) continue;
      Result<Kernel> built = build_kernel(*image_, function);
      if (built) return std::move(*built);
      ADD_FAILURE() << built.error().message;
    }
    ADD_FAILURE() << "no kernel " << name;
    return {};
  }

  std::optional<MappedFile> file_;
  std::optional<Image> image_;
};

// What must hold of any compiled kernel: all words known, all branches followed, and nothing but
// padding out of reach.
void expect_understood(const Kernel& k) {
  ASSERT_FALSE(k.blocks.empty());
  EXPECT_TRUE(k.partial.empty());
  for (const BasicBlock& block : k.blocks) {
    EXPECT_FALSE(block.reachable && block.unresolved);
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      const std::string_view mnemonic = k.instructions[i].mnemonic();
      EXPECT_TRUE(k.instructions[i].known()) << "at " << 16 * i;
      if (!block.reachable) {
        EXPECT_TRUE(mnemonic == "NOP" || mnemonic == "BRA") << mnemonic;
      }
    }
  }
  // ptxas never lets a register be read before it is written, but for R1 on old architectures and
  // what a function saves for its caller; a value nobody made is a sign of lost edges.
  for (std::uint32_t i = 0; i < k.instructions.size(); ++i) {
    if (!k.blocks[k.block_of[i]].reachable || k.instructions[i].mnemonic() == "STL") continue;
    const auto made = k.dependences_of(i);
    for_each_read(k.instructions[i], [&](RegisterFile file, unsigned first, unsigned count) {
      if (file == RegisterFile::kConvergence) return;
      for (unsigned r = first; r < first + count; ++r) {
        EXPECT_TRUE(std::any_of(made.begin(), made.end(),
                                [&](const Dependence& d) {
                                  return d.kind == Dependence::Kind::kRegister && d.file == file &&
                                         d.index == r;
                                }))
            << "instruction " << i << " (" << k.instructions[i].mnemonic() << ") reads register "
            << r;
      }
    });
  }
}

TEST_P(Cubin, NestIsTwoLoopsWithACommonWayOut) {
  const Kernel k = kernel("nest");
  expect_understood(k);
  const auto inner =
      std::find_if(k.loops.begin(), k.loops.end(), [](const Loop& l) { return l.depth == 2; });
  ASSERT_NE(inner, k.loops.end());
  const Loop& outer = k.loops[inner->parent];
  EXPECT_FALSE(inner->irreducible || outer.irreducible);
  EXPECT_TRUE(k.dominates(outer.header, inner->header));
  // `goto out` leaves both at once.
  std::vector<std::uint32_t> common;
  std::set_intersection(inner->exits.begin(), inner->exits.end(), outer.exits.begin(),
                        outer.exits.end(), std::back_inserter(common));
  EXPECT_THAT(common, SizeIs(1));
}

TEST_P(Cubin, LoadsAreWaitedForByScoreboard) {
  const Kernel k = kernel("nest");
  unsigned loads = 0;
  for (std::uint32_t i = 0; i < k.instructions.size(); ++i) {
    if (k.instructions[i].mnemonic() != "LDG") continue;
    ++loads;
    bool waited = false, used = false;
    for (const Dependence& d : k.dependences) {
      if (d.producer != i) continue;
      waited = waited || d.kind == Dependence::Kind::kScoreboardWrite;
      used = used || (d.kind == Dependence::Kind::kRegister && d.file == RegisterFile::kGeneral);
    }
    EXPECT_TRUE(waited && used) << "load " << i;
  }
  EXPECT_GE(loads, 3u);
}

TEST_P(Cubin, TableIsFollowed) {
  const Kernel k = kernel("table");
  expect_understood(k);
  std::set<std::uint32_t> targets;
  for (const BasicBlock& block : k.blocks)
    for (const Edge& edge : block.successors)
      if (edge.kind == Edge::Kind::kIndirect) targets.insert(edge.block);
  EXPECT_GE(targets.size(), 6u);
}

TEST_P(Cubin, LocalFunctionCallsItself) {
  const Kernel k = kernel("calls");
  expect_understood(k);
  ASSERT_THAT(k.entries, SizeIs(2));
  const std::uint32_t function = k.entries[1];
  unsigned outer = 0, own = 0;
  for (std::uint32_t b = 0; b < k.blocks.size(); ++b) {
    if (k.blocks[b].callee != function) continue;
    ++(k.dominates(function, b) ? own : outer);
  }
  EXPECT_EQ(outer, 1u);
  EXPECT_GE(own, 1u);
  // The value stored at the end was made in the function.
  const auto store = std::find_if(k.instructions.begin(), k.instructions.end(),
                                  [](const Instruction& i) { return i.mnemonic() == "STG"; });
  ASSERT_NE(store, k.instructions.end());
  std::vector<std::uint32_t> entries;
  for (const Dependence& d :
       k.dependences_of(static_cast<std::uint32_t>(store - k.instructions.begin())))
    entries.push_back(k.dominates(function, k.block_of[d.producer]) ? function : 0);
  EXPECT_THAT(entries, Contains(function));
}

TEST_P(Cubin, EarlyExitGoesOnAndTrapToo) {
  const Kernel k = kernel("leave");
  expect_understood(k);
  EXPECT_TRUE(std::any_of(k.blocks.begin(), k.blocks.end(), [](const BasicBlock& b) {
    return b.reachable && b.exits && !b.successors.empty();
  }));
  const auto trap = std::find_if(k.instructions.begin(), k.instructions.end(),
                                 [](const Instruction& i) { return i.mnemonic() == "BPT"; });
  ASSERT_NE(trap, k.instructions.end());
  const BasicBlock& trapped =
      k.blocks[k.block_of[static_cast<std::size_t>(trap - k.instructions.begin())]];
  EXPECT_TRUE(trapped.reachable);
  EXPECT_FALSE(trapped.successors.empty());
}

TEST_P(Cubin, LinesAreThoseOfTheSource) {
  const Kernel k = kernel("nest");
  std::set<std::uint32_t> lines;
  for (std::uint32_t i = 0; i < k.instructions.size(); ++i) {
    if (!k.blocks[k.block_of[i]].reachable) continue;
    const std::int32_t location = k.location_at(16 * i);
    ASSERT_GE(location, 0) << "instruction " << i;
    lines.insert(image_->locations[static_cast<std::size_t>(location)].line);
  }
  EXPECT_GE(*lines.begin(), 5u);  // where nest() begins and ends in flow.cu
  EXPECT_LE(*lines.rbegin(), 15u);
  EXPECT_THAT(lines, Contains(9u));  // if (a[i * n + j] == 7) goto out;
}

INSTANTIATE_TEST_SUITE_P(Flow, Cubin, testing::Values("sm_75", "sm_80", "sm_90", "sm_100"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace burin::read
