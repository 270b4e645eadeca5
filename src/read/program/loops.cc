#include "read/program/loops.h"

#include <algorithm>

namespace burin::read {
namespace {

// Blocks still to be searched for loops, all inside loop `parent`.
struct Region {
  std::vector<std::uint32_t> blocks;
  std::uint32_t parent = kNoIndex;
};

class Finder {
 public:
  explicit Finder(Kernel& kernel)
      : kernel_(kernel),
        region_(kernel.blocks.size(), 0),
        component_(kernel.blocks.size(), 0),
        number_(kernel.blocks.size(), 0),
        low_(kernel.blocks.size(), 0),
        is_entry_(kernel.blocks.size(), false) {
    for (std::uint32_t entry : kernel.entries) is_entry_[entry] = true;
  }

  void find() {
    std::vector<Region> work(1);
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b)
      if (kernel_.blocks[b].reachable) work.back().blocks.push_back(b);
    while (!work.empty()) {
      const Region region = std::move(work.back());
      work.pop_back();
      // All components first: a loop's entries are judged by who else shares its component.
      const std::uint32_t first_component = components_ + 1;
      const std::vector<std::vector<std::uint32_t>> cycles = split(region.blocks, first_component);
      for (const std::vector<std::uint32_t>& cycle : cycles) {
        const std::uint32_t loop = add(cycle, region.parent);
        if (loops_[loop].depth == kDeepestLoop) continue;
        Region inner{cycle, loop};
        std::erase(inner.blocks, loops_[loop].header);
        if (!inner.blocks.empty()) work.push_back(std::move(inner));
      }
    }
    put_in_order();
  }

 private:
  // Tarjan's strongly connected components among `blocks`, those that hold a cycle. component_
  // tells the members of different components, and of different calls, apart.
  std::vector<std::vector<std::uint32_t>> split(const std::vector<std::uint32_t>& blocks,
                                                std::uint32_t region) {
    for (std::uint32_t b : blocks) {
      region_[b] = region;
      number_[b] = 0;
    }
    std::vector<std::vector<std::uint32_t>> cycles;
    std::vector<std::uint32_t> open;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;  // block, next successor
    std::uint32_t visited = 0;
    const auto visit = [&](std::uint32_t b) {
      number_[b] = low_[b] = ++visited;
      component_[b] = 0;
      open.push_back(b);
      stack.emplace_back(b, 0);
    };
    for (std::uint32_t start : blocks) {
      if (number_[start] != 0) continue;
      visit(start);
      while (!stack.empty()) {
        auto& [b, next] = stack.back();
        const std::vector<Edge>& successors = kernel_.blocks[b].successors;
        if (next < successors.size()) {
          const std::uint32_t to = successors[next++].block;
          if (region_[to] != region) continue;
          if (number_[to] == 0) {
            visit(to);
          } else if (component_[to] == 0) {
            low_[b] = std::min(low_[b], number_[to]);
          }
          continue;
        }
        const std::uint32_t done = b;
        stack.pop_back();
        if (!stack.empty())
          low_[stack.back().first] = std::min(low_[stack.back().first], low_[done]);
        if (low_[done] != number_[done]) continue;
        const auto first = std::find(open.rbegin(), open.rend(), done).base() - 1;
        std::vector<std::uint32_t> members(first, open.end());
        open.erase(first, open.end());
        ++components_;
        for (std::uint32_t m : members) component_[m] = components_;
        if (members.size() > 1 || goes_to(done, done)) {
          std::sort(members.begin(), members.end());
          cycles.push_back(std::move(members));
        }
      }
    }
    return cycles;
  }

  bool goes_to(std::uint32_t from, std::uint32_t to) const {
    const std::vector<Edge>& successors = kernel_.blocks[from].successors;
    return std::any_of(successors.begin(), successors.end(),
                       [&](const Edge& edge) { return edge.block == to; });
  }

  bool entered_at(std::uint32_t b) const {
    if (is_entry_[b]) return true;
    const std::vector<Edge>& from = kernel_.blocks[b].predecessors;
    return std::any_of(from.begin(), from.end(), [&](const Edge& edge) {
      return kernel_.blocks[edge.block].reachable && component_[edge.block] != component_[b];
    });
  }

  std::uint32_t add(const std::vector<std::uint32_t>& blocks, std::uint32_t parent) {
    const auto index = static_cast<std::uint32_t>(loops_.size());
    Loop& loop = loops_.emplace_back();
    loop.blocks = blocks;
    loop.parent = parent;
    loop.depth = parent == kNoIndex ? 1 : loops_[parent].depth + 1;
    loop.header = kNoIndex;
    for (std::uint32_t b : blocks) {
      kernel_.blocks[b].loop = index;
      if (!entered_at(b)) continue;
      if (loop.header == kNoIndex) {
        loop.header = b;
      } else {
        loop.irreducible = true;
      }
    }
    for (std::uint32_t b : blocks) {
      if (goes_to(b, loop.header)) loop.latches.push_back(b);
      for (const Edge& edge : kernel_.blocks[b].successors)
        if (component_[edge.block] != component_[b]) loop.exits.push_back(edge.block);
    }
    std::sort(loop.exits.begin(), loop.exits.end());
    loop.exits.erase(std::unique(loop.exits.begin(), loop.exits.end()), loop.exits.end());
    return index;
  }

  // Preorder of the nest, siblings by header; renumbers parents and the blocks' loops.
  void put_in_order() {
    const auto count = static_cast<std::uint32_t>(loops_.size());
    std::vector<std::vector<std::uint32_t>> inner(count + 1);  // the last: outermost loops
    for (std::uint32_t l = 0; l < count; ++l) inner[std::min(loops_[l].parent, count)].push_back(l);
    std::vector<std::uint32_t> renumbered(count), stack;
    const auto push = [&](std::vector<std::uint32_t>& loops) {
      std::sort(loops.begin(), loops.end(), [&](std::uint32_t a, std::uint32_t b) {
        return loops_[a].header > loops_[b].header;
      });
      stack.insert(stack.end(), loops.begin(), loops.end());
    };
    push(inner[count]);
    while (!stack.empty()) {
      const std::uint32_t l = stack.back();
      stack.pop_back();
      renumbered[l] = static_cast<std::uint32_t>(kernel_.loops.size());
      Loop& loop = kernel_.loops.emplace_back(std::move(loops_[l]));
      if (loop.parent != kNoIndex) loop.parent = renumbered[loop.parent];
      push(inner[l]);
    }
    for (BasicBlock& block : kernel_.blocks)
      if (block.loop != kNoIndex) block.loop = renumbered[block.loop];
  }

  Kernel& kernel_;
  std::vector<Loop> loops_;                                       // in the order found
  std::vector<std::uint32_t> region_, component_, number_, low_;  // per block
  std::vector<bool> is_entry_;
  std::uint32_t components_ = 0;
};

}  // namespace

void find_loops(Kernel& kernel) {
  Finder(kernel).find();
}

}  // namespace burin::read
