#include "timing/code/timed_code.h"

#include <algorithm>
#include <charconv>

#include "read/isa/traits.h"

namespace burin {

namespace {

using Kind = TimedOp::Kind;

Unit unit_of(TimingClass c) {
  using enum TimingClass;
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

Kind kind_of(const Instruction& i, TimingClass c) {
  switch (sync_of(i)) {
    case Sync::kScoreboard:
      return Kind::kDepbar;
    case Sync::kCopyCommit:
      return Kind::kCopyCommit;
    case Sync::kProducts:
      for (const Operand& o : i.operands())
        if (o.kind == Operand::Kind::kGroupScoreboard || o.kind == Operand::Kind::kImmediate)
          return Kind::kProductWait;
      return Kind::kPlain;
    case Sync::kFence:
      return Kind::kMembar;
    case Sync::kBlockBarrier:
    case Sync::kClusterArrive:
    case Sync::kClusterWait:
    case Sync::kMbarrier:
    case Sync::kCopyArrive:
      return Kind::kBarrier;
    default:
      break;
  }
  switch (c) {
    case TimingClass::kMemory:
      return Kind::kMemory;
    case TimingClass::kShuffle:
      return Kind::kShuffle;
    case TimingClass::kMatrixLoad:
      return Kind::kMatrixLoad;
    case TimingClass::kWgmma:
      return Kind::kProduct;
    case TimingClass::kBulk:
      return Kind::kBulk;
    default:
      break;
  }
  if (i.known() && i.opcode->flow == Opcode::kExit) return Kind::kExit;
  if (i.known() && (i.opcode->flow == Opcode::kBranch || i.opcode->flow == Opcode::kCall ||
                    i.opcode->flow == Opcode::kReturn || i.opcode->flow == Opcode::kSync)) {
    return Kind::kBranch;
  }
  return Kind::kPlain;
}

double matrices(const Instruction& i) {
  for (const Modifier& m : i.modifiers()) {
    if (m.text == "2") return 2;
    if (m.text == "4") return 4;
  }
  return 1;
}

// Registers that an instruction reads from each bank, and those of them that the instruction before
// left in the reuse cache.
void count_bank_reads(const Instruction& i, const Instruction* before, unsigned banks,
                      TimedOp& op) {
  unsigned slot = 0;
  std::vector<std::uint16_t> read;
  for (const Operand& o : i.operands()) {
    if (o.kind != Operand::Kind::kRegister || o.file != RegisterFile::kGeneral || !o.read) continue;
    const unsigned here = slot++;
    if (o.index == kZeroRegister) continue;
    bool kept = false;
    if (before != nullptr && o.count == 1) {
      unsigned other = 0;
      for (const Operand& b : before->operands()) {
        if (b.kind != Operand::Kind::kRegister || b.file != RegisterFile::kGeneral || !b.read)
          continue;
        if (other++ == here && b.reuse && b.index == o.index) kept = true;
      }
    }
    for (unsigned k = 0; k < o.count; ++k) {
      const auto index = static_cast<std::uint16_t>(o.index + k);
      if (std::find(read.begin(), read.end(), index) != read.end()) continue;  // once is enough
      read.push_back(index);
      ++op.bank_reads[index % banks];
      if (kept) ++op.reused[index % banks];
    }
  }
}

bool by_register(const Instruction& i) {
  return std::ranges::any_of(i.operands(), [](const Operand& o) {
    return o.is_register(RegisterFile::kGeneral) && o.index != kZeroRegister;
  });
}

void read_numbers(const Instruction& i, std::uint32_t constant_line, TimedOp& op) {
  for (const Operand& o : i.operands()) {
    if (op.kind == Kind::kDepbar) {
      if (o.kind == Operand::Kind::kScoreboard) op.scoreboard = static_cast<std::uint8_t>(o.value);
      if (o.kind == Operand::Kind::kImmediate) op.left = static_cast<std::uint8_t>(o.value);
      if (o.kind == Operand::Kind::kScoreboardSet) {
        op.wait_mask = static_cast<std::uint8_t>(op.wait_mask | o.value);
      }
    }
    if (op.kind == Kind::kProductWait && o.kind == Operand::Kind::kImmediate) {
      op.left = static_cast<std::uint8_t>(o.value);
    }
    if (op.kind == Kind::kProduct && o.kind == Operand::Kind::kGroupScoreboard && !o.hidden) {
      op.ends_products = true;
    }
    if (o.kind == Operand::Kind::kConstant && o.base == Operand::kNoRegister && o.value >= 0 &&
        op.timing_class != TimingClass::kConstantLoad) {
      op.constant = (std::uint32_t{o.bank} << 16) + static_cast<std::uint32_t>(o.value);
      op.constant /= constant_line;
    }
  }
}

}  // namespace

bool only_reads(const Instruction& i) {
  const std::string_view operation = i.modifier("operation");
  const bool keeps_with_zero = operation == "ADD" || operation == "OR" || operation == "XOR";
  if (!keeps_with_zero || !is_returning_atomic(i) || !may_be_global(i)) return false;
  const Operand& last = i.operands().back();
  return last.is_register(RegisterFile::kGeneral) && last.index == kZeroRegister && !last.written;
}

unsigned product_columns(const Instruction& instruction) {
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
    return op.unit == Unit::kTensor && op.timing_class != TimingClass::kHalfMma &&
           op.timing_class != TimingClass::kDmma;
  });
}

