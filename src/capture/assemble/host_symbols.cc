#include "capture/assemble/host_symbols.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "read/binary/elf.h"

namespace burin::capture {
namespace {

constexpr std::uint64_t kPageMask = 0xfff;  // what is loaded begins on a page

// The address that the file's first byte in memory was linked for.
std::uint64_t first_address(const read::Elf& elf) {
  std::uint64_t first = ~std::uint64_t{0};
  for (const read::ElfSegment& segment : elf.segments) {
    if (segment.type == read::kSegmentLoaded) first = std::min(first, segment.address & ~kPageMask);
  }
  return first == ~std::uint64_t{0} ? 0 : first;
}

// Empty where the file has no symbol table of that type.
std::vector<HostFunction> functions_in(const read::Elf& elf, std::uint32_t type) {
  std::vector<HostFunction> functions;
  const std::uint64_t first = first_address(elf);
  const Result<std::vector<read::ElfSymbol>> symbols = read::read_symbols(elf, type);
  if (!symbols) return functions;
  for (const read::ElfSymbol& symbol : *symbols) {
    if (symbol.type != read::kSymbolFunction || symbol.size == 0 || symbol.value < first) continue;
    if (symbol.name.empty()) continue;
    const std::uint64_t begin = symbol.value - first;
    functions.push_back({begin, begin + symbol.size, std::string(symbol.name)});
  }
  return functions;
}

}  // namespace

std::vector<HostFunction> host_functions(Bytes file) {
  const Result<read::Elf> elf = read::read_elf(file);
  if (!elf) return {};
  std::vector<HostFunction> functions = functions_in(*elf, read::kSectionSymbols);
  if (functions.empty()) functions = functions_in(*elf, read::kSectionExportedSymbols);
  std::ranges::stable_sort(functions, {}, &HostFunction::begin);
  return functions;
}

std::string HostSymbols::find(const std::string& path, std::uint64_t offset) {
  const auto [at, is_new] = files_.try_emplace(path);
  std::vector<HostFunction>& functions = at->second;
  std::error_code failed;
  if (is_new && std::filesystem::is_regular_file(path, failed)) {
    if (const Result<MappedFile> file = MappedFile::open(path)) {
      functions = host_functions(file->bytes());
    }
  }
  const auto behind = std::ranges::upper_bound(functions, offset, {}, &HostFunction::begin);
  if (behind == functions.begin()) return "";
  const HostFunction& function = *std::prev(behind);
  return offset < function.end ? function.name : "";
}

}  // namespace burin::capture
