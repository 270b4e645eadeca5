#include "read/program/live_registers.h"

#include <algorithm>
#include <bitset>

#include "read/program/accesses.h"

namespace burin::read {
namespace {

using Registers = std::bitset<RegisterNumbers::kUniformFirst>;

// What each instruction reads and writes. A guarded write ends no value's life.
struct Use {
  Registers reads, writes, ends;
};

class Liveness {
 public:
  explicit Liveness(const Kernel& kernel)
      : kernel_(kernel), before_(kernel.blocks.size()), uses_(kernel.instructions.size()) {
    const Accesses accesses = collect_accesses(kernel.instructions);
    for (std::uint32_t r = 0; r < RegisterNumbers::kUniformFirst; ++r) {
      for (const std::uint32_t i : accesses.reads.of(r)) uses_[i].reads.set(r);
      for (const std::uint32_t i : accesses.writes.of(r)) {
        uses_[i].writes.set(r);
        if (accesses.guards[i] == 0) uses_[i].ends.set(r);
      }
    }
    solve();
  }

  std::vector<std::uint16_t> counts() const {
    std::vector<std::uint16_t> live(kernel_.instructions.size(), 0);
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const BasicBlock& block = kernel_.blocks[b];
      if (!block.reachable) continue;
      Registers now = after(b);
      for (std::uint32_t i = block.last + 1; i-- > block.first;) {
        const std::size_t behind = (now | uses_[i].writes).count();
        now = (now & ~uses_[i].ends) | uses_[i].reads;
        live[i] = static_cast<std::uint16_t>(std::max(behind, now.count()));
      }
    }
    return live;
  }

 private:
  // Repeats until nothing changes: a few passes, backwards through the code.
  void solve() {
    for (bool changed = true; changed;) {
      changed = false;
      const Registers returned = returned_;
      for (std::uint32_t b = static_cast<std::uint32_t>(before_.size()); b-- > 0;) {
        const BasicBlock& block = kernel_.blocks[b];
        if (!block.reachable) continue;
        Registers now = after(b);
        if (block.callee != kNoIndex) {
          for (const Edge& edge : block.successors) returned_ |= before_[edge.block];
        }
        for (std::uint32_t i = block.last + 1; i-- > block.first;) {
          now = (now & ~uses_[i].ends) | uses_[i].reads;
        }
        if (now != before_[b]) changed = true;
        before_[b] = now;
      }
      if (returned_ != returned) changed = true;
    }
  }

  Registers after(std::uint32_t b) const {
    const BasicBlock& block = kernel_.blocks[b];
    Registers live;
    for (const Edge& edge : block.successors) live |= before_[edge.block];
    if (block.callee != kNoIndex) live |= before_[block.callee];
    if (block.returns) live |= returned_;
    return live;
  }

  const Kernel& kernel_;
  std::vector<Registers> before_;  // per block
  std::vector<Use> uses_;          // per instruction
  Registers returned_;             // what callers read after any return
};

}  // namespace

std::vector<std::uint16_t> live_registers(const Kernel& kernel) {
  return Liveness(kernel).counts();
}

}  // namespace burin::read
