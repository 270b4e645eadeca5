// Dependences on random programs: against a search that walks back one instruction at a time, and
// against lanes that run. The first must agree exactly, the second may find nothing new.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "program_builder.h"
#include "read/program/control_flow.h"

namespace burin::read {
namespace {

using test::P;
using test::R;
using test::WrittenProgram;

// producer, consumer, kind, file, index
using Link = std::tuple<std::uint32_t, std::uint32_t, int, int, int>;

Link link(std::uint32_t producer, std::uint32_t consumer, RegisterFile file, int index) {
  return {producer, consumer, 0, static_cast<int>(file), index};
}
Link scoreboard_link(std::uint32_t producer, std::uint32_t consumer, int index) {
  return {producer, consumer, 1, 0, index};
}

std::set<Link> links_of(const Kernel& k) {
  std::set<Link> links;
  for (const Dependence& d : k.dependences) {
    links.insert(d.kind == Dependence::Kind::kRegister
                     ? link(d.producer, d.consumer, d.file, d.index)
                     : scoreboard_link(d.producer, d.consumer, d.index));
  }
  return links;
}

WrittenProgram random_program(std::mt19937& random, bool branches, bool calls) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int size = 4 + below(28);
  WrittenProgram p;
  for (int i = 0; i < size; ++i) {
    const int kind = below(20);
    const auto guarded = [&](test::Builder b) {
      if (const int g = below(6); g < 2) {
        b.when(below(2));
      } else if (g < 4) {
        b.unless(below(2));
      }
      return b;
    };
    if (branches && kind < 3) {
      p.op("BRA").when(below(2)).to(below(size));
      if (below(2) == 0) p.instructions.back().guard.negated = true;
    } else if (branches && kind == 3) {
      p.op("BRA").to(below(size));
    } else if (branches && kind == 4) {
      guarded(p.op("EXIT"));
    } else if (calls && kind < 7) {
      guarded(p.op("CALL")).to(below(size));
    } else if (calls && kind == 7) {
      guarded(p.op("RET"));
    } else if (kind < 9) {
      guarded(p.op("MOV")).writes(P(below(2)));
    } else if (kind == 9) {
      p.op("DEPBAR").until(below(2), below(3));
    } else {
      auto b = guarded(p.op("MOV"));
      if (below(2)) b.writes(R(below(3)));
      if (below(2)) b.reads(R(below(3)));
      if (below(4) == 0) b.sets(below(2));
      if (below(6) == 0) b.frees(below(2));
      if (below(4) == 0) b.waits(1u << below(2));
    }
  }
  p.op("EXIT");
  return p;
}

// Every scoreboard an instruction waits for, with the count it may keep.
std::map<int, int> waits_of(const Instruction& i) {
  std::map<int, int> waits;
  for (int s = 0; s < 6; ++s)
    if (i.control.wait_mask >> s & 1) waits[s] = 0;
  if (i.mnemonic() == "DEPBAR") {
    waits.emplace(static_cast<int>(i.operands()[0].value), static_cast<int>(i.operands()[1].value));
  }
  return waits;
}

bool sets(const Instruction& i, int scoreboard) {
  return i.control.write_barrier == scoreboard || i.control.read_barrier == scoreboard;
}

bool writes(const Instruction& i, RegisterFile file, unsigned index) {
  bool found = false;
  for_each_write(i, [&](RegisterFile f, unsigned first, unsigned count) {
    found = found || (f == file && index >= first && index < first + count);
  });
  return found;
}

// Walks backward from each use, over every path, one instruction at a time. Programs without calls.
class Walker {
 public:
  explicit Walker(const Kernel& kernel) : k_(kernel) {}

  std::set<Link> all() {
    for (std::uint32_t use = 0; use < k_.instructions.size(); ++use) {
      const Instruction& i = k_.instructions[use];
      for_each_read(i, [&](RegisterFile file, unsigned index, unsigned) {
        const bool is_guard = file == RegisterFile::kPredicate && index == i.guard.index;
        walk(use, file, index, is_guard ? 0 : opposite(guard_of(i)));
      });
      for (const auto& [scoreboard, count] : waits_of(i))
        walk_scoreboard(use, scoreboard, static_cast<unsigned>(count));
    }
    return std::move(links_);
  }

 private:
  struct At {
    std::uint32_t before;  // the instruction in front of which we stand
    std::uint32_t state;
    Literals passing;
    auto operator<=>(const At&) const = default;
  };

  template <typename Step, typename Leave>
  void explore(At start, Step step, Leave leave) {
    std::set<At> seen{start};
    std::deque<At> work{start};
    const auto push = [&](const At& at) {
      if (seen.insert(at).second) work.push_back(at);
    };
    while (!work.empty()) {
      At at = work.front();
      work.pop_front();
      const std::uint32_t b =
          k_.block_of[at.before == k_.instructions.size() ? at.before - 1 : at.before];
      if (at.before == k_.blocks[b].first) {
        for (const Edge& edge : k_.blocks[b].predecessors) {
          At next = at;
          next.before = k_.blocks[edge.block].last;
          if (leave(edge, next) && step(next)) push(next);
        }
      } else {
        --at.before;
        if (step(at)) push(at);
      }
    }
  }

