#include "capture/assemble/host_symbols.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace burin {
namespace {

constexpr std::uint32_t kMagic = 0x464c457f;  // "\x7f" "ELF"
constexpr std::uint8_t k64Bits = 2, kLittleEndian = 1;
constexpr std::uint32_t kAllSymbols = 2;    // SHT_SYMTAB, which stripped files lack
constexpr std::uint32_t kExported = 11;     // SHT_DYNSYM
constexpr std::uint32_t kLoaded = 1;        // PT_LOAD
constexpr std::uint8_t kFunction = 2;       // STT_FUNC
constexpr std::uint64_t kPageMask = 0xfff;  // what is loaded begins on a page
constexpr std::size_t kSymbolBytes = 24;

Cursor at(Bytes file, std::uint64_t offset) {
  Cursor in(file);
  in.seek(offset);
  return in;
}

struct Header {
  std::uint64_t segments = 0, sections = 0;
  std::uint16_t segment_bytes = 0, segment_count = 0, section_bytes = 0, section_count = 0;
};

bool read_header(Bytes file, Header& header) {
  Cursor in(file);
  if (in.u32() != kMagic || in.u8() != k64Bits || in.u8() != kLittleEndian) return false;
  in.seek(0x20);
  header.segments = in.u64();
  header.sections = in.u64();
  in.seek(0x36);
  header.segment_bytes = in.u16();
  header.segment_count = in.u16();
  header.section_bytes = in.u16();
  header.section_count = in.u16();
  return in.ok();
}

// The address that the file's first byte in memory was linked for.
std::uint64_t first_address(Bytes file, const Header& header) {
  std::uint64_t first = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i < header.segment_count; ++i) {
    Cursor in = at(file, header.segments + i * header.segment_bytes);
    const bool is_loaded = in.u32() == kLoaded;
    in.skip(12);
    const std::uint64_t address = in.u64();
    if (in.ok() && is_loaded) first = std::min(first, address & ~kPageMask);
  }
  return first == ~std::uint64_t{0} ? 0 : first;
}

struct Section {
  std::uint32_t type = 0, link = 0;
  std::uint64_t offset = 0, size = 0;
};
Section section(Bytes file, const Header& header, std::uint64_t index) {
  Cursor in = at(file, header.sections + index * header.section_bytes);
  Section found;
  in.skip(4);
  found.type = in.u32();
  in.skip(16);
  found.offset = in.u64();
  found.size = in.u64();
  found.link = in.u32();
  return in.ok() ? found : Section{};
}

// Empty where the file has no table of that type.
std::vector<HostFunction> functions_in(Bytes file, const Header& header, std::uint32_t type) {
  std::vector<HostFunction> functions;
  const std::uint64_t first = first_address(file, header);
  for (std::uint64_t i = 0; i < header.section_count; ++i) {
    const Section table = section(file, header, i);
    if (table.type != type) continue;
    const Section texts = section(file, header, table.link);
    const auto symbols = slice(file, table.offset, table.size);
    const auto names = slice(file, texts.offset, texts.size);
    if (!symbols || !names) continue;
    Cursor in(*symbols);
    while (in.remaining() >= kSymbolBytes) {
      const std::uint32_t name = in.u32();
      const std::uint8_t info = in.u8();
      in.skip(3);  // visibility and section
      const std::uint64_t address = in.u64(), size = in.u64();
      if ((info & 0xf) != kFunction || size == 0 || address < first) continue;
      const std::string_view text = at(*names, name).c_string();
      if (!text.empty())
        functions.push_back({address - first, address - first + size, std::string(text)});
    }
    break;  // a file has one
  }
  return functions;
}

}  // namespace

std::vector<HostFunction> host_functions(Bytes file) {
  Header header;
  if (!read_header(file, header)) return {};
  std::vector<HostFunction> functions = functions_in(file, header, kAllSymbols);
  if (functions.empty()) functions = functions_in(file, header, kExported);
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

}  // namespace burin
