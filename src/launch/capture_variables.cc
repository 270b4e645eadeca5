#include "launch/capture_variables.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace burin {
namespace {

// The variable's bytes before the launch; nothing where they are not all there.
std::optional<std::vector<std::uint8_t>> contents_of(const CapturedVariable& variable,
                                                     const std::vector<CapturedPiece>& pieces) {
  std::vector<std::uint8_t> bytes;
  for (const CapturedPiece& piece : pieces) {  // by address
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

struct Known {
  const Variable* variable = nullptr;
  std::uint64_t address = 0;
  std::vector<std::uint8_t> bytes;
};

// The address of the whole section, where every variable of it is known and they agree.
std::uint64_t section_address(const Image& image, VariablePlace::Kind kind,
                              const std::vector<Known>& known) {
  std::optional<std::uint64_t> base;
  for (const Variable& variable : image.variables) {
    if (variable.place.kind != kind) continue;
    const auto found = std::ranges::find(known, &variable, &Known::variable);
    if (found == known.end() || found->address < variable.place.offset) return 0;
    const std::uint64_t here = found->address - variable.place.offset;
    if (base.value_or(here) != here) return 0;
    base = here;
  }
  return base.value_or(0);
}

}  // namespace

Result<bool> rebuild_variables(const Capture& capture, const CapturedLaunch& launch,
                               const Image& image, Launch& to) {
  const Result<std::vector<CapturedVariable>> captured = capture.variables(launch.id);
  if (!captured) return captured.error();
  if (captured->empty()) return false;
  const Result<CapturedMemory> memory = capture.memory(launch.id);
  if (!memory) return memory.error();
  std::vector<Known> known;
  for (const CapturedVariable& variable : *captured) {
    const auto found = std::ranges::find(image.variables, variable.name, &Variable::name);
    auto bytes = contents_of(variable, memory->before);
    if (found == image.variables.end() || !bytes || found->place.size != variable.size) continue;
    known.push_back({&*found, variable.address, std::move(*bytes)});
  }
  using Kind = VariablePlace::Kind;
  to.variables.initial = section_address(image, Kind::kInitial, known);
  to.variables.zero = section_address(image, Kind::kZero, known);
  for (Known& each : known) {
    const VariablePlace& place = each.variable->place;
    const bool is_placed = (place.kind == Kind::kInitial && to.variables.initial != 0) ||
                           (place.kind == Kind::kZero && to.variables.zero != 0);
    if (is_placed) continue;
    const std::string name(each.variable->name);
    to.settings.push_back({name, name, place, Argument{name, std::move(each.bytes)}});
  }
  return !known.empty();
}

}  // namespace burin
