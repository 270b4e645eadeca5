#include "advise/patterns/mapping/exchanged_axes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "advise/patterns/mapping/launch_shape.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::int64_t kSizeBytes = 4;
constexpr unsigned kSizes = 6;  // of the block and of the grid, from the start of constant bank 0

using Names = std::array<std::string_view, 3>;
constexpr std::array<Names, 2> kCoordinates = {
    Names{"SR_TID.X", "SR_TID.Y", "SR_TID.Z"},
    Names{"SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z"},
};

unsigned other_axis(unsigned axis, unsigned exchanged) {
  return axis == 0 ? exchanged : axis == exchanged ? 0 : axis;
}

// Returns false if the operand covers several sizes.
bool exchange(read::Operand& o, unsigned bytes, unsigned axis) {
  if (o.kind == read::Operand::Kind::kSpecial) {
    for (const Names& names : kCoordinates) {
      const auto* const at = std::ranges::find(names, o.suffix);
      if (at == names.end()) continue;
      o.suffix = names[other_axis(static_cast<unsigned>(at - names.begin()), axis)];
      break;
    }
    return true;
  }
  const bool sizes = o.kind == read::Operand::Kind::kConstant && o.bank == 0 && o.value >= 0 &&
                     o.value < kSizes * kSizeBytes;
  if (!sizes) return true;
  const bool fixed = o.base == read::Operand::kNoRegister || o.base == read::kZeroRegister;
  if (bytes > kSizeBytes || o.value % kSizeBytes != 0 || !fixed) return false;
  const auto size = static_cast<unsigned>(o.value / kSizeBytes);
  o.value = kSizeBytes * (size / 3 * 3 + other_axis(size % 3, axis));
  return true;
}

}  // namespace

std::optional<timing::Prediction> predict_exchanged(const Case& c, const ExchangedAxes& axes) {
  if (c.study == nullptr || !is_shape_analysed(c)) return std::nullopt;
  std::vector<read::Instruction> code = c.kernel.instructions;
  for (read::Instruction& i : code) {
    const unsigned bytes = i.known() && i.opcode->loads ? read::access_bytes(i) : kSizeBytes;
    for (std::size_t k = 0; k < i.operand_count; ++k) {
      if (!exchange(i.operand_storage[k], bytes, axes.axis)) return std::nullopt;
    }
  }
  const read::Kernel kernel =
      read::build_from(std::move(code), *c.kernel.image, *c.kernel.function);
  launch::Launch launch = c.study->launch();
  launch.grid = axes.grid;
  launch.block = axes.block;
  if (!launch::check_launch(launch, *c.kernel.function)) return std::nullopt;
  Result<timing::Prediction> then = timing::predict(kernel, launch, c.machine, c.study->options());
  if (!then || then->time_us <= 0) return std::nullopt;
  return std::move(*then);
}

void emulate_exchange(const Case& c, const LaneMapping& mapping, Match& match) {
  if (!mapping.exchanged) return;
  const std::optional<timing::Prediction> then = predict_exchanged(c, *mapping.exchanged);
  if (!then) return;
  match.emulated = c.study->base().time_us / then->time_us;
  match.complete = true;
  match.reach = 1;
  match.added_us = 0;
}

}  // namespace burin::advise
