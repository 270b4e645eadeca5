#include "gpu/record/cubin_names.h"

#include <string_view>

#include "read/binary/elf.h"

namespace burin::gpu {
namespace {

constexpr std::string_view kText = ".text.";
constexpr std::string_view kDevice = ".nv.global";  // and .nv.global.init
constexpr std::string_view kConstant = ".nv.constant3";

}  // namespace

std::vector<std::string> function_names(Bytes cubin) {
  std::vector<std::string> names;
  const Result<read::Elf> elf = read::read_elf(cubin);
  if (!elf) return names;
  for (const read::ElfSection& section : elf->sections) {
    if (section.name.starts_with(kText)) names.emplace_back(section.name.substr(kText.size()));
  }
  return names;
}

std::vector<std::string> variable_names(Bytes cubin, bool device) {
  std::vector<std::string> names;
  const Result<read::Elf> elf = read::read_elf(cubin);
  if (!elf) return names;
  const Result<std::vector<read::ElfSymbol>> symbols = read::read_symbols(*elf);
  if (!symbols) return names;
  for (const read::ElfSymbol& symbol : *symbols) {
    if (symbol.type != read::kSymbolObject || symbol.section >= elf->sections.size()) continue;
    const std::string_view place = elf->sections[symbol.section].name;
    if (!(device && place.starts_with(kDevice)) && !place.starts_with(kConstant)) continue;
    if (!symbol.name.empty()) names.emplace_back(symbol.name);
  }
  return names;
}

}  // namespace burin::gpu
