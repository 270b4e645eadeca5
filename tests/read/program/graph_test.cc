// Are dominators and loops those of the definition? Random graphs against the definition itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "program_builder.h"

namespace burin::read {
namespace {

using test::WrittenProgram;
using testing::ElementsAre;
using Blocks = std::set<std::uint32_t>;

// A random program of one-instruction blocks: branches, exits, calls, switches.
WrittenProgram random_program(std::mt19937& random, bool with_calls) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t size = 2 + below(25);
  WrittenProgram p;
  for (std::uint32_t i = 0; i < size; ++i) {
    switch (below(with_calls ? 10 : 8)) {
      case 0:
        p.op("EXIT");
        break;
      case 1:
        p.op("EXIT").when(0);
        break;
      case 2:
        p.op("BRA").to(below(size));
        break;
      case 3:
        p.op("BRX");
        p.function.indirect_branches.push_back({16 * i, {16 * below(size), 16 * below(size)}});
        break;
      case 8:
        p.op("CALL").to(below(size));
        break;
      case 9:
        p.op("RET");
        break;
      default:
        p.op("BRA").when(0).to(below(size));
    }
  }
  return p;
}

// Blocks reached from `from` along successors (or predecessors) without entering `without`.
Blocks reached(const Kernel& k, const std::vector<std::uint32_t>& from, std::uint32_t without,
               bool backward = false) {
  Blocks seen;
  std::vector<std::uint32_t> work;
  const auto visit = [&](std::uint32_t b) {
    if (b != without && seen.insert(b).second) work.push_back(b);
  };
  for (std::uint32_t b : from) visit(b);
  while (!work.empty()) {
    const BasicBlock& block = k.blocks[work.back()];
    work.pop_back();
    for (const Edge& e : backward ? block.predecessors : block.successors) visit(e.block);
  }
  return seen;
}

bool leaves(const BasicBlock& b) {
  return b.exits || b.returns || b.unresolved;
}

TEST(Dominators, MatchTheDefinitionOnRandomGraphs) {
  std::mt19937 random(1);
  unsigned pairs = 0, endless = 0;
  for (int round = 0; round < 1500; ++round) {
    const WrittenProgram p = random_program(random, round % 3 == 0);
    const Kernel k = p.build();
    const auto size = static_cast<std::uint32_t>(k.blocks.size());
    const Blocks live = reached(k, k.entries, kNoIndex);
    std::vector<std::uint32_t> ends;
    for (std::uint32_t b : live)
      if (leaves(k.blocks[b])) ends.push_back(b);
    const Blocks can_leave = reached(k, ends, kNoIndex, true);
    const bool all_leave =
        std::includes(can_leave.begin(), can_leave.end(), live.begin(), live.end());
    endless += all_leave ? 0 : 1;
    for (std::uint32_t a = 0; a < size; ++a) {
      EXPECT_EQ(k.blocks[a].reachable, live.contains(a));
      const Blocks around = reached(k, k.entries, a);
      const Blocks leave_around = reached(k, ends, a, true);
      for (std::uint32_t b = 0; b < size; ++b) {
        if (!live.contains(b) || !live.contains(a)) {
          ASSERT_EQ(k.dominates(a, b), a == b);
          continue;
        }
        ++pairs;
        ASSERT_EQ(k.dominates(a, b), !around.contains(b)) << a << " " << b;
        // Where endless loops are cut open there are more ways out, so only one direction holds.
        if (all_leave || k.post_dominates(a, b)) {
          ASSERT_EQ(k.post_dominates(a, b), !leave_around.contains(b)) << a << " " << b;
        }
      }
    }
    for (std::uint32_t b : live) {
      ASSERT_GT(k.post_dominator_spans[b].count, 0u);
      // The immediate dominator is the one that all other dominators dominate.
      std::vector<std::uint32_t> above, below;
      for (std::uint32_t a : live) {
        if (a != b && k.dominates(a, b)) above.push_back(a);
        if (a != b && k.post_dominates(a, b)) below.push_back(a);
      }
      const std::uint32_t up = k.blocks[b].immediate_dominator;
      const std::uint32_t down = k.blocks[b].immediate_post_dominator;
      ASSERT_EQ(up == kNoIndex, above.empty());
      ASSERT_EQ(down == kNoIndex, below.empty());
      for (std::uint32_t a : above) ASSERT_TRUE(k.dominates(a, up));
      for (std::uint32_t a : below) ASSERT_TRUE(k.post_dominates(a, down));
    }
  }
  EXPECT_GT(pairs, 50000u);  // the generator does make graphs worth looking at
  EXPECT_GT(endless, 100u);
}

// Natural loops by their definition: for each header, what reaches a back edge to it without
// passing it. Nothing where some cycle has no header that dominates it.
std::optional<std::map<std::uint32_t, Blocks>> natural_loops(const Kernel& k) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> latches;
  std::map<std::uint32_t, unsigned> waiting;
  const Blocks live = reached(k, k.entries, kNoIndex);
  for (std::uint32_t b : live) {
    for (const Edge& e : k.blocks[b].successors) {
      if (k.dominates(e.block, b)) {
        latches[e.block].push_back(b);
      } else {
        ++waiting[e.block];
      }
    }
  }
  // Reducible: without back edges the rest has a topological order.
  std::vector<std::uint32_t> work;
  std::size_t sorted = 0;
  for (std::uint32_t b : live)
    if (waiting[b] == 0) work.push_back(b);
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    ++sorted;
    for (const Edge& e : k.blocks[b].successors)
      if (!k.dominates(e.block, b) && --waiting[e.block] == 0) work.push_back(e.block);
  }
  if (sorted != live.size()) return std::nullopt;
  std::map<std::uint32_t, Blocks> loops;
  for (const auto& [header, from] : latches) {
    Blocks body = reached(k, from, header, true);
    std::erase_if(body, [&](std::uint32_t b) { return !live.contains(b); });
    body.insert(header);
    loops[header] = body;
  }
  return loops;
}

