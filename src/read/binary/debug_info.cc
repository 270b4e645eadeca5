#include "read/binary/debug_info.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "read/binary/elf.h"

namespace burin::read {
namespace {

enum Tag : std::uint64_t { kInlinedSubroutine = 0x1d, kSubprogram = 0x2e };

enum DwarfAttribute : std::uint64_t {
  kName = 0x03,
  kStatements = 0x10,
  kLowPc = 0x11,
  kHighPc = 0x12,
  kAbstractOrigin = 0x31,
  kSpecification = 0x47,
  kCallFile = 0x58,
  kCallLine = 0x59,
  kLinkageName = 0x6e,
  kMipsLinkageName = 0x2007,
};

struct Field {
  std::uint64_t attribute = 0;
  std::uint64_t form = 0;
  std::int64_t constant = 0;  // DW_FORM_implicit_const
};

struct Abbreviation {
  std::uint64_t tag = 0;
  std::vector<Field> fields;
};

using Abbreviations = std::unordered_map<std::uint64_t, Abbreviation>;

struct Value {
  std::uint64_t number = 0;
  std::string_view text;
  bool is_address = false;
  std::uint64_t at = 0;  // in .debug_info
};

// What one entry says, as far as it matters here.
struct DebugEntry {
  std::optional<Value> low, high;
  std::uint64_t origin = 0;  // in .debug_info; 0: none
  std::uint64_t file = 0, line = 0;
  std::string_view name, linkage_name;
};

struct Name {
  std::string_view text;
  std::uint64_t origin = 0;  // the entry that has the name, where this one has not
};

class Reader {
 public:
  explicit Reader(const DebugInfoInput& input)
      : input_(input), work_left_(64 * (input.info.size() + input.abbreviations.size())) {}

  std::vector<InlinedCall> read() {
    Cursor in(input_.info);
    while (!in.at_end() && read_unit(in)) {
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) calls_[i].function = name_of(origins_[i]);
    std::erase_if(calls_, [](const InlinedCall& call) {
      return call.section == 0 || call.begin >= call.end || call.function.empty();
    });
    std::sort(calls_.begin(), calls_.end(), [](const InlinedCall& a, const InlinedCall& b) {
      return std::tie(a.section, a.begin, b.end) < std::tie(b.section, b.begin, a.end);
    });
    return std::move(calls_);
  }

 private:
  // False at the end of what can be read: without its size no unit leads to the next. Work is
  // bounded, since units may share a table and fields may take no bytes.
  bool read_unit(Cursor& in) {
    unit_start_ = in.position();
    const std::uint64_t size = in.u32();
    if (size == 0xffffffff) return false;  // 64-bit DWARF: not for code of this size
    const std::uint64_t body_start = in.position();
    Cursor body(in.bytes(size));
    if (!in.ok()) return false;
    const std::uint16_t version = body.u16();
    std::uint64_t table = 0;
    if (version == 5) {
      body.skip(1);
      address_bytes_ = body.u8();
      table = body.u32();
    } else {
      table = body.u32();
      address_bytes_ = body.u8();
    }
    if (!body.ok() || version < 2 || version > 5 || (address_bytes_ != 4 && address_bytes_ != 8))
      return true;
    version_ = version;
    line_unit_ = 0;
    const Abbreviations abbreviations = read_abbreviations(table);
    while (!body.at_end() && work_left_ > 0) {
      const std::uint64_t at = body_start + body.position();
      const auto found = abbreviations.find(body.uleb128());
      if (found == abbreviations.end()) continue;  // 0 ends a list of children
      read_entry(found->second, body, body_start, at);
      if (!body.ok()) break;
    }
    return work_left_ > 0;
  }

  Abbreviations read_abbreviations(std::uint64_t offset) {
    Abbreviations table;
    Cursor in(input_.abbreviations);
    in.seek(offset);
    while (work_left_ > 0) {
      const std::uint64_t code = in.uleb128();
      if (code == 0 || !in.ok()) break;
      Abbreviation abbreviation{in.uleb128(), {}};
      in.skip(1);  // whether it has children
      while (work_left_ > 0) {
        --work_left_;
        Field field{in.uleb128(), in.uleb128(), 0};
        if (field.form == 0x21) field.constant = in.sleb128();
        if (!in.ok() || (field.attribute == 0 && field.form == 0)) break;
        abbreviation.fields.push_back(field);
      }
      table.try_emplace(code, std::move(abbreviation));
    }
    return table;
  }

