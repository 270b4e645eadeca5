// One instruction alone: set registers, execute, look at registers.
//
//   OneOp op({0x0000000203047210, 0x004fe20007ffe0ff});    // IADD3 R4, R3, R2, RZ
//   op.warp().slots[3][0] = 5;
//   op.run();
//   EXPECT_EQ(op.warp().slots[4][0], …);
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "emulate/state/block.h"
#include "emulate/state/grid.h"
#include "emulate/state/lower.h"
#include "emulate/state/warp.h"
#include "read/isa/decode.h"
#include "read/isa/print.h"
#include "read/program/kernel.h"

namespace burin::emulate {

class OneOp {
 public:
  struct Word {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
  };

  explicit OneOp(Word word, read::Architecture arch = {90}, ConstantMemory constants = {}) {
    image_.arch = arch;
    function_.name = "one";
    kernel_ = read::build_from({read::decode(word.low, word.high, arch, 0)}, image_, function_,
                               {.dependences = false});
    program_ = lower(kernel_, std::move(constants));
    grid_.kernel = &kernel_;
    grid_.launch = &launch_;
    grid_.options = &options_;
    grid_.memory = std::make_shared<GlobalMemory>();
    block_.grid = &grid_;
    block_.cluster = &cluster_;
    block_.threads = 32;
    auto warp = std::make_unique<Warp>();
    warp->slots = {};
    warp->unknown = {};
    warp->predicates = {};
    warp->predicate_unknown = {};
    warp->convergence = {};
    warp->predicates[kTrueSlot] = kAllLanes;
    warp->program = program_.get();
    warp->block = &block_;
    warp->live = kAllLanes;
    warp->splits = {Split{.pc = 0, .lanes = kAllLanes, .forks = {}}};
    block_.warps.push_back(std::move(warp));
  }
  OneOp(const OneOp&) = delete;
  OneOp& operator=(const OneOp&) = delete;

  Warp& warp() { return *block_.warps[0]; }
  Block& block() { return block_; }
  Grid& grid() { return grid_; }
  const read::Instruction& instruction() const { return kernel_.instructions[0]; }
  launch::Launch& launch() { return launch_; }
  RunOptions& options() { return options_; }
  std::string text() const {
    std::string out;
    read::print(kernel_.instructions[0], out);
    return out;
  }

  // Executes for the lanes of `active` whose guard holds. False where it was refused.
  bool run(Mask active = kAllLanes) {
    Warp& w = warp();
    const Op& op = program_->ops[0];
    const Mask guard = w.predicates[op.guard] ^ op.guard_flip;
    const Mask doubt = w.predicate_unknown[op.guard];
    w.pc = 0;
    w.next_pc = 1;
    w.active = active;
    w.exec = op.uniform ? guard | doubt : active & (guard | doubt);
    w.doubtful = w.exec & doubt;
    w.access_count = 0;
    w.retry = false;
    w.moved = false;
    if (w.exec != 0) op.execute(w, op);
    return !grid_.stopped;
  }

 private:
  read::Image image_;
  read::Function function_;
  read::Kernel kernel_;
  launch::Launch launch_;
  RunOptions options_;
  std::unique_ptr<Program> program_;
  Grid grid_;
  Cluster cluster_;
  Block block_;
};

inline void set_address(Warp& warp, std::uint16_t slot, unsigned lane, std::uint64_t address) {
  warp.slots[slot][lane] = static_cast<std::uint32_t>(address);
  warp.slots[slot + 1][lane] = static_cast<std::uint32_t>(address >> 32);
}

// The value in the first bytes, for an access of whatever size.
inline Datum datum(std::uint64_t value) {
  Datum d;
  std::memcpy(d.bytes.data(), &value, 8);
  return d;
}

}  // namespace burin::emulate
