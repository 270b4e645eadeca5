#include "report/launch/reshape.h"

#include <array>
#include <string>

#include "analyze/code/code_place.h"
#include "base/format.h"
#include "base/text.h"
#include "read/program/names.h"
#include "report/launch/launch_json.h"

namespace burin::report {
namespace {

std::array<std::uint64_t, analyze::kAxes> threads_of(const launch::Launch& launch) {
  return {std::uint64_t{launch.grid.x} * launch.block.x,
          std::uint64_t{launch.grid.y} * launch.block.y,
          std::uint64_t{launch.grid.z} * launch.block.z};
}

std::string sizes(const analyze::AxisFreedom& axis, std::uint64_t threads, std::uint32_t block) {
  switch (axis.freedom) {
    case analyze::Freedom::kAny:
      return axis.multiple == 1 ? "any" : fmt::format("multiples of {}", axis.multiple);
    case analyze::Freedom::kDivisors:
      return fmt::format("{} of {}: {}",
                         axis.multiple == 1
                             ? "divisors"
                             : fmt::format("multiples of {} that are divisors", axis.multiple),
                         threads, axis.text);
    case analyze::Freedom::kFixed:
      return fmt::format("{} only: {}", block, axis.text);
  }
  return "";
}

}  // namespace

void write_reshape(Output& out, const ReshapeReport& report) {
  const launch::Launch& launch = report.launch;
  out.put(Style::kBold, read::shorten(report.kernel.function->demangled, out.width()),
          Style::kPlain, " (", read::to_string(report.kernel.image->arch), "), grid ",
          launch::to_string(launch.grid), ", block ", launch::to_string(launch.block), ": ",
          report.reshape.fixed() ? "the block shape is fixed\n"
                                 : "these block sizes give the same results\n",
          "\naxis  threads  block sizes\n");
  const auto threads = threads_of(launch);
  const std::array<std::uint32_t, analyze::kAxes> block{launch.block.x, launch.block.y,
                                                        launch.block.z};
  for (unsigned d = 0; d < analyze::kAxes; ++d) {
    out.put(fmt::format("{:<4} {:>8}  {}\n", analyze::kAxisNames[d], with_commas(threads[d]),
                        sizes(report.reshape.axes[d], threads[d], block[d])));
  }
}

void write_reshape_json(Json& json, const ReshapeReport& report, std::string_view file) {
  const auto threads = threads_of(report.launch);
  json.open('{');
  json.field("schema", "burin.reshape/1");
  json.field("file", file);
  json.field("kernel", report.kernel.function->demangled);
  json.field("grid", axes(report.launch.grid));
  json.field("block", axes(report.launch.block));
  json.open("axes", '[');
  for (unsigned d = 0; d < analyze::kAxes; ++d) {
    const analyze::AxisFreedom& axis = report.reshape.axes[d];
    json.open('{');
    json.field("axis", std::string_view(&analyze::kAxisNames[d], 1));
    json.field("threads", threads[d]);
    json.field("freedom", analyze::name(axis.freedom));
    json.field("multiple", axis.multiple);
    json.field("reason", analyze::name(axis.reason));
    json.field("text", axis.text);
    if (axis.instruction != read::kNoIndex) {
      const analyze::CodePlace place = analyze::code_place(report.kernel, axis.instruction);
      json.field("offset", place.offset);
      if (!place.file.empty()) {
        json.field("source", place.file);
        json.field("line", place.line);
      }
    }
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin::report
