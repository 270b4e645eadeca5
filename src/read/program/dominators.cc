#include "read/program/dominators.h"

#include <algorithm>

#include "read/dominator_tree.h"

namespace burin::read {
namespace {

// Blocks from which no path leaves the function: endless loops. The first of them that a
// depth-first walk finishes is a block whose edges only go back; taken as an exit, it and all that
// reach it have one. Repeated until every block does.
void open_endless_loops(const Graph& flow, std::uint32_t root, std::uint32_t exit,
                        std::vector<Graph::Arc>& backward) {
  const Graph reverse = flow.reversed();
  std::vector<bool> leaves(flow.size(), false);
  std::vector<std::uint32_t> work;
  const auto mark = [&](std::uint32_t node) {
    if (leaves[node]) return;
    leaves[node] = true;
    work.push_back(node);
  };
  const auto spread = [&] {
    while (!work.empty()) {
      const std::uint32_t node = work.back();
      work.pop_back();
      for (std::uint32_t from : reverse.successors(node)) mark(from);
    }
  };
  for (const Graph::Arc& arc : backward)
    if (arc.first == exit) mark(arc.second);
  spread();
  for (std::uint32_t node : postorder(flow, root)) {
    if (node == root || leaves[node]) continue;
    backward.emplace_back(exit, node);
    mark(node);
    spread();
  }
}

}  // namespace

void find_dominators(Kernel& kernel) {
  const auto count = static_cast<std::uint32_t>(kernel.blocks.size());
  if (count == 0) return;
  const std::uint32_t outside = count;  // above all entries, and behind all exits

  std::vector<Graph::Arc> forward, backward;
  for (std::uint32_t entry : kernel.entries) forward.emplace_back(outside, entry);
  for (std::uint32_t b = 0; b < count; ++b) {
    const BasicBlock& block = kernel.blocks[b];
    if (!block.reachable) continue;
    if (block.exits || block.returns || block.unresolved) backward.emplace_back(outside, b);
    for (const Edge& edge : block.successors) {
      forward.emplace_back(b, edge.block);
      backward.emplace_back(edge.block, b);
    }
  }
  const Graph flow(count + 1, forward);
  open_endless_loops(flow, outside, outside, backward);

  DominatorTree tree = dominator_tree(flow, outside);
  DominatorTree post = dominator_tree(Graph(count + 1, backward), outside);
  const auto inside = [&](std::uint32_t parent) { return parent == outside ? kNoIndex : parent; };
  for (std::uint32_t b = 0; b < count; ++b) {
    kernel.blocks[b].immediate_dominator = inside(tree.parent[b]);
    kernel.blocks[b].immediate_post_dominator = inside(post.parent[b]);
  }
  tree.spans.pop_back();
  post.spans.pop_back();
  kernel.dominator_spans = std::move(tree.spans);
  kernel.post_dominator_spans = std::move(post.spans);
}

}  // namespace burin::read
