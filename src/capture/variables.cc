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
  const Result<std::vector<CapturedVariable>> captured = capture.variables(launch.id);
  if (!captured) return captured.error();
  if (captured->empty()) return false;
  const Result<CapturedMemory> memory = capture.memory(launch.id);
  if (!memory) return memory.error();
  bool is_any_known = false;
  for (const CapturedVariable& variable : *captured) {
    const auto found = std::ranges::find(image.variables, variable.name, &read::Variable::name);
    auto bytes = contents_of(variable, memory->before);
    if (found == image.variables.end() || !bytes || found->place.size != variable.size) continue;
    is_any_known = true;
    if (found->place.kind == read::VariablePlace::Kind::kConstant) {
      to.settings.push_back({variable.name, variable.name, found->place,
                             launch::Argument{variable.name, std::move(*bytes)}});
    } else {
      to.variables.push_back({found->place, variable.address});
    }
  }
  return is_any_known;
}

}  // namespace burin::capture
