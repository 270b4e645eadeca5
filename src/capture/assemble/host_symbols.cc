#include "capture/assemble/host_symbols.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/format.h"
#include "read/binary/debug_line.h"
#include "read/binary/elf.h"

namespace burin::capture {
namespace {

constexpr std::size_t kMaxLineBytes = 64 << 20;  // line tables of libraries beyond it are skipped
constexpr std::uint64_t kSectionCompressed = 0x800;
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

std::vector<HostLine> host_lines(Bytes file) {
  const Result<read::Elf> elf = read::read_elf(file);
  if (!elf) return {};
  const auto contents = [&](std::string_view name) {
    const read::ElfSection* section = elf->find(name);
    const bool is_plain = section != nullptr && (section->flags & kSectionCompressed) == 0;
    return is_plain ? section->contents : Bytes{};
  };
  const Bytes line = contents(".debug_line");
  if (line.empty() || line.size() > kMaxLineBytes) return {};
  // A linked file has addresses: all its code counts as one section.
  const read::LineTable table = read::read_lines({.line = line,
                                                  .strings = contents(".debug_str"),
                                                  .line_strings = contents(".debug_line_str"),
                                                  .anchors = {},
                                                  .default_section = 1,
                                                  .calls = {}});
  std::vector<HostLine> lines;
  const std::uint64_t first = first_address(*elf);
  for (const read::SectionLines& section : table.sections) {
    for (const read::LineRow& row : section.rows) {
      if (row.offset < first) continue;
      HostLine& made = lines.emplace_back(HostLine{.begin = row.offset - first});
      if (row.location < 0) continue;
      const read::Location& at = table.locations[static_cast<std::size_t>(row.location)];
      made.place = fmt::format("{}:{}", table.files[at.file], at.line);
    }
  }
  return lines;
}

const HostSymbols::HostFile& HostSymbols::file_at(const std::string& path) {
  const auto [at, is_new] = files_.try_emplace(path);
  std::error_code failed;
  if (is_new && std::filesystem::is_regular_file(path, failed)) {
    if (const Result<MappedFile> file = MappedFile::open(path)) {
      at->second = {host_functions(file->bytes()), host_lines(file->bytes())};
    }
  }
  return at->second;
}

std::string HostSymbols::find(const std::string& path, std::uint64_t offset) {
  const std::vector<HostFunction>& functions = file_at(path).functions;
  const auto behind = std::ranges::upper_bound(functions, offset, {}, &HostFunction::begin);
  if (behind == functions.begin()) return "";
  const HostFunction& function = *std::prev(behind);
  return offset < function.end ? function.name : "";
}

std::string HostSymbols::line(const std::string& path, std::uint64_t offset) {
  const std::vector<HostLine>& lines = file_at(path).lines;
  const auto behind = std::ranges::upper_bound(lines, offset, {}, &HostLine::begin);
  return behind == lines.begin() ? "" : std::prev(behind)->place;
}

}  // namespace burin::capture
