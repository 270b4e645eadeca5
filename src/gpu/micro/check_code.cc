#include "gpu/micro/check_code.h"

#include <algorithm>

#include "base/format.h"
#include "read/isa/decode.h"
#include "read/isa/print.h"

namespace burin::gpu {
namespace {

bool reads_clock(const read::Instruction& instruction) {
  return std::ranges::any_of(instruction.operands(), [](const read::Operand& operand) {
    return operand.kind == read::Operand::Kind::kSpecial && operand.suffix.starts_with("SR_CLOCK");
  });
}

// Without its guard: a kernel may be timed under one.
std::string text_of(const read::Instruction& instruction) {
  std::string text;
  read::print(instruction, text);
  if (text.starts_with('@')) text.erase(0, text.find(' ') + 1);
  return text;
}

}  // namespace

Result<void> check_instructions(std::span<const read::Instruction> instructions,
                                const CodeCheck& check) {
  const auto first = std::ranges::find_if(instructions, reads_clock);
  const auto last = std::ranges::find_if(instructions.rbegin(), instructions.rend(), reads_clock);
  if (first == instructions.end() || &*first == &*last) {
    return Error{check.kernel + ": its code does not read the clock twice"};
  }
  unsigned count = 0;
  for (auto at = first + 1; &*at != &*last; ++at) {
    const std::string text = text_of(*at);
    if (text.starts_with(check.wanted)) {
      ++count;
    } else if (std::ranges::find(check.also, at->mnemonic()) == check.also.end()) {
      return Error{fmt::format("{}: unexpected '{}' between its clock reads", check.kernel, text)};
    }
  }
  if (count != check.count) {
    return Error{fmt::format("{}: {} {} between its clock reads, expected {}", check.kernel, count,
                             check.wanted, check.count)};
  }
  return {};
}

Result<void> check_code(const read::Image& image, const CodeCheck& check) {
  const auto found = std::ranges::find(image.functions, check.kernel, &read::Function::name);
  if (found == image.functions.end()) return Error{"no kernel named " + check.kernel};
  const Result<std::vector<read::Instruction>> instructions =
      read::decode_all(found->code, image.arch);
  if (!instructions) return instructions.error().within(check.kernel);
  return check_instructions(*instructions, check);
}

}  // namespace burin::gpu
