#include "advise/compare/kernel_facts.h"

#include <algorithm>

#include "advise/case/requests.h"
#include "base/sha256.h"
#include "read/program/classes.h"
#include "read/program/source.h"

namespace burin::advise {
namespace {

bool is_reachable(const read::Kernel& kernel, std::size_t instruction) {
  return kernel.blocks[kernel.block_of[instruction]].reachable;
}

// The source line of each instruction; inlined code counts for its own line.
std::vector<LineKey> lines_of_all(const read::Kernel& kernel) {
  std::vector<LineKey> lines;
  read::LineWalk walk(*kernel.function);
  for (const read::Instruction& instruction : kernel.instructions) {
    const auto chain = read::call_chain(*kernel.image, walk.at(instruction.offset));
    lines.push_back(chain.empty()
                        ? LineKey{}
                        : LineKey{std::string(read::path_of(*kernel.image, *chain.front())),
                                  chain.front()->line});
  }
  return lines;
}

}  // namespace

std::uint64_t spills_of(const read::Kernel& kernel) {
  return static_cast<std::uint64_t>(std::ranges::count(spills_in(kernel), 1));
}

KernelFacts facts_of(const read::Kernel& kernel) {
  const read::Function& function = *kernel.function;
  KernelFacts facts{.name = function.name, .demangled = function.demangled};
  facts.digest = sha256_hex(function.code);
  facts.registers = function.registers;
  facts.shared = function.shared_bytes;
  facts.local = function.local_bytes;
  for (const read::ConstantBank& bank : function.constants) facts.constant += bank.contents.size();
  facts.barriers = function.barriers;
  facts.spills = spills_of(kernel);
  facts.code = function.code.size();
  facts.classes.resize(read::instruction_classes().size());
  const std::vector<LineKey> lines = lines_of_all(kernel);
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    if (!is_reachable(kernel, i)) continue;
    ++facts.instructions;
    ++facts.classes[read::class_of(kernel.instructions[i])];
    ++facts.lines[lines[i]].instructions;
  }
  return facts;
}

void add_profile(KernelFacts& facts, const read::Kernel& kernel,
                 const launch::StallProfile& profile) {
  facts.profiled = profile.total();
  if (facts.profiled <= 0) return;
  const std::vector<LineKey> lines = lines_of_all(kernel);
  facts.issued = profile.issued() / facts.profiled;
  for (const launch::StallRow& row : profile.rows) {
    const std::size_t instruction = row.offset / read::kInstructionBytes;
    LineFacts& line = facts.lines[instruction < lines.size() ? lines[instruction] : LineKey{}];
    line.share += row.total() / facts.profiled;
    for (std::size_t s = 0; s < launch::kStalls; ++s) {
      const double share = row.stalls[s].sum() / facts.profiled;
      line.stalls[s] += share;
      facts.stalls[s] += share;
    }
  }
}

}  // namespace burin::advise