TEST(Loops, MatchTheDefinitionOnRandomGraphs) {
  std::mt19937 random(2);
  unsigned reducible = 0, nested = 0, irreducible = 0;
  for (int round = 0; round < 2500; ++round) {
    const WrittenProgram p = random_program(random, round % 3 == 0);
    const Kernel k = p.build();
    const auto expected = natural_loops(k);
    const bool marked =
        std::any_of(k.loops.begin(), k.loops.end(), [](const Loop& l) { return l.irreducible; });
    ASSERT_EQ(marked, !expected.has_value());
    if (expected) {
      std::map<std::uint32_t, Blocks> found;
      for (const Loop& l : k.loops) found[l.header] = Blocks(l.blocks.begin(), l.blocks.end());
      ASSERT_EQ(found, *expected);
      ASSERT_EQ(found.size(), k.loops.size());
      reducible += found.empty() ? 0 : 1;
    } else {
      ++irreducible;
    }
    for (std::uint32_t i = 0; i < k.loops.size(); ++i) {
      const Loop& l = k.loops[i];
      const Blocks in(l.blocks.begin(), l.blocks.end());
      ASSERT_TRUE(std::is_sorted(l.blocks.begin(), l.blocks.end()));
      Blocks latches, exits, entered;
      for (std::uint32_t b = 0; b < k.blocks.size(); ++b) {
        if (!k.blocks[b].reachable) continue;
        for (const Edge& e : k.blocks[b].successors) {
          if (in.contains(b) && e.block == l.header) latches.insert(b);
          if (in.contains(b) && !in.contains(e.block)) exits.insert(e.block);
          if (!in.contains(b) && in.contains(e.block)) entered.insert(e.block);
        }
      }
      for (std::uint32_t b : k.entries)
        if (in.contains(b)) entered.insert(b);
      ASSERT_EQ(Blocks(l.latches.begin(), l.latches.end()), latches);
      ASSERT_EQ(Blocks(l.exits.begin(), l.exits.end()), exits);
      ASSERT_EQ(l.irreducible, entered.size() > 1);
      ASSERT_EQ(l.header, *entered.begin());
      ASSERT_EQ(l.depth, l.parent == kNoIndex ? 1u : k.loops[l.parent].depth + 1);
      if (l.parent != kNoIndex) {
        ++nested;
        ASSERT_LT(l.parent, i);
        const std::vector<std::uint32_t>& outer = k.loops[l.parent].blocks;
        ASSERT_TRUE(std::includes(outer.begin(), outer.end(), l.blocks.begin(), l.blocks.end()));
      }
    }
    for (std::uint32_t b = 0; b < k.blocks.size(); ++b) {
      std::uint32_t innermost = kNoIndex;
      for (std::uint32_t i = 0; i < k.loops.size(); ++i) {
        const std::vector<std::uint32_t>& in = k.loops[i].blocks;
        if (!std::binary_search(in.begin(), in.end(), b)) continue;
        if (innermost == kNoIndex || k.loops[i].depth > k.loops[innermost].depth) innermost = i;
      }
      ASSERT_EQ(k.blocks[b].loop, innermost);
    }
  }
  EXPECT_GT(reducible, 200u);
  EXPECT_GT(nested, 200u);
  EXPECT_GT(irreducible, 200u);
}

TEST(Loops, NestInCodeOrder) {
  WrittenProgram p;
  p.op("MOV");                // 0
  p.op("MOV");                // 1: outer header
  p.op("BRA").when(0).to(2);  // 2: first inner
  p.op("BRA").when(0).to(3);  // 3: second inner
  p.op("BRA").when(1).to(1);  // 4
  p.op("BRA").when(1).to(5);  // 5: behind
  p.op("EXIT");
  const Kernel k = p.build();
  ASSERT_EQ(k.loops.size(), 4u);
  EXPECT_THAT(k.loops[0].blocks, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(k.loops[0].latches, ElementsAre(4));
  EXPECT_THAT(k.loops[0].exits, ElementsAre(5));
  EXPECT_EQ(k.loops[1].header, 2u);
  EXPECT_EQ(k.loops[1].parent, 0u);
  EXPECT_EQ(k.loops[2].header, 3u);
  EXPECT_EQ(k.loops[2].depth, 2u);
  EXPECT_EQ(k.loops[3].header, 5u);
  EXPECT_EQ(k.loops[3].parent, kNoIndex);
}

TEST(Loops, DeepNestsAreFolded) {
  constexpr int kDepth = 3000;
  WrittenProgram p;
  for (int i = 0; i < kDepth; ++i) p.op("NOP");
  for (int i = kDepth; i-- > 0;) p.op("BRA").when(0).to(i);
  p.op("EXIT");
  const Kernel k = p.build();
  ASSERT_EQ(k.loops.size(), kDeepestLoop);
  EXPECT_EQ(k.loops.back().depth, kDeepestLoop);
  EXPECT_EQ(k.blocks[kDepth - 1].loop, kDeepestLoop - 1);
}

}  // namespace
}  // namespace burin::read
