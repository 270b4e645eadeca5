#include "read/ptx/roles.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace burin::read::ptx {
namespace {

// Opcodes that write no register. Every other one writes its first operand.
constexpr std::array<std::string_view, 30> kWriteNothing = {"applypriority",
                                                            "bar",
                                                            "barrier",
                                                            "bra",
                                                            "brkpt",
                                                            "brx",
                                                            "cp",
                                                            "discard",
                                                            "exit",
                                                            "fence",
                                                            "griddepcontrol",
                                                            "membar",
                                                            "nanosleep",
                                                            "pmevent",
                                                            "prefetch",
                                                            "prefetchu",
                                                            "red",
                                                            "ret",
                                                            "setmaxnreg",
                                                            "st",
                                                            "stackrestore",
                                                            "stmatrix",
                                                            "sured",
                                                            "sust",
                                                            "tcgen05",
                                                            "tensormap",
                                                            "trap",
                                                            "wgmma",
                                                            "multimem",
                                                            "clusterlaunchcontrol"};

bool writes_first_operand(const Instruction& instruction) {
  const std::string_view base = instruction.base();
  // bar.red and barrier.red give back the reduction.
  if (base == "bar" || base == "barrier") return instruction.has_modifier("red");
  if (base == "mbarrier") {
    return instruction.operands.size() > 1 &&
           instruction.operands.front().kind != Operand::Kind::kAddress;
  }
  return std::ranges::find(kWriteNothing, base) == kWriteNothing.end();
}

void visit_operand(const Operand& operand, bool written,
                   const std::function<void(const Operand&, bool)>& visit) {
  if (operand.kind == Operand::Kind::kName) {
    visit(operand, written);
    return;
  }
  const bool value = operand.kind == Operand::Kind::kVector ||
                     operand.kind == Operand::Kind::kPair || operand.kind == Operand::Kind::kList;
  for (const Operand& part : operand.parts) visit_operand(part, written && value, visit);
}

}  // namespace

void visit_names(const Instruction& instruction,
                 const std::function<void(const Operand&, bool)>& visit) {
  const bool is_call = instruction.base() == "call";
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    const bool written = i == 0 && (is_call ? operand.kind == Operand::Kind::kList
                                            : writes_first_operand(instruction));
    visit_operand(operand, written, visit);
  }
}

}  // namespace burin::read::ptx
