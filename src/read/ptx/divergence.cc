#include "read/ptx/divergence.h"

#include <algorithm>

namespace burin::read::ptx {
namespace {

class Analysis {
 public:
  Analysis(const Flow& flow, const std::function<bool(const Operation&)>& is_source)
      : flow_(flow), body_(flow.body), entry_(flow.graph.size(), none()) {
    found_.registers = none();
    for (const Operation& operation : body_.operations) {
      found_.operations.push_back(is_source(operation));
    }
  }

  Divergence run() {
    for (grew_ = true; grew_;) {
      grew_ = false;
      for (const std::uint32_t b : flow_.order) {
        if (b != body_.exit()) pass(b);
      }
    }
    return std::move(found_);
  }

 private:
  RegisterSet none() const { return RegisterSet(body_.registers.size()); }

  void pass(std::uint32_t b) {
    RegisterSet differ = entry_[b];
    const Block& block = body_.blocks[b];
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      const Operation& operation = body_.operations[i];
      if (std::ranges::any_of(operation.reads, [&](Register r) { return differ.contains(r); }) &&
          !found_.operations[i]) {
        found_.operations[i] = grew_ = true;
      }
      for (const Register r : operation.writes) {
        if (found_.operations[i]) {
          differ.insert(r);
          found_.registers.insert(r);
        } else {
          differ.erase(r);
        }
      }
    }
    if (block.branch.predicate != kNoIndex && differ.contains(block.branch.predicate) &&
        !found_.branches.contains(b)) {
      part_at(b);
    }
    for (const std::uint32_t next : flow_.graph.successors(b)) {
      grew_ = entry_[next].insert_common(differ, flow_.live_in[next]) || grew_;
    }
  }

  // What is written between the branch and the block where its paths meet differs there.
  void part_at(std::uint32_t b) {
    grew_ = true;
    const auto region = found_.branches.emplace(b, flow_.region_of(b)).first;
    const std::uint32_t end = flow_.post_dominator[b];
    if (end == kNoIndex || end == body_.exit()) return;
    RegisterSet differ = none();
    differ.insert_common(written_in(body_, region->second), flow_.live_in[end]);
    entry_[end].insert_all(differ);
    found_.registers.insert_all(differ);
  }

  const Flow& flow_;
  const Body& body_;
  std::vector<RegisterSet> entry_;  // registers that differ at the start of each block
  Divergence found_;
  bool grew_ = false;
};

}  // namespace

RegisterSet written_in(const Body& body, const std::vector<std::uint32_t>& blocks) {
  RegisterSet written(body.registers.size());
  for (const std::uint32_t b : blocks) {
    for (const Operation& operation : body.operations_of(body.blocks[b])) {
      for (const Register r : operation.writes) written.insert(r);
    }
  }
  return written;
}

Divergence find_divergence(const Flow& flow,
                           const std::function<bool(const Operation&)>& is_source) {
  return Analysis(flow, is_source).run();
}

}  // namespace burin::read::ptx