  void read_entry(const Abbreviation& abbreviation, Cursor& body, std::uint64_t body_start,
                  std::uint64_t at) {
    DebugEntry entry;
    for (const Field& field : abbreviation.fields) {
      if (work_left_ == 0) return;
      --work_left_;
      const Value value = read_value(field, body, body_start);
      if (!body.ok()) return;
      switch (field.attribute) {
        case kName:
          entry.name = value.text;
          break;
        case kLinkageName:
        case kMipsLinkageName:
          entry.linkage_name = value.text;
          break;
        case kStatements:
          line_unit_ = value.number;
          break;
        case kLowPc:
          entry.low = value;
          break;
        case kHighPc:
          entry.high = value;
          break;
        case kAbstractOrigin:
        case kSpecification:
          entry.origin = value.number;
          break;
        case kCallFile:
          entry.file = value.number;
          break;
        case kCallLine:
          entry.line = value.number;
          break;
      }
    }
    if (abbreviation.tag == kSubprogram) {
      const bool mangled = !entry.linkage_name.empty();
      names_[at] = {mangled ? entry.linkage_name : entry.name, entry.origin};
    } else if (abbreviation.tag == kInlinedSubroutine && entry.low && entry.high) {
      add_call(entry);
    }
  }

  void add_call(const DebugEntry& entry) {
    InlinedCall call;
    std::tie(call.section, call.begin) = place(*entry.low);
    call.end = entry.high->is_address ? place(*entry.high).second : call.begin + entry.high->number;
    call.line_unit = line_unit_;
    call.file = entry.file;
    call.line = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(entry.line, std::numeric_limits<std::uint32_t>::max()));
    calls_.push_back(call);
    origins_.push_back(entry.origin);
  }

  std::pair<std::uint32_t, std::uint64_t> place(const Value& address) const {
    if (const CodeAnchor* anchor = find_anchor(input_.anchors, address.at))
      return {anchor->section, anchor->address};
    return {input_.default_section, address.number};
  }

  Value read_value(const Field& field, Cursor& in, std::uint64_t body_start) {
    Value value;
    value.at = body_start + in.position();
    switch (field.form) {
      case 0x01:  // addr
        value.number = address_bytes_ == 8 ? in.u64() : in.u32();
        value.is_address = true;
        break;
      case 0x03:
        in.skip(in.u16());
        break;  // block2
      case 0x04:
        in.skip(in.u32());
        break;    // block4
      case 0x09:  // block
      case 0x18:
        in.skip(in.uleb128());
        break;  // exprloc
      case 0x0a:
        in.skip(in.u8());
        break;  // block1
      case 0x1e:
        in.skip(16);
        break;  // data16
      case 0x08:
        value.text = in.c_string();
        break;  // string
      case 0x0e:
        value.text = string_at(input_.strings, in.u32());
        break;    // strp
      case 0x0b:  // data1
      case 0x0c:
        value.number = in.u8();
        break;  // flag
      case 0x05:
        value.number = in.u16();
        break;    // data2
      case 0x06:  // data4
      case 0x17:  // sec_offset
      case 0x1f:
        value.number = in.u32();
        break;  // line_strp
      case 0x07:
        value.number = in.u64();
        break;  // data8
      case 0x0d:
        value.number = static_cast<std::uint64_t>(in.sleb128());
        break;  // sdata
      case 0x0f:
        value.number = in.uleb128();
        break;    // udata
      case 0x10:  // ref_addr
        value.number = version_ == 2 && address_bytes_ == 8 ? in.u64() : in.u32();
        break;
      case 0x11:
        value.number = unit_start_ + in.u8();
        break;  // ref1
      case 0x12:
        value.number = unit_start_ + in.u16();
        break;  // ref2
      case 0x13:
        value.number = unit_start_ + in.u32();
        break;  // ref4
      case 0x14:
        value.number = unit_start_ + in.u64();
        break;  // ref8
      case 0x15:
        value.number = unit_start_ + in.uleb128();
        break;  // ref_udata
      case 0x19:
        value.number = 1;
        break;  // flag_present
      case 0x21:
        value.number = static_cast<std::uint64_t>(field.constant);
        break;
      default:
        in.seek(~std::uint64_t{0});  // a form of unknown size: the rest of the unit is lost
    }
    return value;
  }

  std::string_view name_of(std::uint64_t origin) const {
    constexpr int kMaxSteps = 4;  // an instance, its abstract form, its declaration
    for (int step = 0; step < kMaxSteps; ++step) {
      const auto found = names_.find(origin);
      if (found == names_.end()) return {};
      if (!found->second.text.empty()) return found->second.text;
      origin = found->second.origin;
    }
    return {};
  }

  const DebugInfoInput& input_;
  std::uint64_t work_left_;
  std::uint64_t unit_start_ = 0;
  std::uint64_t line_unit_ = 0;
  std::uint16_t version_ = 0;
  std::uint8_t address_bytes_ = 8;
  std::unordered_map<std::uint64_t, Name> names_;  // of subprograms, by where they stand
  std::vector<InlinedCall> calls_;
  std::vector<std::uint64_t> origins_;  // of each call
};

}  // namespace

const CodeAnchor* find_anchor(std::span<const CodeAnchor> anchors, std::uint64_t offset) {
  const auto found = std::lower_bound(
      anchors.begin(), anchors.end(), offset,
      [](const CodeAnchor& anchor, std::uint64_t wanted) { return anchor.offset < wanted; });
  return found != anchors.end() && found->offset == offset ? &*found : nullptr;
}

std::vector<InlinedCall> read_inlined_calls(const DebugInfoInput& input) {
  return Reader(input).read();
}

}  // namespace burin::read
