#include "analyze/code/regions.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "read/program/loop_lines.h"

namespace burin::analyze {

namespace {

constexpr std::uint32_t kMaxDepth = 4;  // levels of regions below the kernel

// Sets the offsets and lines of a region by its instructions.
void locate(const read::Kernel& kernel, Region& region) {
  std::map<std::string_view, std::uint32_t> files;
  bool first = true;
  for (std::uint32_t i = 0; i < region.instructions.size(); ++i) {
    if (region.instructions[i] == 0) continue;
    const std::uint32_t offset = kernel.instructions[i].offset;
    if (first) region.first_offset = offset;
    first = false;
    region.last_offset = offset;
    const SourceLine line = line_of(kernel, i);
    if (!line.file.empty()) ++files[line.file];
  }
  const auto most =
      std::ranges::max_element(files, {}, [](const auto& entry) { return entry.second; });
  if (most == files.end()) return;
  region.file = most->first;
  for (std::uint32_t i = 0; i < region.instructions.size(); ++i) {
    if (region.instructions[i] == 0) continue;
    const SourceLine line = line_of(kernel, i);
    if (line.file != region.file) continue;
    region.first_line = region.first_line == 0 ? line.line : std::min(region.first_line, line.line);
    region.last_line = std::max(region.last_line, line.line);
  }
}

// "loop at 41-44", "code at 0x0040-0x0130".
std::string name_of(const Region& region, std::string_view what) {
  if (region.first_line == 0) {
    return fmt::format("{} at 0x{:04x}-0x{:04x}", what, region.first_offset, region.last_offset);
  }
  return fmt::format("{} at {}", what, line_name(region.file, region.first_line, region.last_line));
}

// Appends code offsets to names that several regions share.
void name_apart(std::vector<Region>& regions) {
  std::map<std::string, std::size_t> times;
  for (const Region& region : regions) ++times[region.name];
  for (Region& region : regions) {
    if (times[region.name] < 2 || region.first_line == 0) continue;
    region.name += fmt::format(" (0x{:04x}-0x{:04x})", region.first_offset, region.last_offset);
  }
}

class Finding {
 public:
  Finding(const read::Kernel& kernel, const read::InstructionSet& executed)
      : kernel_(kernel), executed_(executed) {}

  Regions run() {
    std::vector<std::uint32_t> all;
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) all.push_back(b);
    regions_.top = divide(all, read::kNoIndex, 0);
    name_apart(regions_.list);
    return std::move(regions_);
  }

 private:
  bool executed(std::uint32_t block) const {
    const read::BasicBlock& b = kernel_.blocks[block];
    for (std::uint32_t i = b.first; i <= b.last; ++i)
      if (executed_[i] != 0) return true;
    return false;
  }
  // The outermost loop below `outer` that the block is in.
  std::uint32_t loop_below(std::uint32_t block, std::uint32_t outer) const {
    std::uint32_t found = read::kNoIndex;
    for (std::uint32_t l = kernel_.blocks[block].loop; l != read::kNoIndex && l != outer;
         l = kernel_.loops[l].parent) {
      found = l;
    }
    return found;
  }

  // The loops right below `outer`, and the runs of blocks between them.
  std::vector<std::size_t> divide(const std::vector<std::uint32_t>& blocks, std::uint32_t outer,
                                  std::uint32_t depth) {
    struct Part {
      std::uint32_t loop = read::kNoIndex;
      std::vector<std::uint32_t> blocks;
    };
    std::vector<Part> parts;
    for (const std::uint32_t b : blocks) {
      if (!executed(b)) continue;
      const std::uint32_t loop = loop_below(b, outer);
      const auto known = std::ranges::find_if(
          parts, [&](const Part& p) { return loop != read::kNoIndex && p.loop == loop; });
      if (known != parts.end()) {
        known->blocks.push_back(b);
      } else if (loop == read::kNoIndex && !parts.empty() && parts.back().loop == read::kNoIndex) {
        parts.back().blocks.push_back(b);
      } else {
        parts.push_back({loop, {b}});
      }
    }
    if (parts.size() == 1 && parts[0].loop == read::kNoIndex) return split(parts[0].blocks);
    std::vector<std::size_t> made;
    for (const Part& part : parts) {
      const bool loop = part.loop != read::kNoIndex;
      const std::size_t at = add(part.blocks, loop ? "loop" : "code", part.loop);
      made.push_back(at);
      if (depth + 1 >= kMaxDepth) continue;
      std::vector<std::size_t> inside =
          loop ? divide(part.blocks, part.loop, depth + 1) : split(part.blocks);
      if (inside.size() > 1) regions_.list[at].inside = std::move(inside);
    }
    return made;
  }

  // Basic blocks, each a region.
  std::vector<std::size_t> split(const std::vector<std::uint32_t>& blocks) {
    std::vector<std::size_t> made;
    for (const std::uint32_t b : blocks) made.push_back(add({b}, "block"));
    return made;
  }

  std::size_t add(const std::vector<std::uint32_t>& blocks, std::string_view what,
                  std::uint32_t loop = read::kNoIndex) {
    Region region;
    region.instructions.resize(kernel_.instructions.size());
    for (const std::uint32_t b : blocks) {
      for (std::uint32_t i = kernel_.blocks[b].first; i <= kernel_.blocks[b].last; ++i) {
        region.instructions[i] = 1;
      }
    }
    locate(kernel_, region);
    if (loop != read::kNoIndex) {
      const read::LoopLines lines = read::lines_of(kernel_, kernel_.loops[loop]);
      region.file = lines.file;
      region.first_line = lines.first;
      region.last_line = lines.last;
    }
    region.name = name_of(region, what);
    regions_.list.push_back(std::move(region));
    return regions_.list.size() - 1;
  }

