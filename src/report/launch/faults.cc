#include "report/launch/faults.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "read/isa/print.h"
#include "read/program/library.h"
#include "read/program/names.h"
#include "report/launch/launch_json.h"

namespace burin::report {
namespace {

constexpr std::size_t kMaxNoted = 4;  // groups

read::UserLine line_at(const read::Kernel& kernel, std::uint32_t instruction) {
  return read::user_line(*kernel.image, kernel.location_at(16 * instruction));
}

std::string line_text(const read::Kernel& kernel, std::uint32_t instruction) {
  const read::Location* at = line_at(kernel, instruction).location;
  if (at == nullptr) return fmt::format("offset {:#06x}", 16 * instruction);
  return line_name(read::path_of(*kernel.image, *at), at->line);
}

// " in __ldg (sm_32_intrinsics.hpp:113)"; "" for the user's own code.
std::string library_text(const read::Kernel& kernel, std::uint32_t instruction) {
  const read::UserLine at = line_at(kernel, instruction);
  if (at.inside == nullptr) return "";
  return fmt::format(" in {} ({})", at.call.empty() ? "CUDA's headers" : at.call,
                     line_name(read::path_of(*kernel.image, *at.inside), at.inside->line));
}

void write_line_of(Json& json, const read::Kernel& kernel, std::uint32_t instruction) {
  const read::UserLine at = line_at(kernel, instruction);
  json.field("offset", 16 * instruction);
  if (at.location == nullptr) {
    json.field("file", nullptr);
    json.field("line", nullptr);
  } else {
    json.field("file", read::path_of(*kernel.image, *at.location));
    json.field("line", at.location->line);
  }
  if (at.call.empty()) {
    json.field("library_call", nullptr);
  } else {
    json.field("library_call", at.call);
  }
}

}  // namespace

std::string_view consequence(emulate::Fault::Kind kind) {
  switch (kind) {
    case emulate::Fault::Kind::kOutOfBounds:
      return "on a GPU the kernel fails, or reads or corrupts other data";
    case emulate::Fault::Kind::kMisaligned:
      return "on a GPU the kernel fails";
    case emulate::Fault::Kind::kUninitialised:
      return "the value read is undefined";
    case emulate::Fault::Kind::kRace:
      return "the order of the two accesses is undefined";
    case emulate::Fault::Kind::kBarrierDivergence:
      return "on a GPU the kernel may hang, or continue without the other threads";
    case emulate::Fault::Kind::kTrap:
    case emulate::Fault::Kind::kAssert:
    case emulate::Fault::Kind::kStackOverflow:
    case emulate::Fault::Kind::kInvalidFree:
      return "on a GPU the kernel fails";
  }
  return "";
}

std::vector<FaultGroup> grouped_faults(const read::Kernel& kernel,
                                       std::span<const emulate::Fault> faults) {
  std::vector<FaultGroup> groups;
  std::map<std::pair<emulate::Fault::Kind, std::string>, std::size_t> known;
  for (const emulate::Fault& fault : faults) {
    const auto [at, is_new] =
        known.try_emplace({fault.kind, line_text(kernel, fault.instruction)}, groups.size());
    if (is_new) groups.push_back({.first = &fault});
    FaultGroup& group = groups[at->second];
    group.count += fault.count;
    ++group.instructions;
  }
  return groups;
}

void write_faults(Output& out, const read::Kernel& kernel, std::span<const emulate::Fault> faults,
                  read::SourceText& source) {
  for (const FaultGroup& group : grouped_faults(kernel, faults)) {
    const emulate::Fault& fault = *group.first;
    const read::Location* at = line_at(kernel, fault.instruction).location;
    out.put('\n', Style::kBad, emulate::name(fault.kind), Style::kPlain, "  ",
            line_text(kernel, fault.instruction));
    if (at != nullptr) {
      const std::string path(read::path_of(*kernel.image, *at));
      out.put("  ", source.line(path, at->line));
    }
    std::string text;
    read::print(kernel.instructions[fault.instruction], text);
    out.put("\n  block ", launch::to_string(fault.block), " thread ",
            launch::to_string(fault.thread), ": ", text);
    if (fault.bytes != 0) {
      out.put(", ", count_of(fault.bytes, "byte"), " at ", Hex{fault.address});
    }
    out.put(library_text(kernel, fault.instruction));
    out.put("\n  ", fault.detail, fault.detail.empty() ? "" : "; ", consequence(fault.kind));
    if (group.count > 1) {
      out.put("\n  ", with_commas(group.count), " occurrences");
      if (group.instructions > 1) out.put(" in ", group.instructions, " instructions of this line");
    }
    out.put('\n');
  }
}

void write_fault_notes(Output& out, const read::Kernel& kernel,
                       std::span<const std::string> of_launch,
                       std::span<const emulate::Fault> faults) {
  const std::vector<FaultGroup> groups = grouped_faults(kernel, faults);
  for (const std::string& fault : of_launch) {
    out.put(Style::kBad, "fault", Style::kPlain, ": ", fault, '\n');
  }
  for (std::size_t k = 0; k < std::min(groups.size(), kMaxNoted); ++k) {
    const emulate::Fault& fault = *groups[k].first;
    out.put(Style::kBad, "fault", Style::kPlain, ": ", emulate::name(fault.kind), " at ",
            line_text(kernel, fault.instruction), library_text(kernel, fault.instruction),
            ", block ", launch::to_string(fault.block), " thread ",
            launch::to_string(fault.thread));
    if (!fault.detail.empty()) out.put(": ", fault.detail);
    if (groups[k].count > 1) out.put(" (", with_commas(groups[k].count), " times)");
    out.put('\n');
  }
  if (groups.size() > kMaxNoted) {
    out.put("and ", count_of(groups.size() - kMaxNoted, "more fault"), '\n');
  }
  if (!groups.empty()) {
    out.put(
        "the launch has errors, so its time means little; `burin run` reports them in full\n\n");
  } else if (!of_launch.empty()) {
    out.put('\n');
  }
}

void write_faults(Json& json, const read::Kernel& kernel, std::span<const emulate::Fault> faults) {
  json.open("faults", '[');
  for (const emulate::Fault& fault : faults) {
    json.open('{');
    json.field("kind", emulate::name(fault.kind));
    write_line_of(json, kernel, fault.instruction);
    std::string text;
    read::print(kernel.instructions[fault.instruction], text);
    json.field("instruction", text);
    json.field("block", axes(fault.block));
    json.field("thread", axes(fault.thread));
    json.field("address", fault.address);
    json.field("bytes", fault.bytes);
    json.field("detail", fault.detail);
    json.field("count", fault.count);
    json.close();
  }
  json.close();
}

}  // namespace burin::report
