#include "report/capture/captured_launch.h"

#include <algorithm>
#include <cstring>
#include <ranges>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/binary/demangle.h"
#include "read/program/names.h"
#include "report/launch/launch_json.h"

namespace burin::report {
namespace {

constexpr std::size_t kLabelWidth = 14;  // width of the first column

const capture::CapturedAllocation* allocation_at(const capture::CapturedArguments& arguments,
                                                 std::uint32_t offset) {
  const auto found = std::ranges::find(arguments.allocations, offset,
                                       &capture::CapturedAllocation::argument_offset);
  return found == arguments.allocations.end() ? nullptr : &*found;
}

// The likely type of a parameter, from its size in bytes.
std::string argument_text(const capture::CapturedArguments& arguments,
                          const read::Parameter& parameter) {
  const auto bytes = slice(*arguments.bytes, parameter.offset, parameter.size);
  if (!bytes) return "not recorded";
  std::uint64_t value = 0;
  std::memcpy(&value, bytes->data(), std::min<std::size_t>(8, bytes->size()));
  if (bytes->size() == 8) {
    const capture::CapturedAllocation* a = allocation_at(arguments, parameter.offset);
    if (a == nullptr) return fmt::format("{} ({:#x})", static_cast<std::int64_t>(value), value);
    if (value < a->address) {
      return fmt::format("{:#x}, a texture object of {}", value, human_bytes(a->size));
    }
    return fmt::format("{:#x}, byte {} of {}", value, with_commas(value - a->address),
                       human_bytes(a->size));
  }
  if (bytes->size() == 4) {
    float real;
    std::memcpy(&real, &value, 4);
    return fmt::format("{} (as float {:.6g})", static_cast<std::int32_t>(value), real);
  }
  constexpr std::size_t kMaxShown = 32;
  std::string text;
  for (const std::uint8_t byte : bytes->first(std::min(kMaxShown, bytes->size()))) {
    text += fmt::format("{:02x}", byte);
  }
  std::size_t pointers = 0;
  for (const capture::CapturedAllocation& a : arguments.allocations) {
    pointers += a.argument_offset - parameter.offset < parameter.size ? 1 : 0;
  }
  return fmt::format("{} bytes: {}{}{}", bytes->size(), text, bytes->size() > kMaxShown ? "…" : "",
                     pointers > 0 ? ", including " + count_of(pointers, "pointer") : "");
}

}  // namespace

std::string frame_name(const capture::CapturedFrame& frame) {
  if (!frame.symbol.empty()) return read::demangle(frame.symbol);
  if (frame.object.empty()) return fmt::format("{:#x}", frame.offset);
  return fmt::format("{}+{:#x}", file_name(frame.object), frame.offset);
}

void write_captured_launch(Output& out, const CapturedLaunchReport& report) {
  const capture::CapturedLaunch& launch = report.launch;
  const capture::CapturedKernel& kernel = report.capture.kernel(launch.kernel);
  const auto row = [&](std::string_view label, std::string_view text) {
    out.put(Left{label, kLabelWidth}, text, '\n');
  };
  out.put(Style::kBold, "launch ", launch.id, Style::kPlain, " of ", report.capture.path(), ": ",
          read::demangle(kernel.name), '\n');
  if (launch.duration_ns) {
    row("time", time_text(static_cast<double>(*launch.duration_ns) / 1000));
  }
  row("shape",
      fmt::format("grid {}, block {}{}{}", launch::to_string(launch.grid),
                  launch::to_string(launch.block),
                  launch.cluster ? ", cluster " + launch::to_string(*launch.cluster) : "",
                  launch.shared_bytes == 0 ? ""
                                           : fmt::format(", {} of dynamic shared memory",
                                                         count_of(launch.shared_bytes, "byte"))));
  if (const capture::CapturedGpu* gpu = report.capture.gpu(launch.gpu)) {
    row("on", fmt::format("{}, stream {:#x}{}{}", gpu->name, launch.stream,
                          launch.is_graph ? ", in a CUDA graph" : "",
                          launch.is_cooperative ? ", cooperative" : ""));
  }
  if (!launch.ranges.empty()) row("ranges", launch.ranges);
  if (report.arguments.bytes) {
    for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
      row(fmt::format("argument {}", k), argument_text(report.arguments, kernel.parameters[k]));
    }
  } else {
    row("arguments", "not recorded");
  }
  row("memory", launch.has_memory ? "contents are in the capture" : "not in the capture");
  if (launch.has_counts) row("counts", "instruction execution counts are in the capture");
  std::string_view label = "called from";
  for (const capture::CapturedFrame& frame : report.stack) {
    row(label, fmt::format("{}{}", frame_name(frame),
                           frame.symbol.empty() || frame.object.empty()
                               ? ""
                               : fmt::format(" ({})", file_name(frame.object))));
    label = "";
  }
}

void write_captured_launch_json(Json& json, const CapturedLaunchReport& report) {
  const capture::CapturedLaunch& launch = report.launch;
  const capture::CapturedKernel& kernel = report.capture.kernel(launch.kernel);
  json.open('{');
  json.field("schema", "burin.captured_launch/1");
  json.field("file", report.capture.path());
  json.field("launch", launch.id);
  json.field("kernel", kernel.name);
  json.field("grid", axes(launch.grid));
  json.field("block", axes(launch.block));
  if (launch.cluster) json.field("cluster", axes(*launch.cluster));
  json.field("dynamic_shared_bytes", launch.shared_bytes);
  json.field("start_ns", launch.start_ns);
  json.field("duration_ns", launch.duration_ns);
  json.field("ranges", launch.ranges);
  json.field("memory", launch.has_memory);
  json.field("counts", launch.has_counts);
  json.open("arguments", '[');
  for (const read::Parameter& parameter : kernel.parameters) {
    json.open('{');
    json.field("offset", parameter.offset);
    json.field("size", parameter.size);
    if (report.arguments.bytes) json.field("text", argument_text(report.arguments, parameter));
    json.close();
  }
  json.close();
  json.open("allocations", '[');
  for (const capture::CapturedAllocation& a : report.arguments.allocations) {
    json.open('{');
    json.field("argument_offset", a.argument_offset);
    json.field("address", a.address);
    json.field("size", a.size);
    json.close();
  }
  json.close();
  json.open("stack", '[');
  for (const capture::CapturedFrame& frame : report.stack) {
    json.open('{');
    json.field("object", frame.object);
    json.field("offset", frame.offset);
    json.field("symbol", frame.symbol);
    json.close();
  }
  json.close();
  json.close();
}

Result<std::map<std::string, std::uint64_t>> folded_stacks(const capture::Capture& capture) {
  const bool timed = std::ranges::any_of(capture.launches(), [](const capture::CapturedLaunch& l) {
    return l.duration_ns.has_value();
  });
  std::map<std::uint64_t, std::string> paths;
  std::map<std::string, std::uint64_t> folded;
  for (const capture::CapturedLaunch& launch : capture.launches()) {
    if (!paths.contains(launch.stack)) {
      const Result<std::vector<capture::CapturedFrame>> frames = capture.stack(launch.stack);
      if (!frames) return frames.error();
      std::string path;
      for (const capture::CapturedFrame& frame : *frames | std::views::reverse) {
        std::string name = frame_name(frame);
        std::ranges::replace(name, ';', ':');  // the separator
        path += name + ";";
      }
      paths[launch.stack] = std::move(path);
    }
    const std::string name = read::demangle(capture.kernel(launch.kernel).name);
    folded[paths[launch.stack] + name] += timed ? launch.duration_ns.value_or(0) : 1;
  }
  return folded;
}

}  // namespace burin::report
