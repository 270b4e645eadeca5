#include "read/binary/elf.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace burin::read {
namespace {

constexpr std::uint64_t kHeaderBytes = 64;
constexpr std::uint64_t kSectionHeaderBytes = 64;
constexpr std::uint64_t kProgramHeaderBytes = 56;
constexpr std::uint64_t kSymbolBytes = 24;
constexpr std::uint32_t kSectionNull = 0;
constexpr std::uint32_t kLastStandardType = 18;
constexpr std::uint32_t kExtendedIndex = 0xffff;
constexpr std::uint64_t kLongestSymbolName = 1 << 16;

// NVIDIA's own types come and go, and some (shared memory) take no room in the file: those are
// allowed to point anywhere. All others must be where they say they are.
bool must_be_in_file(std::uint32_t type) {
  return (type <= kLastStandardType && type != kSectionNoBits && type != kSectionNull) ||
         type == kSectionCudaInfo;
}

bool takes_no_room(std::uint32_t type) {
  constexpr std::uint32_t kCudaGlobal = 0x70000007, kCudaLocal = 0x70000009;
  constexpr std::uint32_t kCudaShared = 0x7000000a, kCudaSharedReserved = 0x70000015;
  return type == kSectionNull || type == kSectionNoBits || type == kCudaGlobal ||
         type == kCudaLocal || type == kCudaShared || type == kCudaSharedReserved;
}

struct Header {
  std::uint64_t program_offset = 0;
  std::uint64_t section_offset = 0;
  std::uint16_t header_bytes = 0;
  std::uint16_t program_entry_bytes = 0;
  std::uint16_t program_count = 0;
  std::uint16_t section_entry_bytes = 0;
  std::uint64_t section_count = 0;
  std::uint32_t names_index = 0;
};

struct RawSection {
  std::uint32_t name = 0;
  ElfSection section;
};

RawSection read_section_header(Bytes table, std::uint64_t index) {
  Cursor in(table);
  in.seek(index * kSectionHeaderBytes);
  RawSection raw;
  raw.name = in.u32();
  raw.section.type = in.u32();
  raw.section.flags = in.u64();
  in.skip(8);  // address
  raw.section.offset = in.u64();
  raw.section.size = in.u64();
  raw.section.link = in.u32();
  raw.section.info = in.u32();
  return raw;
}

Error cut_short(const std::string& what) {
  return Error{"the ELF file is truncated: its " + what + " is past the end"};
}

std::vector<ElfSegment> read_segments(Bytes table, const Header& header) {
  std::vector<ElfSegment> segments;
  if (header.program_entry_bytes < kProgramHeaderBytes) return segments;
  segments.resize(header.program_count);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    Cursor in(table);
    in.seek(i * header.program_entry_bytes);
    segments[i].type = in.u32();
    in.skip(4 + 8);  // flags, offset
    segments[i].address = in.u64();
  }
  return segments;
}

Result<Header> read_header(Bytes bytes, Elf& elf) {
  if (bytes.size() >= 6) {
    if (bytes[4] == 1) return Error{"is a 32-bit ELF file; only 64-bit files are supported"};
    if (bytes[5] == 2)
      return Error{"is a big-endian ELF file; only little-endian files are supported"};
  }
  if (bytes.size() < kHeaderBytes) return Error{"the ELF file is truncated inside its header"};
  if (bytes[4] != 2 || bytes[5] != 1)
    return Error{"the ELF header is corrupt: unknown class or byte order"};
  elf.abi_version = bytes[8];
  Cursor in(bytes);
  in.seek(16);
  elf.type = in.u16();
  elf.machine = in.u16();
  in.skip(4 + 8);  // version, entry
  Header header;
  header.program_offset = in.u64();
  header.section_offset = in.u64();
  elf.flags = in.u32();
  header.header_bytes = in.u16();
  header.program_entry_bytes = in.u16();
  header.program_count = in.u16();
  header.section_entry_bytes = in.u16();
  header.section_count = in.u16();
  header.names_index = in.u16();
  return header;
}

}  // namespace

const ElfSection* Elf::find(std::string_view name) const {
  for (const ElfSection& section : sections)
    if (section.name == name) return &section;
  return nullptr;
}

std::string_view string_at(Bytes table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const Bytes rest = table.subspan(offset, std::min(kLongestSymbolName, table.size() - offset));
  const void* zero = std::memchr(rest.data(), 0, rest.size());
  if (zero == nullptr) return {};
  const char* first = reinterpret_cast<const char*>(rest.data());
  return {first, static_cast<std::size_t>(static_cast<const char*>(zero) - first)};
}