  const read::Kernel& kernel_;
  const read::InstructionSet& executed_;
  Regions regions_;
};

bool claims(const RegionLines& wanted, const read::Kernel& kernel, std::uint32_t instruction) {
  const read::Image& image = *kernel.image;
  for (std::int32_t at = kernel.location_at(kernel.instructions[instruction].offset); at >= 0;
       at = image.locations[static_cast<std::size_t>(at)].inlined_from) {
    const read::Location& location = image.locations[static_cast<std::size_t>(at)];
    if (location.line >= wanted.first && location.line <= wanted.last &&
        location.file < image.files.size() &&
        std::string_view(image.files[location.file]).ends_with(wanted.file)) {
      return true;
    }
  }
  return false;
}

Error holds_nothing(const read::Kernel& kernel, const RegionLines& wanted) {
  Region whole;
  whole.instructions.assign(kernel.instructions.size(), 1);
  locate(kernel, whole);
  const std::string lines = wanted.first == wanted.last
                                ? fmt::format("line {}", wanted.first)
                                : fmt::format("lines {}-{}", wanted.first, wanted.last);
  const std::string where = whole.first_line == 0
                                ? "the kernel has no line information; compile with -lineinfo"
                                : fmt::format("the kernel's code is at lines {}-{} of {}",
                                              whole.first_line, whole.last_line, whole.file);
  return Error{fmt::format("region {}: no executed instruction of {} is at {}{}{}; {}", wanted.name,
                           kernel.function->demangled, lines, wanted.file.empty() ? "" : " of ",
                           wanted.file, where)};
}

}  // namespace

SourceLine line_of(const read::Kernel& kernel, std::uint32_t instruction) {
  const read::Image& image = *kernel.image;
  SourceLine line;
  for (std::int32_t at = kernel.location_at(kernel.instructions[instruction].offset); at >= 0;
       at = image.locations[static_cast<std::size_t>(at)].inlined_from) {
    const read::Location& location = image.locations[static_cast<std::size_t>(at)];
    if (location.file >= image.files.size() || image.files[location.file] == line.file) continue;
    line = {image.files[location.file], location.line};
  }
  return line;
}

Regions find_regions(const read::Kernel& kernel, const read::InstructionSet& executed) {
  return Finding(kernel, executed).run();
}

Result<RegionLines> parse_region(std::string_view text) {
  const Error wrong{fmt::format("expected NAME=FILE:LINE-LINE or NAME=LINE-LINE, not '{}'", text),
                    Exit::kUsage};
  RegionLines region;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return wrong;
  region.name = text.substr(0, equals);
  std::string_view lines = text.substr(equals + 1);
  const std::size_t colon = lines.rfind(':');
  if (colon != std::string_view::npos) {
    if (colon == 0) return wrong;
    region.file = lines.substr(0, colon);
    lines = lines.substr(colon + 1);
  }
  const std::size_t dash = lines.find('-');
  const auto number = [](std::string_view digits, std::uint32_t& to) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), to);
    return error == std::errc() && end == digits.data() + digits.size() && to > 0;
  };
  if (!number(lines.substr(0, dash), region.first)) return wrong;
  region.last = region.first;
  if (dash != std::string_view::npos && !number(lines.substr(dash + 1), region.last)) return wrong;
  if (region.last < region.first) return wrong;
  return region;
}

Result<Regions> named_regions(const read::Kernel& kernel, const read::InstructionSet& executed,
                              std::span<const RegionLines> named) {
  Regions regions;
  read::InstructionSet left = executed;
  const auto add = [&](std::string name, read::InstructionSet instructions) {
    Region region{.name = std::move(name), .file = {}, .instructions = std::move(instructions)};
    locate(kernel, region);
    regions.top.push_back(regions.list.size());
    regions.list.push_back(std::move(region));
  };
  for (const RegionLines& wanted : named) {
    read::InstructionSet own(kernel.instructions.size());
    for (std::uint32_t i = 0; i < own.size(); ++i) {
      if (left[i] == 0 || !claims(wanted, kernel, i)) continue;
      own[i] = 1;
      left[i] = 0;
    }
    if (std::ranges::count(own, 1) == 0) return holds_nothing(kernel, wanted);
    add(wanted.name, std::move(own));
  }
  if (std::ranges::count(left, 1) != 0) add("elsewhere", std::move(left));
  return regions;
}

std::vector<std::uint32_t> copy_kinds(const read::Kernel& kernel) {
  std::map<std::tuple<std::string_view, std::string_view, std::uint32_t>, std::uint32_t> numbers;
  std::vector<std::uint32_t> kinds;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const SourceLine line = line_of(kernel, i);
    const auto next = static_cast<std::uint32_t>(numbers.size());
    const auto known = numbers.emplace(
        std::tuple(kernel.instructions[i].mnemonic(), std::string_view(line.file), line.line),
        next);
    kinds.push_back(known.first->second);
  }
  return kinds;
}

}  // namespace burin::analyze