  void walk(std::uint32_t use, RegisterFile file, unsigned index, Literals known) {
    explore(
        {use, known, 0},
        [&](At& at) {
          const Instruction& i = k_.instructions[at.before];
          for (unsigned p = 0; p < 7; ++p) {
            const Literals both = literal(false, p, false) | literal(false, p, true);
            if (!writes(i, RegisterFile::kPredicate, p)) continue;
            at.state &= ~both;
            at.passing &= ~both;
          }
          if (!writes(i, file, index)) return true;
          const Literals guard = guard_of(i);
          if ((guard & (at.state | at.passing)) != 0) return true;
          links_.insert(link(at.before, use, file, static_cast<int>(index)));
          at.state |= guard;
          return guard != 0 && !covers_all(at.state | at.passing);
        },
        [&](const Edge& edge, At& at) {
          const Instruction& last = k_.instructions[k_.blocks[edge.block].last];
          if (std::popcount(at.state) > 2) at.state = 0;
          at.passing = 0;
          if (ends_block(last)) {
            const bool taken = edge.kind != Edge::Kind::kFallThrough;
            // Taken where the guard holds: what is known not to matter is its opposite.
            at.passing = taken ? opposite(guard_of(last)) : guard_of(last);
            at.passing &= ~at.state;
          }
          return !covers_all(at.state | at.passing);
        });
  }

  void walk_scoreboard(std::uint32_t use, int scoreboard, unsigned count) {
    explore(
        {use, count, 0},
        [&](At& at) {
          const Instruction& i = k_.instructions[at.before];
          if (sets(i, scoreboard)) {
            if (at.state > 0) {
              --at.state;
            } else {
              links_.insert(scoreboard_link(at.before, use, scoreboard));
            }
          }
          const std::map<int, int> waits = waits_of(i);
          const auto wait = waits.find(scoreboard);
          return wait == waits.end() || wait->second > 0;
        },
        [](const Edge&, At&) { return true; });
  }

  const Kernel& k_;
  std::set<Link> links_;
};

TEST(RandomDependences, AgreeWithWalkingStraightCode) {
  std::mt19937 random(3);
  std::size_t links = 0;
  for (int round = 0; round < 1500; ++round) {
    const WrittenProgram p = random_program(random, false, false);
    const Kernel k = p.build();
    const std::set<Link> expected = Walker(k).all();
    links += expected.size();
    ASSERT_EQ(links_of(k), expected) << "round " << round;
  }
  EXPECT_GT(links, 10000u);
}

TEST(RandomDependences, AgreeWithWalkingBranchingCode) {
  std::mt19937 random(4);
  std::size_t links = 0;
  for (int round = 0; round < 1500; ++round) {
    const WrittenProgram p = random_program(random, true, false);
    const Kernel k = p.build();
    const std::set<Link> expected = Walker(k).all();
    links += expected.size();
    ASSERT_EQ(links_of(k), expected) << "round " << round;
  }
  EXPECT_GT(links, 10000u);
}

// One lane runs from the entry with predicates of its choice, and notes who wrote what it reads.
std::set<Link> run(const WrittenProgram& p, std::mt19937& random) {
  std::set<Link> seen;
  std::map<std::pair<RegisterFile, unsigned>, std::uint32_t> writer;
  std::map<int, std::deque<std::uint32_t>> outstanding;
  std::array<bool, 7> predicate{};
  for (bool& value : predicate) value = random() % 2;
  std::vector<std::uint32_t> callers;
  std::uint32_t at = 0;
  for (int step = 0; step < 200 && at < p.instructions.size(); ++step) {
    const Instruction& i = p.instructions[at];
    const std::uint32_t now = at++;
    for (const auto& [scoreboard, count] : waits_of(i)) {
      std::deque<std::uint32_t>& pending = outstanding[scoreboard];
      while (pending.size() > static_cast<std::size_t>(count)) {
        seen.insert(scoreboard_link(pending.front(), now, scoreboard));
        pending.pop_front();
      }
    }
    const auto read = [&](RegisterFile file, unsigned index) {
      if (const auto w = writer.find({file, index}); w != writer.end())
        seen.insert(link(w->second, now, file, static_cast<int>(index)));
    };
    if (i.guard.index != kZeroRegister) {
      read(RegisterFile::kPredicate, i.guard.index);
      if (predicate[i.guard.index] == i.guard.negated) continue;
    }
    for_each_read(i, [&](RegisterFile file, unsigned index, unsigned) { read(file, index); });
    for_each_write(i, [&](RegisterFile file, unsigned index, unsigned) {
      writer[{file, index}] = now;
      if (file == RegisterFile::kPredicate) predicate[index] = random() % 2;
    });
    for (int s = 0; s < 6; ++s)
      if (sets(i, s)) outstanding[s].push_back(now);
    if (i.mnemonic() == "EXIT") break;
    const auto target = [&] { return static_cast<std::uint32_t>(i.operands()[0].value / 16); };
    if (i.mnemonic() == "BRA") at = target();
    if (i.mnemonic() == "CALL") {
      callers.push_back(at);
      at = target();
    }
    if (i.mnemonic() == "RET") {
      if (callers.empty()) break;
      at = callers.back();
      callers.pop_back();
    }
  }
  return seen;
}

TEST(RandomDependences, HoldAllThatRunningLanesSee) {
  std::mt19937 random(5);
  std::size_t links = 0;
  for (int round = 0; round < 2000; ++round) {
    const WrittenProgram p = random_program(random, round % 4 != 0, round % 2 == 0);
    const std::set<Link> found = links_of(p.build());
    for (int lane = 0; lane < 30; ++lane) {
      const std::set<Link> seen = run(p, random);
      links += seen.size();
      for (const Link& l : seen) {
        ASSERT_TRUE(found.contains(l))
            << "round " << round << ": " << std::get<0>(l) << " -> " << std::get<1>(l) << " kind "
            << std::get<2>(l) << " register " << std::get<4>(l);
      }
    }
  }
  EXPECT_GT(links, 100000u);
}

}  // namespace
}  // namespace burin::read
