#include "gpu/record/stacks/frame_tables.h"

#include <dlfcn.h>
#include <link.h>

#include <vector>

#include "base/bytes.h"

namespace burin::gpu {
namespace {

constexpr std::size_t kMaxStates = 16;

// The encodings of addresses that compilers for x86-64 use.
enum Encoding : std::uint8_t {
  kAbsolute = 0x00,
  kSigned4 = 0x0b,
  kRelativeSigned4 = 0x1b,
  kTableSigned4 = 0x3b,
  kOmitted = 0xff,
};

Bytes at_address(std::uintptr_t address, std::size_t size) {
  return {pointer_to<std::uint8_t>(address), size};
}

bool find_object(std::uintptr_t instruction, dl_find_object& object) {
  return ::_dl_find_object(const_cast<char*>(pointer_to<char>(instruction)), &object) == 0;
}

std::int32_t signed4(std::uintptr_t address) {
  Cursor in(at_address(address, 4));
  return static_cast<std::int32_t>(in.u32());
}

// A length-prefixed entry of .eh_frame, without the prefix.
struct Entry {
  std::uintptr_t address = 0;
  Bytes bytes{};
};
std::optional<Entry> entry_at(std::uintptr_t address) {
  Cursor length(at_address(address, 4));
  const std::uint32_t size = length.u32();
  if (size == 0 || size == 0xffffffff) return std::nullopt;
  return Entry{address + 4, at_address(address + 4, size)};
}

// The entry of the function around the instruction, by the sorted table of .eh_frame_hdr.
struct FunctionEntry {
  Entry entry{};
  std::uintptr_t begin = 0, end = 0;
};
std::optional<FunctionEntry> function_entry(std::uintptr_t instruction) {
  dl_find_object object{};
  if (!find_object(instruction, object)) return std::nullopt;
  const auto header = reinterpret_cast<std::uintptr_t>(object.dlfo_eh_frame);
  if (header == 0) return std::nullopt;
  Cursor in(at_address(header, 12));
  const std::uint8_t version = in.u8(), frame_encoding = in.u8(), count_encoding = in.u8(),
                     table_encoding = in.u8();
  if (version != 1 || frame_encoding != kRelativeSigned4 || count_encoding != 0x03 ||
      table_encoding != kTableSigned4) {
    return std::nullopt;
  }
  in.skip(4);
  const std::uint32_t count = in.u32();
  const std::uintptr_t table = header + 12;
  // The last function that begins at or before the instruction.
  std::uint32_t low = 0, high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const std::uintptr_t begin =
        header + static_cast<std::uintptr_t>(signed4(table + std::uintptr_t{8} * middle));
    if (begin <= instruction) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return std::nullopt;
  const std::uintptr_t row = table + std::uintptr_t{8} * (low - 1);
  FunctionEntry found;
  found.begin = header + static_cast<std::uintptr_t>(signed4(row));
  const auto entry = entry_at(header + static_cast<std::uintptr_t>(signed4(row + 4)));
  if (!entry || entry->bytes.size() < 16) return std::nullopt;
  found.entry = *entry;
  Cursor range(entry->bytes);
  range.skip(8);  // the common entry's place and the function's beginning
  found.end = found.begin + range.u32();
  if (instruction >= found.end) return std::nullopt;
  return found;
}

// What the functions of one compilation share.
struct CommonEntry {
  std::uint64_t code_unit = 1;
  std::int64_t data_unit = 1;
  bool has_augmentation = false;
  Bytes program{};
};
std::optional<CommonEntry> common_entry(const Entry& function) {
  Cursor place(function.bytes);
  const auto entry = entry_at(function.address - place.u32());
  if (!entry) return std::nullopt;
  Cursor in(entry->bytes);
  CommonEntry common;
  const bool is_common = in.u32() == 0;
  const std::uint8_t version = in.u8();
  const std::string_view augmentation = in.c_string();
  common.code_unit = in.uleb128();
  common.data_unit = in.sleb128();
  const std::uint64_t return_register = version == 1 ? in.u8() : in.uleb128();
  std::uint8_t address_encoding = kAbsolute;
  if (augmentation.starts_with('z')) {
    common.has_augmentation = true;
    const std::uint64_t size = in.uleb128();
    const std::uint64_t end = in.position() + size;
    for (const char letter : augmentation.substr(1)) {
      if (letter == 'R') address_encoding = in.u8();
      if (letter == 'L') in.skip(1);
      if (letter == 'P') in.skip((in.u8() & 0x0f) == kSigned4 ? 4 : 8);
    }
    in.seek(end);
  }
  if (!in.ok() || !is_common || return_register != kReturnAddress ||
      address_encoding != kRelativeSigned4) {
    return std::nullopt;
  }
  common.program = in.bytes(in.remaining());
  return common;
}

// Runs the tables' little programs, which say row by row what changes.
class TableProgram {
 public:
  TableProgram(const CommonEntry& common, std::uint64_t wanted)
      : common_(common), wanted_(wanted) {}

  FrameRow row{};
  FrameRow initial{};

