#include "read/binary/debug_line.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "read/binary/debug_line_header.h"
#include "read/binary/elf.h"
#include "read/binary/location_table.h"

namespace burin::read {
namespace {

using RowsBySection = std::map<std::uint32_t, std::vector<LineRow>>;

// The files that one unit numbers, by their number in the whole table.
struct UnitFiles {
  std::uint32_t first = 0;
  std::vector<std::uint32_t> numbers;

  std::optional<std::uint32_t> find(std::uint64_t file) const {
    file -= first;  // wraps: then it is out of range
    if (file >= numbers.size()) return std::nullopt;
    return numbers[file];
  }
};

class Unit {
 public:
  Unit(const LineInput& input, const LineHeader& header, const UnitFiles& files,
       LocationTable& places, RowsBySection& rows)
      : input_(input), header_(header), files_(files), places_(places), rows_(rows) {}

  // Runs the unit's program, which starts at `start` of .debug_line. False where it is damaged.
  bool run(Bytes program, std::uint64_t start) {
    Cursor in(program);
    while (!in.at_end()) {
      const std::uint8_t opcode = in.u8();
      if (opcode >= header_.opcode_base) {
        const unsigned step = opcode - unsigned{header_.opcode_base};
        address_ += std::uint64_t{step / header_.line_range} * header_.instruction_bytes;
        line_ += static_cast<std::uint64_t>(std::int64_t{header_.line_base} +
                                            std::int64_t{step % header_.line_range});
        add_row();
      } else if (opcode == 0) {
        extended(in, start);
      } else {
        standard(opcode, in);
      }
      if (!in.ok()) return false;
    }
    return sound_;
  }

 private:
  void standard(std::uint8_t opcode, Cursor& in) {
    switch (opcode) {
      case 1:  // copy
        add_row();
        break;
      case 2:  // advance_pc
        address_ += in.uleb128() * header_.instruction_bytes;
        break;
      case 3:  // advance_line
        line_ += static_cast<std::uint64_t>(in.sleb128());
        break;
      case 4:  // set_file
        file_ = in.uleb128();
        break;
      case 8:  // const_add_pc
        address_ += std::uint64_t{(255u - header_.opcode_base) / header_.line_range} *
                    header_.instruction_bytes;
        break;
      case 9:  // fixed_advance_pc
        address_ += in.u16();
        break;
      default:  // changes nothing that is kept
        for (unsigned i = 0; i < header_.argument_counts[opcode]; ++i) (void)in.uleb128();
    }
  }

  void extended(Cursor& in, std::uint64_t start) {
    const std::uint64_t size = in.uleb128();
    const std::uint64_t at = start + in.position();
    Cursor body(in.bytes(size));
    if (!in.ok() || size == 0) return;
    switch (body.u8()) {
      case 1:  // end_sequence
        end_sequence();
        break;
      case 2:  // set_address
        set_address(size > 8 ? body.u64() : body.u32(), at + 1);
        break;
      case 0x90: {  // inlined call
        context_ = body.uleb128();
        const std::uint64_t name = body.uleb128();
        if (context_ > locations_.size() || !body.ok()) {  // only rows before this one can call it
          context_ = 0;
          sound_ = false;
        }
        if (context_ != 0 && name != name_offset_) {
          name_ = places_.name(string_at(input_.strings, name));
          name_offset_ = name;
        }
        break;
      }
    }
  }

  void set_address(std::uint64_t value, std::uint64_t at) {
    if (const CodeAnchor* anchor = find_anchor(input_.anchors, at)) {
      section_ = anchor->section;
      address_ = anchor->address;
    } else {
      section_ = input_.default_section;
      address_ = value;
    }
  }

  void add_row() {
    std::int32_t location = LocationTable::kNone;
    const std::optional<std::uint32_t> file = files_.find(file_);
    if (line_ != 0 && line_ <= std::numeric_limits<std::uint32_t>::max() && file) {
      const auto line = static_cast<std::uint32_t>(line_);
      location = context_ == 0 ? places_.location(*file, line)
                               : places_.inlined(*file, line, locations_[context_ - 1], name_);
    }
    locations_.push_back(location);
    keep_row(location);
  }

  void keep_row(std::int32_t location) {
    if (section_ == 0 || address_ > std::numeric_limits<std::uint32_t>::max()) return;
    rows_[section_].push_back({static_cast<std::uint32_t>(address_), location});
  }

  void end_sequence() {
    keep_row(LocationTable::kNone);
    locations_.clear();
    address_ = 0;
    line_ = 1;
    file_ = 1;
    context_ = 0;
    section_ = 0;
  }

  const LineInput& input_;
  const LineHeader& header_;
  const UnitFiles& files_;
  LocationTable& places_;
  RowsBySection& rows_;

