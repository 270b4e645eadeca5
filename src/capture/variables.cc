#include "capture/variables.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace burin::capture {
namespace {

// The variable's bytes before the launch; nothing where they are not all there.
std::optional<std::vector<std::uint8_t>> contents_of(
    const CapturedVariable& variable, const std::vector<launch::MemoryPiece>& pieces) {
  std::vector<std::uint8_t> bytes;
  for (const launch::MemoryPiece& piece : pieces) {  // by address
    const std::uint64_t at = variable.address + bytes.size();
    if (bytes.size() == variable.size || piece.address > at) break;
    if (at - piece.address >= piece.bytes.size()) continue;
    const auto from = piece.bytes.begin() + static_cast<std::ptrdiff_t>(at - piece.address);
    const auto rest = static_cast<std::uint64_t>(piece.bytes.end() - from);
    const auto count = std::min<std::uint64_t>(rest, variable.size - bytes.size());
    bytes.insert(bytes.end(), from, from + static_cast<std::ptrdiff_t>(count));
  }
  if (bytes.size() != variable.size) return std::nullopt;
  return bytes;
}

}  // namespace

Result<bool> rebuild_variables(const Capture& capture, const CapturedLaunch& launch,
                               const read::Image& image, launch::Launch& to) {
  Result<std::uint64_t> from = launch.id;
  if (!launch.has_memory) from = capture.constants_at(launch);
  if (!from) return from.error();
  const Result<std::vector<CapturedVariable>> captured = capture.variables(*from);
  if (!captured) return captured.error();
  if (captured->empty()) return false;
  const Result<CapturedMemory> memory = capture.memory(*from);
  if (!memory) return memory.error();
  bool is_any_known = false;
  for (const CapturedVariable& variable : *captured) {
    const auto found = std::ranges::find(image.variables, variable.name, &read::Variable::name);
    auto bytes = contents_of(variable, memory->before);
    if (found == image.variables.end() || !bytes || found->place.size != variable.size) continue;
    if (found->place.kind == read::VariablePlace::Kind::kConstant) {
      is_any_known = true;
      to.settings.push_back({variable.name, variable.name, found->place,
                             launch::Argument{variable.name, std::move(*bytes)}});
    } else if (launch.has_memory) {
      is_any_known = true;
      to.variables.push_back({found->place, variable.address});
    }
  }
  return is_any_known;
}

std::vector<read::VariablePlace> unrecorded_variables(const read::Image& image,
                                                      const launch::Launch& launch) {
  std::vector<read::VariablePlace> places;
  const auto is_at = [](const read::VariablePlace& place) {
    return [&place](const auto& known) {
      return known.place.kind == place.kind && known.place.bank == place.bank &&
             known.place.offset == place.offset;
    };
  };
  for (const read::Variable& variable : image.variables) {
    const read::VariablePlace& place = variable.place;
    if (std::ranges::any_of(launch.settings, is_at(place)) ||
        std::ranges::any_of(launch.variables, is_at(place))) {
      continue;
    }
    bool is_zero = place.kind == read::VariablePlace::Kind::kZero;
    if (place.kind == read::VariablePlace::Kind::kConstant) {
      const auto bank = std::ranges::find(image.constants, place.bank, &read::ConstantBank::bank);
      if (bank == image.constants.end()) continue;
      const std::uint64_t size = bank->contents.size();
      is_zero = place.offset >= size ||
                std::ranges::all_of(
                    bank->contents.subspan(place.offset, std::min(place.size, size - place.offset)),
                    [](std::uint8_t byte) { return byte == 0; });
    }
    if (is_zero) places.push_back(place);
  }
  return places;
}

}  // namespace burin::capture
