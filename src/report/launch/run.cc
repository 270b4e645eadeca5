#include "report/launch/run.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "read/isa/print.h"
#include "read/program/classes.h"
#include "read/program/names.h"
#include "report/launch/faults.h"

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

// "  12,345  50.0 %    32.0", the columns of both tables.
std::string numbers(const Sum& sum, std::uint64_t all) {
  return fmt::format("{:>17} {:>5.1f} % {:>6.1f}", with_commas(sum.count.warps),
                     100 * ratio(sum.count.warps, all), ratio(sum.count.lanes, sum.count.warps));
}

void write_head(Output& out, const RunReport& report, const Sum& all) {
  const launch::Launch& launch = report.launch;
  const std::size_t faults = grouped_faults(report.kernel, report.run.faults).size();
  out.put(
      Style::kBold, read::shorten(report.kernel.function->demangled, out.width()), Style::kPlain,
      ": ", with_commas(all.count.warps), " warp instructions in ", with_commas(report.run.blocks),
      report.run.blocks == 1 ? " block of " : " blocks of ", launch.block.total(),
      launch.block.total() == 1 ? " thread (" : " threads (",
      read::to_string(report.kernel.image->arch), "); ", faults == 0 ? Style::kGood : Style::kBad,
      faults == 0 ? "no faults found" : count_of(faults, "fault") + " found", Style::kPlain, '\n');
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
  const auto add_part = [&](std::uint64_t n, std::string_view what) {
    if (n != 0) parts.push_back(with_commas(n) + " " + std::string(what));
  };
  add_part(unknown.branches, "branches on an Unknown condition");
  add_part(unknown.instructions, "warp instructions on one path of such a branch");
  add_part(unknown.guards, "instructions with an Unknown predicate");
  add_part(unknown.accesses, "lane accesses to an Unknown address");
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

// The counts of a GPU for the same launch.
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
  write_faults(out, report.kernel, report.run.faults, source);
  write_classes(out, report, all);
  write_divergence(out, all);
  write_traffic(out, report, all.traffic);
  write_unknown(out, report.run.unknown);
  write_counts(out, report);
  write_lines(out, report, all, source);
}

}  // namespace burin::report