void set_class(TimedOp& op, TimingClass timing_class, const Machine& machine) {
  op.timing_class = timing_class;
  op.unit = unit_of(timing_class);
  op.resource = resource_of(timing_class);
  op.gap = machine.of(timing_class).gap;
  op.latency = machine.of(timing_class).latency;
}

std::vector<TimedOp> timed_code(const Kernel& kernel, const MachineOf& machines) {
  std::vector<TimedOp> code(kernel.instructions.size());
  for (std::size_t at = 0; at < code.size(); ++at) {
    const Instruction& i = kernel.instructions[at];
    const Machine& machine = machines.of(static_cast<std::uint32_t>(at));
    TimedOp& op = code[at];
    if (!i.known()) continue;
    set_class(op, timing_class(i), machine);
    op.kind = kind_of(i, op.timing_class);
    op.block_barrier = is_barrier(i);
    op.strong = only_reads(i) ||
                (is_plain_load(i) && may_be_global(i) && i.modifier("order").starts_with("STRONG"));
    op.cluster_barrier = is_cluster_barrier(i);
    op.call = i.opcode->flow == Opcode::kCall || i.opcode->flow == Opcode::kReturn;
    op.indirect = i.opcode->flow == Opcode::kCall && by_register(i);
    op.joins = i.opcode->flow == Opcode::kSync;
    op.fence = op.kind == Kind::kMembar && !i.modifier("scope").starts_with("CTA");
    op.empties_l1 = has(i, Trait::kCacheControl) && i.modifier("operation") == "IVALL";
    op.any_barrier = sync_of(i) == Sync::kBlockBarrier && by_register(i);
    op.reads_barrier = sync_of(i) == Sync::kBarrierResult;
    if (op.reads_barrier) op.latency = machine.barrier.result;
    if (op.kind == Kind::kProduct) op.gap *= product_columns(i) / 8.0;
    if (op.kind == Kind::kMatrixLoad) op.gap *= matrices(i);
    op.yield = i.control.yield;
    op.stall = std::max(op.yield ? 2 : 1, int{i.control.stall});
    if (op.timing_class == TimingClass::kFmaWide || op.timing_class == TimingClass::kFmaHigh) {
      // The stall count begins when the last of its slots is over.
      op.slots = machine.issue.wide_slots;
      op.stall += op.slots - 1;
    }
    op.write_barrier = i.control.write_barrier;
    op.read_barrier = i.control.read_barrier;
    op.wait_mask = i.control.wait_mask;
    const Space space = i.opcode->space;
    op.queue_global = op.kind == Kind::kMemory && space != Space::kShared;
    op.long_scoreboard = op.queue_global || op.kind == Kind::kCopyCommit;
    op.fetch_line = static_cast<std::uint32_t>(
        at * 16 / static_cast<std::size_t>(std::max(16.0, machine.fetch.line)));
    read_numbers(i, static_cast<std::uint32_t>(machine.constant.line), op);
    count_bank_reads(i, at == 0 ? nullptr : &kernel.instructions[at - 1],
                     static_cast<unsigned>(machine.issue.register_banks), op);
  }
  return code;
}

}  // namespace burin
