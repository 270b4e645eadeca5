#include "read/ptx/flow.h"

#include <algorithm>

namespace burin::read::ptx {

bool RegisterSet::insert_all(const RegisterSet& other) {
  bool grew = false;
  for (std::size_t w = 0; w < words_.size(); ++w) {
    grew = grew || (other.words_[w] & ~words_[w]) != 0;
    words_[w] |= other.words_[w];
  }
  return grew;
}

bool RegisterSet::insert_common(const RegisterSet& other, const RegisterSet& within) {
  bool grew = false;
  for (std::size_t w = 0; w < words_.size(); ++w) {
    const std::uint64_t common = other.words_[w] & within.words_[w];
    grew = grew || (common & ~words_[w]) != 0;
    words_[w] |= common;
  }
  return grew;
}

namespace {

void find_live_registers(Flow& flow) {
  const Body& body = flow.body;
  const RegisterSet none(body.registers.size());
  flow.live_in.assign(flow.graph.size(), none);
  flow.live_out.assign(flow.graph.size(), none);
  for (bool grew = true; grew;) {
    grew = false;
    for (auto at = flow.order.rbegin(); at != flow.order.rend(); ++at) {
      const std::uint32_t b = *at;
      if (b == body.exit()) continue;
      for (const std::uint32_t next : flow.graph.successors(b)) {
        flow.live_out[b].insert_all(flow.live_in[next]);
      }
      RegisterSet live = flow.live_out[b];
      const Block& block = body.blocks[b];
      if (block.branch.predicate != kNoIndex) live.insert(block.branch.predicate);
      for (std::uint32_t i = block.end; i-- > block.first;) {
        const Operation& operation = body.operations[i];
        for (const Register r : operation.writes) live.erase(r);
        for (const Register r : operation.reads) live.insert(r);
      }
      grew = flow.live_in[b].insert_all(live) || grew;
    }
  }
}

}  // namespace

Flow::Flow(const Body& of) : body(of), graph(of.flow()), order(postorder(graph, 0)) {
  std::ranges::reverse(order);
  post_dominator = dominator_tree(graph.reversed(), body.exit()).parent;
  find_live_registers(*this);
}

std::vector<std::uint32_t> Flow::region_of(std::uint32_t block) const {
  const std::uint32_t end = post_dominator[block];
  std::vector<bool> seen(graph.size(), false);
  std::vector<std::uint32_t> work;
  const auto follow = [&](std::uint32_t from) {
    for (const std::uint32_t next : graph.successors(from)) {
      if (next == end || next == body.exit() || seen[next]) continue;
      seen[next] = true;
      work.push_back(next);
    }
  };
  follow(block);
  std::vector<std::uint32_t> region;
  while (!work.empty()) {
    region.push_back(work.back());
    work.pop_back();
    follow(region.back());
  }
  std::ranges::sort(region);
  return region;
}

}  // namespace burin::read::ptx
