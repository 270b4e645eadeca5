#include "read/binary/debug_line_header.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "read/binary/elf.h"

namespace burin::read {
namespace {

struct FileEntry {
  std::string_view name;
  std::uint64_t folder = 0;
};

void read_files_2(Cursor& in, LineHeader& header) {
  std::vector<std::string_view> folders{{}};  // 0: where the compiler ran, which is not said
  for (std::string_view folder; !(folder = in.c_string()).empty();) folders.push_back(folder);
  for (std::string_view name; !(name = in.c_string()).empty();) {
    const std::uint64_t folder = in.uleb128();
    (void)in.uleb128();  // time
    (void)in.uleb128();  // size
    header.files.push_back({folder < folders.size() ? folders[folder] : "", name});
  }
  header.first_file = 1;
}

// One table of version 5 (folders or files): a list of (content, form) pairs, then the entries.
std::vector<FileEntry> read_table_5(Cursor& in, const LineInput& input, bool wide) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> format(in.u8());
  for (auto& [content, form] : format) {
    content = in.uleb128();
    form = in.uleb128();
  }
  std::vector<FileEntry> entries;
  const std::uint64_t count = in.uleb128();
  if (count > in.remaining() || format.empty()) {  // each takes a byte at least
    if (count != 0) in.seek(~std::uint64_t{0});
    return entries;
  }
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    FileEntry entry;
    for (const auto& [content, form] : format) {
      std::string_view text;
      std::uint64_t number = 0;
      switch (form) {
        case 0x08:
          text = in.c_string();
          break;  // string
        case 0x0e:
          text = string_at(input.strings, wide ? in.u64() : in.u32());
          break;  // strp
        case 0x1f:
          text = string_at(input.line_strings, wide ? in.u64() : in.u32());
          break;  // line_strp
        case 0x0b:
          number = in.u8();
          break;  // data1
        case 0x05:
          number = in.u16();
          break;  // data2
        case 0x06:
          number = in.u32();
          break;  // data4
        case 0x07:
          number = in.u64();
          break;  // data8
        case 0x0f:
          number = in.uleb128();
          break;  // udata
        case 0x1e:
          in.skip(16);
          break;  // data16
        case 0x09:
          in.skip(in.uleb128());
          break;  // block
        default:
          in.seek(~std::uint64_t{0});  // a form of unknown size: the rest is lost
      }
      if (content == 1) entry.name = text;
      if (content == 2) entry.folder = number;
    }
    entries.push_back(entry);
  }
  return entries;
}

void read_files_5(Cursor& in, const LineInput& input, bool wide, LineHeader& header) {
  const std::vector<FileEntry> folders = read_table_5(in, input, wide);
  for (const FileEntry& file : read_table_5(in, input, wide)) {
    const bool known = file.folder < folders.size();
    header.files.push_back({known ? folders[file.folder].name : "", file.name});
  }
  header.first_file = 0;
}

}  // namespace

std::optional<LineUnit> next_line_unit(Cursor& in, const LineInput& input) {
  std::uint64_t size = in.u32();
  const bool wide = size == 0xffffffff;
  if (wide) size = in.u64();
  const std::uint64_t unit_start = in.position();
  const Bytes bytes = in.bytes(size);
  if (!in.ok()) return std::nullopt;

  LineUnit unit;
  Cursor body(bytes);
  const std::uint16_t version = body.u16();
  if (version < 2 || version > 5) return unit;
  if (version == 5) body.skip(2);  // sizes of addresses and segments
  const std::uint64_t header_size = wide ? body.u64() : body.u32();
  const std::uint64_t program = body.position() + std::min(header_size, body.remaining());

  LineHeader header;
  header.instruction_bytes = body.u8();
  if (version >= 4) body.skip(1);  // operations per instruction
  body.skip(1);                    // is_stmt
  header.line_base = body.i8();
  header.line_range = body.u8();
  header.opcode_base = body.u8();
  for (unsigned i = 1; i < header.opcode_base; ++i) header.argument_counts[i] = body.u8();
  if (version == 5) {
    read_files_5(body, input, wide, header);
  } else {
    read_files_2(body, header);
  }
  if (!body.ok() || header.line_range == 0 || header.opcode_base == 0 || body.position() > program)
    return unit;
  unit.header = std::move(header);
  unit.program = bytes.subspan(program);
  unit.start = unit_start + program;
  return unit;
}

}  // namespace burin::read
