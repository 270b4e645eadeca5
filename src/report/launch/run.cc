#include "report/launch/run.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "read/isa/print.h"
#include "read/program/classes.h"
#include "read/program/names.h"

namespace burin::report {
namespace {

void add(Sum& sum, const RunReport& report, std::size_t instruction) {
  const emulate::InstructionCount& count = report.run.counts[instruction];
  sum.count.warps += count.warps;
  sum.count.lanes += count.lanes;
  sum.count.divergent += count.divergent;
  if (report.traffic != nullptr) sum.traffic += report.traffic->counts()[instruction];
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Where the instruction comes from, innermost first.
std::vector<const read::Location*> chain_of(const read::Kernel& kernel, std::uint32_t instruction) {
  return read::call_chain(*kernel.image, kernel.location_at(16 * instruction));
}

std::string line_text(const read::Kernel& kernel, std::uint32_t instruction) {
  const auto chain = chain_of(kernel, instruction);
  if (chain.empty()) return fmt::format("offset {:#06x}", 16 * instruction);
  return line_name(read::path_of(*kernel.image, *chain.front()), chain.front()->line);
}

// "  12,345  50.0 %    32.0", the columns of both tables.
std::string numbers(const Sum& sum, std::uint64_t all) {
  return fmt::format("{:>17} {:>5.1f} % {:>6.1f}", with_commas(sum.count.warps),
                     100 * ratio(sum.count.warps, all), ratio(sum.count.lanes, sum.count.warps));
}

void write_head(Output& out, const RunReport& report, const Sum& all) {
  const launch::Launch& launch = report.launch;
  const std::size_t faults = grouped_faults(report).size();
  out.put(
      Style::kBold, read::shorten(report.kernel.function->demangled, out.width()), Style::kPlain,
      ": ", with_commas(all.count.warps), " warp instructions in ", with_commas(report.run.blocks),
      report.run.blocks == 1 ? " block of " : " blocks of ", launch.block.total(),
      launch.block.total() == 1 ? " thread (" : " threads (",
      read::to_string(report.kernel.image->arch), "); ", faults == 0 ? Style::kGood : Style::kBad,
      faults == 0 ? "no faults found" : count_of(faults, "fault") + " found", Style::kPlain, '\n');
}

void write_faults(Output& out, const RunReport& report, read::SourceText& source) {
  const read::Kernel& kernel = report.kernel;
  for (const FaultGroup& group : grouped_faults(report)) {
    const emulate::Fault& fault = *group.first;
    const auto chain = chain_of(kernel, fault.instruction);
    out.put('\n', Style::kBad, emulate::name(fault.kind), Style::kPlain, "  ",
            line_text(kernel, fault.instruction));
    if (!chain.empty()) {
      const std::string path(read::path_of(*kernel.image, *chain.front()));
      out.put("  ", source.line(path, chain.front()->line));
    }
    std::string text;
    read::print(kernel.instructions[fault.instruction], text);
    out.put("\n  block ", launch::to_string(fault.block), " thread ",
            launch::to_string(fault.thread), ": ", text);
    if (fault.bytes != 0) {
      out.put(", ", count_of(fault.bytes, "byte"), " at ", Hex{fault.address});
    }
    out.put("\n  ", fault.detail, fault.detail.empty() ? "" : "; ", consequence(fault.kind));
    if (group.count > 1) {
      out.put("\n  ", with_commas(group.count), " occurrences");
      if (group.instructions > 1) out.put(" in ", group.instructions, " instructions of this line");
    }
    out.put('\n');
  }
}

void write_classes(Output& out, const RunReport& report, const Sum& all) {
  out.put('\n', Style::kBold, Left{"class", 18}, Right{"warp instructions", 17}, "   share  lanes",
          Style::kPlain, '\n');
  for (const ClassSum& sum : by_class(report)) {
    out.put(Left{sum.name, 18}, numbers(sum, all.count.warps), '\n');
  }
}

void write_divergence(Output& out, const Sum& all) {
  out.put("\ndivergence      ", fmt::format("{:.1f} of 32 lanes active on average; {:.1f} % of the "
                                            "instructions ran in a diverged warp\n",
                                            ratio(all.count.lanes, all.count.warps),
                                            100 * ratio(all.count.divergent, all.count.warps)));
}

void write_traffic(Output& out, const RunReport& report, const emulate::TrafficCount& all) {
  if (report.traffic == nullptr) return;
  out.put(
      "global memory   ", with_commas(all.requests),
      fmt::format(
          " requests, {:.1f} sectors of 32 bytes per request; {:.0f} % of the sector bytes used\n",
          ratio(all.sectors, all.requests),
          100 * std::min(1.0, ratio(all.bytes, all.sectors * emulate::kSectorBytes))));
}

void write_unknown(Output& out, const emulate::UnknownCount& unknown) {
  std::vector<std::string> parts;
  const auto tell = [&](std::uint64_t n, std::string_view what) {
    if (n != 0) parts.push_back(with_commas(n) + " " + std::string(what));
  };
  tell(unknown.branches, "branches on an Unknown condition");
  tell(unknown.instructions, "warp instructions on one path of such a branch");
  tell(unknown.guards, "instructions with an Unknown predicate");
  tell(unknown.accesses, "lane accesses to an Unknown address");
  if (!parts.empty()) out.put("unknown values  ", list_of(parts, parts.size()), '\n');
}

void write_lines(Output& out, const RunReport& report, const Sum& all, read::SourceText& source) {
  const std::vector<LineSum> lines = by_line(report);
  const std::size_t shown = std::min(lines.size(), report.most_lines);
  std::size_t width = 18;
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, line_name(lines[i].file, lines[i].line).size() + 1);
  }
  const bool sectors = report.traffic != nullptr;
  out.put('\n', Style::kBold, Left{"line", width}, Right{"warp instructions", 17},
          "   share  lanes", sectors ? "  sectors" : "", "  source", Style::kPlain, '\n');
  for (std::size_t i = 0; i < shown; ++i) {
    const LineSum& sum = lines[i];
    const emulate::TrafficCount& traffic = sum.traffic;
    out.put(Left{line_name(sum.file, sum.line), width}, numbers(sum, all.count.warps));
    if (sectors) {
      out.put(Right{traffic.requests == 0
                        ? "-"
                        : fmt::format("{:.1f}", ratio(traffic.sectors, traffic.requests)),
                    9});
    }
    const std::string_view text = source.line(std::string(sum.file), sum.line);
    out.put(text.empty() ? "" : "  ", text, '\n');
  }
  if (shown < lines.size()) {
    out.put("and ", count_of(lines.size() - shown, "more line"), "; --lines shows them all\n");
  }
}

// What a GPU counted in the same launch.
void write_counts(Output& out, const RunReport& report) {
  if (!report.counts) return;
  const capture::CountAgreement& counts = *report.counts;
  if (counts.is_equal()) {
    out.put("execution counts of all instructions match the GPU's (",
            with_commas(counts.instructions), " instructions)\n");
    return;
  }
  out.put(with_commas(counts.instructions - counts.equal), " of ", with_commas(counts.instructions),
          " instructions have execution counts that differ from the GPU's, the first at ",
          Hex{counts.first, 4, true}, ": ",
          with_commas(static_cast<std::uint64_t>(counts.first_ours)), " emulated, ",
          with_commas(static_cast<std::uint64_t>(counts.first_counted)), " on the GPU\n");
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
      return "on a GPU the kernel fails";
  }
  return "";
}

