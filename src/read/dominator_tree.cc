#include "read/dominator_tree.h"

#include <algorithm>

namespace burin::read {

Graph::Graph(std::uint32_t nodes, std::span<const Arc> arcs)
    : start_(nodes + 1, 0), heads_(arcs.size()) {
  for (const Arc& arc : arcs) ++start_[arc.first + 1];
  for (std::uint32_t n = 0; n < nodes; ++n) start_[n + 1] += start_[n];
  std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
  for (const Arc& arc : arcs) heads_[next[arc.first]++] = arc.second;
}

Graph Graph::reversed() const {
  std::vector<Arc> arcs;
  arcs.reserve(heads_.size());
  for (std::uint32_t n = 0; n < size(); ++n)
    for (std::uint32_t to : successors(n)) arcs.emplace_back(to, n);
  return Graph(size(), arcs);
}

namespace {

// Depth-first preorder from `root`; `parent` by preorder number. A stack of our own: code is deep.
struct DepthFirst {
  DepthFirst(const Graph& graph, std::uint32_t root) : number(graph.size(), kNoIndex) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;  // node, next successor
    const auto visit = [&](std::uint32_t node, std::uint32_t from) {
      number[node] = static_cast<std::uint32_t>(preorder.size());
      preorder.push_back(node);
      parent.push_back(from);
      stack.emplace_back(node, 0);
    };
    visit(root, kNoIndex);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const auto successors = graph.successors(node);
      if (next == successors.size()) {
        postorder.push_back(node);
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = successors[next++];
      if (number[to] == kNoIndex) visit(to, number[node]);
    }
  }

  std::vector<std::uint32_t> number;  // per node; kNoIndex: not reached
  std::vector<std::uint32_t> preorder;
  std::vector<std::uint32_t> postorder;
  std::vector<std::uint32_t> parent;
};

// The forest of Lengauer and Tarjan: `best(v)` is the vertex of least semidominator on the path
// from v up to, but not including, its root. All in preorder numbers.
class Forest {
 public:
  Forest(std::uint32_t size, const std::vector<std::uint32_t>& semi)
      : semi_(semi), ancestor_(size, kNoIndex), best_(size) {
    for (std::uint32_t v = 0; v < size; ++v) best_[v] = v;
  }

  void link(std::uint32_t parent, std::uint32_t v) { ancestor_[v] = parent; }

  std::uint32_t best(std::uint32_t v) {
    if (ancestor_[v] == kNoIndex) return v;
    path_.clear();
    for (std::uint32_t u = v; ancestor_[ancestor_[u]] != kNoIndex; u = ancestor_[u])
      path_.push_back(u);
    while (!path_.empty()) {
      const std::uint32_t u = path_.back();
      const std::uint32_t above = ancestor_[u];
      path_.pop_back();
      if (semi_[best_[above]] < semi_[best_[u]]) best_[u] = best_[above];
      ancestor_[u] = ancestor_[above];
    }
    return best_[v];
  }

 private:
  const std::vector<std::uint32_t>& semi_;
  std::vector<std::uint32_t> ancestor_, best_, path_;
};

}  // namespace

std::vector<std::uint32_t> postorder(const Graph& graph, std::uint32_t root) {
  return DepthFirst(graph, root).postorder;
}

DominatorTree dominator_tree(const Graph& graph, std::uint32_t root) {
  const Graph reverse = graph.reversed();
  const DepthFirst walk(graph, root);
  const auto size = static_cast<std::uint32_t>(walk.preorder.size());

  std::vector<std::uint32_t> semi(size), dominator(size, 0);
  for (std::uint32_t w = 0; w < size; ++w) semi[w] = w;
  std::vector<std::uint32_t> bucket(size, kNoIndex), next_in_bucket(size, kNoIndex);
  Forest forest(size, semi);
  for (std::uint32_t w = size; w-- > 1;) {
    for (std::uint32_t node : reverse.successors(walk.preorder[w])) {
      const std::uint32_t v = walk.number[node];
      if (v != kNoIndex) semi[w] = std::min(semi[w], semi[forest.best(v)]);
    }
    next_in_bucket[w] = bucket[semi[w]];
    bucket[semi[w]] = w;
    const std::uint32_t parent = walk.parent[w];
    forest.link(parent, w);
    for (std::uint32_t v = bucket[parent]; v != kNoIndex; v = next_in_bucket[v]) {
      const std::uint32_t u = forest.best(v);
      dominator[v] = semi[u] < semi[v] ? u : parent;
    }
    bucket[parent] = kNoIndex;
  }
  for (std::uint32_t w = 1; w < size; ++w)
    if (dominator[w] != semi[w]) dominator[w] = dominator[dominator[w]];

  // A dominator comes before what it dominates in preorder, so sizes add up backward and positions
  // are handed out forward.
  std::vector<std::uint32_t> below(size, 1), free(size, 0);
  for (std::uint32_t w = size; w-- > 1;) below[dominator[w]] += below[w];
  DominatorTree tree;
  tree.parent.assign(graph.size(), kNoIndex);
  tree.spans.assign(graph.size(), {});
  for (std::uint32_t w = 0; w < size; ++w) {
    std::uint32_t first = 0;
    if (w > 0) {
      first = free[dominator[w]];
      free[dominator[w]] += below[w];
      tree.parent[walk.preorder[w]] = walk.preorder[dominator[w]];
    }
    free[w] = first + 1;
    tree.spans[walk.preorder[w]] = {first, below[w]};
  }
  return tree;
}

}  // namespace burin::read
