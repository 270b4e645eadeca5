// Dominator trees by the algorithm of Lengauer and Tarjan: O(m log n) on any graph, including
// ladders of early exits, on which the simpler iterative algorithms become quadratic.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "read/program/kernel.h"

namespace burin::read {

// A directed graph with nodes 0 … size() - 1.
class Graph {
 public:
  using Arc = std::pair<std::uint32_t, std::uint32_t>;  // from, to
  Graph(std::uint32_t nodes, std::span<const Arc> arcs);

  std::uint32_t size() const { return static_cast<std::uint32_t>(start_.size() - 1); }
  std::span<const std::uint32_t> successors(std::uint32_t node) const {
    return std::span(heads_).subspan(start_[node], start_[node + 1] - start_[node]);
  }
  Graph reversed() const;

 private:
  std::vector<std::uint32_t> start_;
  std::vector<std::uint32_t> heads_;
};

struct DominatorTree {
  std::vector<std::uint32_t> parent;  // kNoIndex: the root, or unreachable from the root
  std::vector<TreeSpan> spans;
};
DominatorTree dominator_tree(const Graph& graph, std::uint32_t root);

// Fills the immediate (post-)dominators of all blocks and the tree spans from the blocks' edges.
void find_dominators(Kernel& kernel);

}  // namespace burin::read