  std::uint64_t address_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t file_ = 1;
  std::uint64_t context_ = 0;
  std::uint32_t name_ = 0;
  std::uint64_t name_offset_ = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t section_ = 0;
  bool sound_ = true;
  std::vector<std::int32_t> locations_;  // of every row of the sequence, for contexts
};

// The rows of all sequences of a section, sorted, one for each offset.
std::vector<LineRow> join_rows(std::span<const LineRow> rows) {
  std::vector<std::size_t> order;  // by offset, and as they came where that is equal
  for (std::size_t i = 0; i < rows.size(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(rows[a].offset, a) < std::tie(rows[b].offset, b);
  });
  std::vector<LineRow> joined;
  for (const std::size_t i : order) {
    const LineRow& row = rows[i];
    if (!joined.empty() && joined.back().offset == row.offset) {
      // Rows of one offset go from call site to inlined code: the last says most. The end of one
      // sequence (-1) says nothing against the start of another.
      if (row.location >= 0) joined.back() = row;
    } else if (joined.empty() || joined.back().location != row.location) {
      joined.push_back(row);
    }
  }
  return joined;
}

// Adds the calls of .debug_info to the rows of a section that tells none: a row that reaches into
// or out of a call is split there.
class CallWeaver {
 public:
  CallWeaver(std::span<const InlinedCall> calls, const std::map<std::uint64_t, UnitFiles>& units,
             LocationTable& places)
      : calls_(calls), units_(units), places_(places) {}

  void weave(SectionLines& lines) {
    const auto first = std::partition_point(
        calls_.begin(), calls_.end(), [&](const auto& c) { return c.section < lines.section; });
    next_ = first;
    last_ = std::partition_point(first, calls_.end(),
                                 [&](const auto& c) { return c.section == lines.section; });
    if (next_ == last_) return;
    active_.clear();
    std::vector<LineRow> woven;
    for (std::size_t i = 0; i < lines.rows.size(); ++i) {
      const LineRow& row = lines.rows[i];
      const std::uint64_t end = i + 1 < lines.rows.size() ? lines.rows[i + 1].offset : 0;
      std::uint64_t at = row.offset;
      do {
        enter_and_leave(at);
        woven.push_back({static_cast<std::uint32_t>(at), place(row.location)});
        at = std::min(end, next_change());
      } while (at < end);
    }
    lines.rows = std::move(woven);
  }

 private:
  struct Active {
    std::uint64_t end = 0;
    std::int32_t site = LocationTable::kNone;
    std::uint32_t name = 0;
  };

  std::int32_t place(std::int32_t location) {
    return active_.empty() ? location
                           : places_.inlined(location, active_.back().site, active_.back().name);
  }

  void enter_and_leave(std::uint64_t at) {
    const auto leave = [&](std::uint64_t where) {
      while (!active_.empty() && active_.back().end <= where) active_.pop_back();
    };
    for (; next_ != last_ && next_->begin <= at; ++next_) {
      leave(next_->begin);
      const auto unit = units_.find(next_->line_unit);
      const auto file = unit != units_.end() ? unit->second.find(next_->file) : std::nullopt;
      if (!file) continue;
      std::uint64_t end = next_->end;
      if (!active_.empty()) end = std::min(end, active_.back().end);
      active_.push_back(
          {end, place(places_.location(*file, next_->line)), places_.name(next_->function)});
    }
    leave(at);
  }

  std::uint64_t next_change() const {
    std::uint64_t change = ~std::uint64_t{0};
    if (next_ != last_) change = next_->begin;
    if (!active_.empty()) change = std::min(change, active_.back().end);
    return change;
  }

  std::span<const InlinedCall> calls_;
  const std::map<std::uint64_t, UnitFiles>& units_;
  LocationTable& places_;
  std::span<const InlinedCall>::iterator next_, last_;
  std::vector<Active> active_;  // outermost first
};

}  // namespace

LineTable read_lines(const LineInput& input) {
  LineTable table;
  LocationTable places((1 << 20) + 16 * (input.line.size() + input.strings.size()));
  std::map<std::uint64_t, UnitFiles> units;
  RowsBySection rows;
  Cursor in(input.line);
  while (!in.at_end()) {
    const std::uint64_t at = in.position();
    const std::optional<LineUnit> unit = next_line_unit(in, input);
    if (!unit) {
      table.damaged = true;
      break;  // where the next unit starts is not known
    }
    if (!unit->header) {
      table.damaged = true;
      continue;
    }
    UnitFiles& files = units[at];
    files.first = unit->header->first_file;
    for (const LineFile& file : unit->header->files)
      files.numbers.push_back(places.file(file.folder, file.name));
    if (!Unit(input, *unit->header, files, places, rows).run(unit->program, unit->start))
      table.damaged = true;
  }
  CallWeaver weaver(input.calls, units, places);
  for (const auto& [section, unordered] : rows) {
    table.sections.push_back({section, join_rows(unordered)});
    weaver.weave(table.sections.back());
  }
  places.finish(table);
  return table;
}

}  // namespace burin::read