  // False where something is not understood.
  bool run(Bytes program) {
    Cursor in(program);
    while (in.ok() && !in.at_end()) {
      const std::uint8_t code = in.u8();
      const std::uint8_t low = code & 0x3f;
      switch (code >> 6) {
        case 1:
          if (!advance(low)) return true;
          break;
        case 2:
          set(low, static_cast<std::int64_t>(in.uleb128()) * common_.data_unit);
          break;
        case 3:
          restore(low);
          break;
        default: {
          bool is_done = false;
          if (!extended(low, in, is_done)) return false;
          if (is_done) return true;
        }
      }
    }
    return in.ok();
  }

 private:
  bool advance(std::uint64_t units) {
    at_ += units * common_.code_unit;
    return at_ <= wanted_;
  }
  void set(std::uint64_t which, std::optional<std::int64_t> offset) {
    if (which < kFrameRegisters) row.saved[which] = offset;
  }
  void restore(std::uint64_t which) {
    if (which < kFrameRegisters) row.saved[which] = initial.saved[which];
  }
  static void skip_block(Cursor& in) { in.skip(in.uleb128()); }

  bool extended(std::uint8_t code, Cursor& in, bool& is_done) {
    switch (code) {
      case 0x00:  // nop
        return true;
      case 0x02:  // advance_loc1, 2, 4
        return is_done = !advance(in.u8()), true;
      case 0x03:
        return is_done = !advance(in.u16()), true;
      case 0x04:
        return is_done = !advance(in.u32()), true;
      case 0x05: {  // offset_extended
        const std::uint64_t which = in.uleb128();
        return set(which, static_cast<std::int64_t>(in.uleb128()) * common_.data_unit), true;
      }
      case 0x06:  // restore_extended
        return restore(in.uleb128()), true;
      case 0x07: {  // undefined
        const std::uint64_t which = in.uleb128();
        row.is_outermost = row.is_outermost || which == kReturnAddress;
        return set(which, std::nullopt), true;
      }
      case 0x08:  // same_value
        return set(in.uleb128(), std::nullopt), true;
      case 0x0a:  // remember_state
        if (states_.size() >= kMaxStates) return false;
        return states_.push_back(row), true;
      case 0x0b:  // restore_state
        if (states_.empty()) return false;
        row = states_.back();
        return states_.pop_back(), true;
      case 0x0c:  // def_cfa
        row.base = static_cast<std::uint8_t>(in.uleb128());
        row.base_offset = static_cast<std::int64_t>(in.uleb128());
        return true;
      case 0x0d:  // def_cfa_register
        return row.base = static_cast<std::uint8_t>(in.uleb128()), true;
      case 0x0e:  // def_cfa_offset
        return row.base_offset = static_cast<std::int64_t>(in.uleb128()), true;
      case 0x10:  // expression, of a register
      case 0x16: {
        const std::uint64_t which = in.uleb128();
        skip_block(in);
        return which != kReturnAddress;
      }
      case 0x11: {  // offset_extended_sf
        const std::uint64_t which = in.uleb128();
        return set(which, in.sleb128() * common_.data_unit), true;
      }
      case 0x2e:  // GNU_args_size
        return in.uleb128(), true;
      default:
        return false;
    }
  }

  const CommonEntry& common_;
  std::uint64_t wanted_;
  std::uint64_t at_ = 0;
  std::vector<FrameRow> states_;
};

}  // namespace

std::optional<CodeObject> loaded_object(std::uintptr_t address) {
  dl_find_object object{};
  if (!find_object(address, object)) return std::nullopt;
  const char* path = object.dlfo_link_map == nullptr ? nullptr : object.dlfo_link_map->l_name;
  return CodeObject{path == nullptr ? "" : path,
                    reinterpret_cast<std::uintptr_t>(object.dlfo_map_start)};
}

std::optional<CodeObject> object_of(std::uintptr_t instruction) {
  if (!function_entry(instruction)) return std::nullopt;
  return loaded_object(instruction);
}

std::optional<FrameRow> frame_row(std::uintptr_t instruction) {
  const auto function = function_entry(instruction);
  if (!function) return std::nullopt;
  const auto common = common_entry(function->entry);
  if (!common) return std::nullopt;
  TableProgram program(*common, instruction - function->begin);
  if (!program.run(common->program)) return std::nullopt;
  program.initial = program.row;
  Cursor in(function->entry.bytes);
  in.skip(12);  // the common entry's place, the function's beginning and size
  if (common->has_augmentation) in.skip(in.uleb128());
  if (!in.ok() || !program.run(in.bytes(in.remaining()))) return std::nullopt;
  if (program.row.base >= kFrameRegisters) return std::nullopt;
  return program.row;
}

bool is_behind_call(std::uintptr_t instruction) {
  const auto function = function_entry(instruction - 1);
  if (!function || instruction - function->begin < 7) return false;
  const auto* end = pointer_to<std::uint8_t>(instruction);
  if (end[-5] == 0xe8) return true;  // call relative
  // call through a register or memory, FF /2, in its lengths
  for (const int size : {2, 3, 4, 6, 7}) {
    if (end[-size] == 0xff && ((end[1 - size] >> 3) & 7) == 2) return true;
  }
  return false;
}

}  // namespace burin::gpu
