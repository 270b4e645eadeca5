#include "report/inspect/table.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "read/program/names.h"
#include "read/program/source.h"
#include "read/program/words.h"

namespace burin::report {
namespace {

constexpr std::size_t kCountsWidth = 51;  // of the columns before the kernel's name
// Minimum columns of a name before the source is left out.
constexpr std::size_t kShortestName = 24;

std::string plural(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

void write_summary(Output& out, std::string_view path, const read::Container& container) {
  static constexpr std::string_view kWords[] = {
      "cubin",    "fatbin", "host program or library", "static library", "PTX text",
      "zip file", "folder"};
  out.put(Style::kBold, path, Style::kPlain, ": ",
          kWords[static_cast<std::size_t>(container.format)]);
  std::vector<read::Architecture> archs;
  std::size_t counts[4] = {};
  for (const read::Entry& entry : container.entries) {
    ++counts[static_cast<std::size_t>(entry.kind)];
    if (entry.kind == read::Entry::Kind::kCubin) archs.push_back(entry.arch);
  }
  std::sort(archs.begin(), archs.end());
  archs.erase(std::unique(archs.begin(), archs.end()), archs.end());
  std::vector<std::string> parts;
  if (counts[0] > 0) {
    std::string text = plural(counts[0], "cubin", "cubins") + " (";
    for (const read::Architecture& arch : archs)
      text += (text.ends_with('(') ? "" : ", ") + read::to_string(arch);
    parts.push_back(text + ")");
  }
  if (counts[1] > 0) parts.push_back(plural(counts[1], "PTX entry", "PTX entries"));
  if (counts[2] > 0) parts.push_back(plural(counts[2], "LTO-IR entry", "LTO-IR entries"));
  if (counts[3] > 0)
    parts.push_back(plural(counts[3], "entry of another kind", "entries of other kinds"));
  if (container.format == read::Container::Format::kCubin && archs.size() == 1) {
    out.put(" for ", read::to_string(archs.front()), '\n');
  } else {
    out.put(" with ", list_of(parts, parts.size()), '\n');
  }
}

void write_table_head(Output& out) {
  out.put('\n', Style::kBold, "arch     regs  shared   stack bars params  instrs  kernel, source",
          Style::kPlain, '\n');
}

void write_table_row(Output& out, const read::Image& image, const read::Function& function) {
  out.put(Left{read::to_string(image.arch), 7}, Right{function.registers, 6},
          Right{function.shared_bytes, 8},
          Right{std::max(function.local_bytes, function.stack_bytes), 8},
          Right{function.barriers, 5}, Right{function.parameter_bytes, 7});
  // Before sm_70, instructions were not 16 bytes long.
  out.put(image.arch.sm >= 70 ? Right{function.code.size() / 16, 8} : Right{"-", 8}, "  ");

  std::string source;
  if (const read::Place start = read::start_of(image, function); start.line > 0) {
    source = line_name(start.file, start.line);
  }
  std::size_t room = 0;  // no limit
  if (out.width() > 0) {
    room = std::max(out.width(), kCountsWidth + kShortestName) - kCountsWidth;
    if (room >= kShortestName + source.size() + 2) {
      room -= source.size() + 2;
    } else {
      source.clear();
    }
  }
  if (!function.is_kernel) out.put("(device function) ");
  out.put(read::shorten(function.demangled, room));
  if (!source.empty()) out.put("  ", Style::kDim, source, Style::kPlain);
  out.put('\n');
}

void write_other_entries(Output& out, const std::vector<const read::Entry*>& entries) {
  if (entries.empty()) return;
  struct Group {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    std::string from;  // if there is only one
  };
  std::map<std::tuple<read::Entry::Kind, read::Architecture, read::Entry::Packing>, Group> groups;
  for (const read::Entry* entry : entries) {
    Group& group = groups[{entry->kind, entry->arch, entry->packing}];
    group.count += 1;
    group.bytes += entry->raw_size;
    group.from = entry->name;
    if (!entry->member.empty()) group.from += (group.from.empty() ? "" : " in ") + entry->member;
  }
  out.put('\n', Style::kBold, "also  arch          entries       bytes  packing", Style::kPlain,
          '\n');
  for (const auto& [key, group] : groups) {
    const auto& [kind, arch, packing] = key;
    out.put(Left{read::name(kind), 6}, Left{read::arch_name(kind, arch), 12}, Right{group.count, 9},
            Right{group.bytes, 12}, "  ", read::name(packing));
    if (group.count == 1 && !group.from.empty()) out.put("  ", group.from);
    out.put('\n');
  }
}

}  // namespace burin::report
