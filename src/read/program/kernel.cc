#include "read/program/kernel.h"

#include <algorithm>

#include "base/format.h"
#include "base/timings.h"
#include "read/isa/decode.h"
#include "read/program/control_flow.h"
#include "read/program/dependences.h"
#include "read/program/dominators.h"
#include "read/program/loops.h"

namespace burin::read {
namespace {

bool below(const std::vector<TreeSpan>& spans, std::uint32_t a, std::uint32_t b) {
  return a == b || spans[b].first - spans[a].first < spans[a].count;
}

}  // namespace

std::span<const Dependence> Kernel::dependences_of(std::uint32_t instruction) const {
  const auto first = std::lower_bound(
      dependences.begin(), dependences.end(), instruction,
      [](const Dependence& d, std::uint32_t consumer) { return d.consumer < consumer; });
  auto last = first;
  while (last != dependences.end() && last->consumer == instruction) ++last;
  return {first, last};
}

bool Kernel::dominates(std::uint32_t a, std::uint32_t b) const {
  return below(dominator_spans, a, b);
}

bool Kernel::post_dominates(std::uint32_t a, std::uint32_t b) const {
  return below(post_dominator_spans, a, b);
}

std::int32_t Kernel::location_at(std::uint32_t offset) const {
  const std::vector<LineRow>& lines = function->lines;
  const auto next = std::upper_bound(
      lines.begin(), lines.end(), offset,
      [](std::uint32_t wanted, const LineRow& row) { return wanted < row.offset; });
  return next == lines.begin() ? -1 : (next - 1)->location;
}

Kernel build_from(std::vector<Instruction> instructions, const Image& image,
                  const Function& function, KernelOptions options) {
  Kernel kernel;
  kernel.image = &image;
  kernel.function = &function;
  kernel.instructions = std::move(instructions);
  {
    Timed timed("control flow");
    build_blocks(kernel);
    find_dominators(kernel);
    find_loops(kernel);
  }
  if (options.dependences) {
    Timed timed("dependences");
    find_dependences(kernel);
  }
  return kernel;
}

Result<Kernel> build_kernel(const Image& image, const Function& function, KernelOptions options) {
  if (function.code.size() / 16 > kMaxInstructions) {
    return Error{fmt::format(
        "{}: {} instructions exceed the control-flow analysis limit of {}; use --sass to list them",
        function.demangled, function.code.size() / 16, kMaxInstructions)};
  }
  Result<std::vector<Instruction>> instructions = decode_all(function.code, image.arch);
  if (!instructions) return instructions.error().within(function.demangled);
  return build_from(std::move(*instructions), image, function, options);
}

}  // namespace burin::read