std::vector<FaultGroup> grouped_faults(const RunReport& report) {
  std::vector<FaultGroup> groups;
  std::map<std::pair<emulate::Fault::Kind, std::string>, std::size_t> known;
  for (const emulate::Fault& fault : report.run.faults) {
    const auto [at, is_new] =
        known.try_emplace({fault.kind, line_text(report.kernel, fault.instruction)}, groups.size());
    if (is_new) groups.push_back({.first = &fault});
    FaultGroup& group = groups[at->second];
    group.count += fault.count;
    ++group.instructions;
  }
  return groups;
}

Sum in_all(const RunReport& report) {
  Sum sum;
  for (std::size_t i = 0; i < report.run.counts.size(); ++i) add(sum, report, i);
  return sum;
}

std::vector<ClassSum> by_class(const RunReport& report) {
  const auto names = read::instruction_classes();
  std::vector<ClassSum> sums(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) sums[i].name = names[i];
  for (std::size_t i = 0; i < report.run.counts.size(); ++i) {
    add(sums[read::class_of(report.kernel.instructions[i])], report, i);
  }
  std::erase_if(sums, [](const ClassSum& sum) { return sum.count.warps == 0; });
  return sums;
}

std::vector<LineSum> by_line(const RunReport& report) {
  const read::Image& image = *report.kernel.image;
  std::map<std::pair<std::string_view, std::uint32_t>, LineSum> sums;
  read::LineWalk walk(*report.kernel.function);
  for (std::size_t i = 0; i < report.run.counts.size(); ++i) {
    const auto chain = read::call_chain(image, walk.at(report.kernel.instructions[i].offset));
    if (report.run.counts[i].warps == 0) continue;
    std::pair<std::string_view, std::uint32_t> place{};
    if (!chain.empty()) place = {read::path_of(image, *chain.front()), chain.front()->line};
    LineSum& sum = sums[place];
    std::tie(sum.file, sum.line) = place;
    add(sum, report, i);
  }
  std::vector<LineSum> lines;
  for (const auto& [place, sum] : sums) lines.push_back(sum);
  std::ranges::sort(lines, [](const LineSum& a, const LineSum& b) {
    return std::tuple(b.count.warps, a.file, a.line) < std::tuple(a.count.warps, b.file, b.line);
  });
  return lines;
}

void write_run(Output& out, const RunReport& report, read::SourceText& source) {
  const Sum all = in_all(report);
  write_head(out, report, all);
  write_faults(out, report, source);
  write_classes(out, report, all);
  write_divergence(out, all);
  write_traffic(out, report, all.traffic);
  write_unknown(out, report.run.unknown);
  write_counts(out, report);
  write_lines(out, report, all, source);
}

}  // namespace burin::report
