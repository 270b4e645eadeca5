#include "timing/code/op_edit.h"

namespace burin::timing {

namespace {

// Times the instruction as another class. A double uses registers of both banks, a float of one.
void retype(TimedOp& op, machine::TimingClass to, double times, const machine::Machine& machine) {
  if (op.timing_class == machine::TimingClass::kFp64 && to != machine::TimingClass::kFp64) {
    for (auto* banks : {&op.bank_reads, &op.reused}) {
      for (std::uint8_t& reads : *banks) reads = static_cast<std::uint8_t>(reads / 2);
    }
  }
  // A memory access becomes a computation.
  if (op.kind == TimedOp::Kind::kMemory) op.kind = TimedOp::Kind::kPlain;
  set_class(op, to, machine);
  op.gap *= times;
  op.slots *= times;
  op.latency += op.gap * (1 - 1 / times);  // the consumer waits for the last one
}

}  // namespace

void edit_code(std::span<const OpEdit> edits, const MachineOf& machines,
               std::vector<TimedOp>& code) {
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    const OpEdit& edit = edits[i];
    TimedOp& op = code[i];
    if (edit.timed_as) retype(op, *edit.timed_as, edit.times, machines.of(i));
    op.hidden = edit.hidden;
    op.earlier = static_cast<float>(edit.earlier);
    op.fetched = edit.fetched;
    op.unguarded = edit.unguarded;
    if (op.kind != TimedOp::Kind::kExit) op.share = edit.share;
  }
}

}  // namespace burin::timing
