#include "gpu/record/cubin_names.h"

#include <cstdint>
#include <string_view>

namespace burin {
namespace {

constexpr std::string_view kText = ".text.";
constexpr std::string_view kDevice = ".nv.global";  // and .nv.global.init
constexpr std::string_view kConstant = ".nv.constant3";
constexpr std::uint32_t kSymbolTable = 2;
constexpr std::uint8_t kObject = 1;
constexpr std::uint64_t kSymbolBytes = 24;

struct Section {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint32_t link = 0;
  Bytes contents;
};

std::string_view text_at(Bytes table, std::uint64_t offset) {
  Cursor in(table);
  in.seek(offset);
  const std::string_view text = in.c_string();
  return in.ok() ? text : "";
}

std::vector<Section> sections_of(Bytes cubin) {
  std::vector<Section> sections;
  Cursor header(cubin);
  if (header.u32() != 0x464c457f) return sections;  // "\x7f" "ELF"
  header.seek(0x28);
  const std::uint64_t table = header.u64();
  header.seek(0x3a);
  const std::uint16_t entry_bytes = header.u16(), count = header.u16(), names = header.u16();
  if (!header.ok() || entry_bytes < 0x40 || names >= count) return sections;
  std::vector<std::uint32_t> name_offsets;
  for (std::uint32_t i = 0; i < count; ++i) {
    Cursor in(cubin);
    in.seek(table + std::uint64_t{i} * entry_bytes);
    Section& section = sections.emplace_back();
    name_offsets.push_back(in.u32());
    section.type = in.u32();
    in.skip(16);
    const std::uint64_t offset = in.u64(), size = in.u64();
    section.link = in.u32();
    if (!in.ok()) return {};
    // Some have a size and nothing in the file.
    if (const auto contents = slice(cubin, offset, size)) section.contents = *contents;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    sections[i].name = text_at(sections[names].contents, name_offsets[i]);
  }
  return sections;
}

}  // namespace

std::vector<std::string> function_names(Bytes cubin) {
  std::vector<std::string> names;
  for (const Section& section : sections_of(cubin)) {
    if (section.name.starts_with(kText)) names.emplace_back(section.name.substr(kText.size()));
  }
  return names;
}

std::vector<std::string> variable_names(Bytes cubin) {
  const std::vector<Section> sections = sections_of(cubin);
  std::vector<std::string> names;
  for (const Section& table : sections) {
    if (table.type != kSymbolTable || table.link >= sections.size()) continue;
    for (std::uint64_t at = 0; at + kSymbolBytes <= table.contents.size(); at += kSymbolBytes) {
      Cursor in(table.contents);
      in.seek(at);
      const std::uint32_t name = in.u32();
      const std::uint8_t info = in.u8();
      in.skip(1);
      const std::uint16_t section = in.u16();
      if ((info & 15) != kObject || section >= sections.size()) continue;
      const std::string_view place = sections[section].name;
      if (!place.starts_with(kDevice) && !place.starts_with(kConstant)) continue;
      const std::string_view text = text_at(sections[table.link].contents, name);
      if (!text.empty()) names.emplace_back(text);
    }
  }
  return names;
}

}  // namespace burin
