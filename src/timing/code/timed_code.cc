#include "timing/code/timed_code.h"

#include <algorithm>
#include <charconv>

#include "read/isa/traits.h"

namespace burin::timing {

namespace {

using Kind = TimedOp::Kind;

Unit unit_of(machine::TimingClass c) {
  using enum machine::TimingClass;
  switch (c) {
    case kFma:
      return Unit::kFma;
    case kHalf:
      return Unit::kFmaBoth;
    case kFmaHeavy:
    case kFmaWide:
    case kFmaHigh:
      return Unit::kFmaHeavy;
    case kAlu:
    case kAluCarry:
    case kVote:
      return Unit::kAlu;
    case kFp64:
      return Unit::kFp64;
    case kMufu:
    case kConvert:
    case kConvert64:
    case kBits:
    case kSpecial:
    case kRedux:
      return Unit::kXu;
    case kHmma16:
    case kHmma32:
    case kHmma32Short:
    case kTf32:
    case kImma:
    case kImmaShort:
    case kDmma:
    case kWgmma:
    case kHalfMma:
      return Unit::kTensor;
    case kUniform:
      return Unit::kUniform;
    case kShuffle:
    case kMatrixLoad:
    case kMemory:
    case kConstantLoad:
      return Unit::kLsu;
    case kBulk:
      return Unit::kBulk;
    default:
      return Unit::kNone;
  }
}

Kind kind_of(const read::Instruction& i, machine::TimingClass c) {
  switch (read::sync_of(i)) {
    case read::Sync::kScoreboard:
      return Kind::kDepbar;
    case read::Sync::kCopyCommit:
      return Kind::kCopyCommit;
    case read::Sync::kProducts:
      for (const read::Operand& o : i.operands())
        if (o.kind == read::Operand::Kind::kGroupScoreboard ||
            o.kind == read::Operand::Kind::kImmediate)
          return Kind::kProductWait;
      return Kind::kPlain;
    case read::Sync::kFence:
      return Kind::kMembar;
    case read::Sync::kBlockBarrier:
    case read::Sync::kClusterArrive:
    case read::Sync::kClusterWait:
    case read::Sync::kMbarrier:
    case read::Sync::kCopyArrive:
      return Kind::kBarrier;
    default:
      break;
  }
  switch (c) {
    case machine::TimingClass::kMemory:
      return Kind::kMemory;
    case machine::TimingClass::kShuffle:
      return Kind::kShuffle;
    case machine::TimingClass::kMatrixLoad:
      return Kind::kMatrixLoad;
    case machine::TimingClass::kWgmma:
      return Kind::kProduct;
    case machine::TimingClass::kBulk:
      return Kind::kBulk;
    default:
      break;
  }
  if (i.known() && i.opcode->flow == read::Opcode::kExit) return Kind::kExit;
  if (i.known() &&
      (i.opcode->flow == read::Opcode::kBranch || i.opcode->flow == read::Opcode::kCall ||
       i.opcode->flow == read::Opcode::kReturn || i.opcode->flow == read::Opcode::kSync)) {
    return Kind::kBranch;
  }
  return Kind::kPlain;
}

double matrices(const read::Instruction& i) {
  for (const read::Modifier& m : i.modifiers()) {
    if (m.text == "2") return 2;
    if (m.text == "4") return 4;
  }
  return 1;
}

// The operand reuse cache of a warp: one register per operand and bank, until another register of
// the bank is read as the same operand.
class ReuseCache {
 public:
  explicit ReuseCache(unsigned banks) : banks_(banks), kept_(kOperands * banks, kNothing) {}

  bool has(unsigned operand, std::uint16_t index) const {
    return operand < kOperands && kept_[operand * banks_ + index % banks_] == index;
  }
  void read(unsigned operand, std::uint16_t index, bool reuse) {
    if (operand < kOperands) kept_[operand * banks_ + index % banks_] = reuse ? index : kNothing;
  }
  void clear() { std::ranges::fill(kept_, kNothing); }