bool is_elf(Bytes bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(),
                                          "\x7f"
                                          "ELF",
                                          4) == 0;
}

Result<Elf> read_elf(Bytes bytes) {
  if (!is_elf(bytes)) return Error{"is not an ELF file"};
  Elf elf;
  Result<Header> read = read_header(bytes, elf);
  if (!read) return read.error();
  Header header = *read;

  if (header.program_count > 0) {
    const auto segments = slice(bytes, header.program_offset,
                                std::uint64_t{header.program_count} * header.program_entry_bytes);
    if (!segments) return cut_short("program table");
    elf.segments = read_segments(*segments, header);
  }
  if (header.section_offset == 0) return elf;
  if (header.section_entry_bytes != kSectionHeaderBytes)
    return Error{"the ELF header is corrupt: wrong section entry size"};

  // Files with very many sections keep the true count and names index in the first entry.
  const auto first = slice(bytes, header.section_offset, kSectionHeaderBytes);
  if (!first) return cut_short("section table");
  const ElfSection zero = read_section_header(*first, 0).section;
  if (header.section_count == 0) header.section_count = zero.size;
  if (header.names_index == kExtendedIndex) header.names_index = zero.link;

  const auto table_bytes = checked_mul(header.section_count, kSectionHeaderBytes);
  const auto table = table_bytes ? slice(bytes, header.section_offset, *table_bytes) : std::nullopt;
  if (!table) return cut_short("section table");

  std::vector<RawSection> raw(header.section_count);
  for (std::uint64_t i = 0; i < header.section_count; ++i) {
    raw[i] = read_section_header(*table, i);
    ElfSection& section = raw[i].section;
    if (takes_no_room(section.type)) continue;
    if (const auto contents = slice(bytes, section.offset, section.size)) {
      section.contents = *contents;
    } else if (must_be_in_file(section.type)) {
      return Error{"the ELF file is truncated or corrupt: section " + std::to_string(i) +
                   " is past the end"};
    }
  }
  if (header.names_index >= raw.size())
    return Error{"the ELF file is corrupt: it has no section name table"};
  const Bytes names = raw[header.names_index].section.contents;
  elf.sections.reserve(raw.size());
  for (RawSection& r : raw) {
    r.section.name = string_at(names, r.name);
    elf.sections.push_back(r.section);
  }
  return elf;
}

Result<std::vector<ElfSymbol>> read_symbols(const Elf& elf, std::uint32_t type) {
  std::vector<ElfSymbol> symbols;
  const ElfSection* table = nullptr;
  const ElfSection* indices = nullptr;
  for (const ElfSection& section : elf.sections) {
    if (section.type == type && table == nullptr) table = &section;
    if (section.type == kSectionSymbolIndices && indices == nullptr) indices = &section;
  }
  if (table == nullptr) return symbols;
  if (type != kSectionSymbols) indices = nullptr;  // they are those of all symbols
  if (table->link >= elf.sections.size())
    return Error{"the symbol table is corrupt: it has no string table"};
  const Bytes names = elf.sections[table->link].contents;

  symbols.resize(table->contents.size() / kSymbolBytes);
  Cursor in(table->contents);
  Cursor wide(indices != nullptr ? indices->contents : Bytes{});
  for (ElfSymbol& symbol : symbols) {
    symbol.name = string_at(names, in.u32());
    symbol.type = in.u8() & 15;
    symbol.other = in.u8();
    symbol.section = in.u16();
    const std::uint32_t extended = wide.u32();
    if (symbol.section == kExtendedIndex && wide.ok()) symbol.section = extended;
    symbol.value = in.u64();
    symbol.size = in.u64();
    // Section symbols may go unnamed: they stand for their section.
    if (symbol.name.empty() && symbol.type == kSymbolSection &&
        symbol.section < elf.sections.size())
      symbol.name = elf.sections[symbol.section].name;
  }
  return symbols;
}

std::vector<ElfRelocation> read_relocations(const ElfSection& section) {
  const bool with_addend = section.type == kSectionRela;
  const std::uint64_t entry_bytes = with_addend ? 24 : 16;
  std::vector<ElfRelocation> relocations(section.contents.size() / entry_bytes);
  Cursor in(section.contents);
  for (ElfRelocation& relocation : relocations) {
    relocation.offset = in.u64();
    relocation.type = in.u32();
    relocation.symbol = in.u32();
    if (with_addend) relocation.addend = static_cast<std::int64_t>(in.u64());
  }
  return relocations;
}

}  // namespace burin::read
