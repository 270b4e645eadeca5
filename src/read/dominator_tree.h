// Dominator trees by the algorithm of Lengauer and Tarjan: O(m log n) on any graph, including
// ladders of early exits, on which the simpler iterative algorithms become quadratic.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace burin::read {

inline constexpr std::uint32_t kNoIndex = 0xffffffff;

// The position of a block in a dominator tree: the blocks at positions `first` to `first + count -
// 1` are the ones it dominates.
struct TreeSpan {
  std::uint32_t first = 0;
  std::uint32_t count = 0;  // 0: not in the tree
};

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

// The nodes that can be reached from the root, each after those that a depth-first walk finds below
// it.
std::vector<std::uint32_t> postorder(const Graph& graph, std::uint32_t root);

struct DominatorTree {
  std::vector<std::uint32_t> parent;  // kNoIndex: the root, or unreachable from the root
  std::vector<TreeSpan> spans;
};
DominatorTree dominator_tree(const Graph& graph, std::uint32_t root);

}  // namespace burin::read