 private:
  static constexpr unsigned kOperands = 3;
  static constexpr std::uint16_t kNothing = 0xffff;
  unsigned banks_;
  std::vector<std::uint16_t> kept_;
};

// Registers that an instruction reads from each bank, and those of them that are in the reuse
// cache.
void count_bank_reads(const read::Instruction& i, ReuseCache& cache, unsigned banks, TimedOp& op) {
  unsigned slot = 0;
  std::vector<std::uint16_t> read;
  for (const read::Operand& o : i.operands()) {
    if (o.kind != read::Operand::Kind::kRegister || o.file != read::RegisterFile::kGeneral ||
        !o.read)
      continue;
    const unsigned here = slot++;
    if (o.index == read::kZeroRegister) continue;
    const bool kept = o.count == 1 && cache.has(here, o.index);
    for (unsigned k = 0; k < o.count; ++k) {
      const auto index = static_cast<std::uint16_t>(o.index + k);
      cache.read(here, index, o.reuse && o.count == 1);
      if (std::find(read.begin(), read.end(), index) != read.end()) continue;  // already counted
      read.push_back(index);
      ++op.bank_reads[index % banks];
      if (kept) ++op.reused[index % banks];
    }
  }
}

bool by_register(const read::Instruction& i) {
  return std::ranges::any_of(i.operands(), [](const read::Operand& o) {
    return o.is_register(read::RegisterFile::kGeneral) && o.index != read::kZeroRegister;
  });
}

void read_numbers(const read::Instruction& i, std::uint32_t constant_line, TimedOp& op) {
  for (const read::Operand& o : i.operands()) {
    if (op.kind == Kind::kDepbar) {
      if (o.kind == read::Operand::Kind::kScoreboard)
        op.scoreboard = static_cast<std::uint8_t>(o.value);
      if (o.kind == read::Operand::Kind::kImmediate) op.left = static_cast<std::uint8_t>(o.value);
      if (o.kind == read::Operand::Kind::kScoreboardSet) {
        op.wait_mask = static_cast<std::uint8_t>(op.wait_mask | o.value);
      }
    }
    if (op.kind == Kind::kProductWait && o.kind == read::Operand::Kind::kImmediate) {
      op.left = static_cast<std::uint8_t>(o.value);
    }
    if (op.kind == Kind::kProduct && o.kind == read::Operand::Kind::kGroupScoreboard && !o.hidden) {
      op.ends_products = true;
    }
    if (o.kind != read::Operand::Kind::kConstant ||
        op.timing_class == machine::TimingClass::kConstantLoad) {
      continue;
    }
    const bool indexed =
        o.uniform != read::Operand::kNoRegister && o.uniform != read::kZeroRegister;
    if (indexed && i.opcode->space == read::Space::kConstant) {
      op.indexed_bank = o.bank;
    } else if (!indexed && o.base == read::Operand::kNoRegister && o.value >= 0) {
      op.constant = (std::uint32_t{o.bank} << 16) + static_cast<std::uint32_t>(o.value);
      op.constant /= constant_line;
    }
  }
}

}  // namespace

bool only_reads(const read::Instruction& i) {
  const std::string_view operation = i.modifier("operation");
  const bool keeps_with_zero = operation == "ADD" || operation == "OR" || operation == "XOR";
  if (!keeps_with_zero || !read::is_returning_atomic(i) || !read::may_be_global(i)) return false;
  const read::Operand& last = i.operands().back();
  return last.is_register(read::RegisterFile::kGeneral) && last.index == read::kZeroRegister &&
         !last.written;
}

unsigned product_columns(const read::Instruction& instruction) {
  const std::string_view shape = instruction.modifier("shape");
  const std::size_t first = shape.find('x');
  unsigned columns = 0;
  if (first != shape.npos) {
    std::from_chars(shape.data() + first + 1, shape.data() + shape.size(), columns);
  }
  return columns != 0 ? columns : 8;
}

bool uses_tensor_cores(std::span<const TimedOp> code) {
  return std::ranges::any_of(code, [](const TimedOp& op) {
    return op.unit == Unit::kTensor && op.timing_class != machine::TimingClass::kHalfMma &&
           op.timing_class != machine::TimingClass::kDmma;
  });
}

void set_class(TimedOp& op, machine::TimingClass timing_class, const machine::Machine& machine) {
  op.timing_class = timing_class;
  op.unit = unit_of(timing_class);
  op.resource = machine::resource_of(timing_class);
  op.gap = machine.of(timing_class).gap;
  op.latency = machine.of(timing_class).latency;
}

std::vector<TimedOp> timed_code(const read::Kernel& kernel, const MachineOf& machines) {
  std::vector<TimedOp> code(kernel.instructions.size());
  const auto banks = static_cast<unsigned>(machines.whole().issue.register_banks);
  ReuseCache cache(banks);
  for (std::size_t at = 0; at < code.size(); ++at) {
    const read::Instruction& i = kernel.instructions[at];
    const machine::Machine& machine = machines.of(static_cast<std::uint32_t>(at));
    TimedOp& op = code[at];
    op.fetch_line = static_cast<std::uint32_t>(
        at * 16 / static_cast<std::size_t>(std::max(16.0, machine.fetch.line)));
    if (!i.known()) continue;
    set_class(op, machine::timing_class(i), machine);
    op.kind = kind_of(i, op.timing_class);
    op.block_barrier = read::is_barrier(i);
    op.strong = only_reads(i) || (read::is_plain_load(i) && read::may_be_global(i) &&
                                  i.modifier("order").starts_with("STRONG"));
    op.cluster_barrier = read::is_cluster_barrier(i);
    op.call = i.opcode->flow == read::Opcode::kCall || i.opcode->flow == read::Opcode::kReturn;
    op.indirect = i.opcode->flow == read::Opcode::kCall && by_register(i);
    op.joins = i.opcode->flow == read::Opcode::kSync;
    op.fence = op.kind == Kind::kMembar && !i.modifier("scope").starts_with("CTA");
    op.empties_l1 = read::has(i, read::Trait::kCacheControl) && i.modifier("operation") == "IVALL";
    op.any_barrier = read::sync_of(i) == read::Sync::kBlockBarrier && by_register(i);
    op.reads_barrier = read::sync_of(i) == read::Sync::kBarrierResult;
    if (op.reads_barrier) op.latency = machine.barrier.result;
    if (op.kind == Kind::kProduct) op.gap *= product_columns(i) / 8.0;
    if (op.kind == Kind::kMatrixLoad) op.gap *= matrices(i);
    op.yield = i.control.yield;
    op.stall = std::max(op.yield ? machine.issue.yield : 1.0, static_cast<double>(i.control.stall));
    if (op.timing_class == machine::TimingClass::kFmaWide ||
        op.timing_class == machine::TimingClass::kFmaHigh) {
      // The stall count starts after the last issue slot.
      op.slots = machine.issue.wide_slots;
      op.stall += op.slots - 1;
    }
    op.write_barrier = i.control.write_barrier;
    op.read_barrier = i.control.read_barrier;
    op.wait_mask = i.control.wait_mask;
    const read::Space space = i.opcode->space;
    op.queue_global = op.kind == Kind::kMemory && space != read::Space::kShared;
    op.long_scoreboard = op.queue_global || op.kind == Kind::kCopyCommit;
    read_numbers(i, static_cast<std::uint32_t>(machine.constant.line), op);
    if (at != 0 && kernel.block_of[at] != kernel.block_of[at - 1]) cache.clear();
    count_bank_reads(i, cache, banks, op);
  }
  return code;
}

}  // namespace burin::timing
