#include "report/html/timeline_json.h"

#include <map>
#include <optional>
#include <vector>

#include "base/format.h"
#include "read/isa/print.h"
#include "report/html/columns.h"

namespace burin::report {
namespace {

constexpr std::int64_t kAbsent = -1;

// The warps of the window, in the order of their start, with their schedulers.
std::map<std::uint32_t, std::uint8_t> warps_of(const timing::Timeline& timeline) {
  std::map<std::uint32_t, std::uint8_t> warps;
  for (const timing::WarpInterval& interval : timeline.intervals) {
    warps[interval.warp] = interval.scheduler;
  }
  return warps;
}

std::string warp_name(const timing::Timeline& timeline, std::uint32_t warp) {
  const std::uint32_t per_block = std::max(1u, timeline.warps_per_block);
  return fmt::format("block {}, warp {}", warp / per_block, warp % per_block);
}

void write_name(Json& json, std::string_view what, unsigned process, std::uint32_t thread,
                const std::string& name) {
  json.open('{');
  json.field("ph", "M");
  json.field("name", what);
  json.field("pid", process);
  json.field("tid", thread);
  json.open("args", '{');
  json.field("name", name);
  json.close();
  json.close();
}

// The instruction of an interval is usually that of the warp's previous interval, or the next one.
void write_intervals(Json& json, const timing::Timeline& timeline,
                     const std::map<std::uint32_t, std::int64_t>& index) {
  std::vector<std::int64_t> warps, starts, lengths, steps, reasons;
  std::vector<std::optional<std::int64_t>> distances;
  std::map<std::uint32_t, std::int64_t> last;
  for (const timing::WarpInterval& i : timeline.intervals) {
    warps.push_back(index.at(i.warp));
    starts.push_back(i.from - timeline.from);
    lengths.push_back(i.until - i.from);
    std::int64_t& before = last[i.warp];
    steps.push_back(i.instruction - before);
    before = i.instruction;
    reasons.push_back(i.is_issue ? kAbsent : static_cast<std::int64_t>(i.stall));
    if (i.is_issue) continue;
    const bool caused = i.cause != timing::WarpInterval::kNoCause;
    distances.push_back(caused ? std::optional(std::int64_t{i.instruction} - i.cause)
                               : std::nullopt);
  }
  json.open("intervals", '{');
  write_column(json, "warp", warps);
  write_differences(json, "from", starts);
  write_column(json, "cycles", lengths);
  write_column(json, "step", steps);
  write_column(json, "reason", reasons);
  write_column(json, "distance", distances);
  json.close();
}

}  // namespace

void write_timeline_json(Json& json, const timing::Timeline& timeline) {
  const std::map<std::uint32_t, std::uint8_t> warps = warps_of(timeline);
  json.open('{');
  json.field("schema", "burin.timeline/2");
  json.field("from", timeline.from);
  json.field("until", timeline.until);
  json.field("warps_per_block", timeline.warps_per_block);
  std::map<std::uint32_t, std::int64_t> index;
  json.open("warp", '[');
  for (const auto& [warp, scheduler] : warps) {
    index.emplace(warp, static_cast<std::int64_t>(index.size()));
    json.element(warp);
  }
  json.close();
  json.open("scheduler", '[');
  for (const auto& [warp, scheduler] : warps) json.element(unsigned{scheduler});
  json.close();
  write_intervals(json, timeline, index);
  json.close();
}

void write_timeline_trace(Json& json, const read::Kernel& kernel,
                          const timing::Timeline& timeline) {
  const auto text_of = [&](std::uint32_t instruction) {
    std::string text;
    read::print(kernel.instructions[instruction], text);
    return text;
  };
  json.open('{');
  json.field("displayTimeUnit", "ns");
  json.open("otherData", '{');
  json.field("kernel", kernel.function->demangled);
  json.field("time", "1 µs of the trace is 1 cycle of the SM");
  json.close();
  json.open("traceEvents", '[');
  std::map<unsigned, bool> named;
  for (const auto& [warp, scheduler] : warps_of(timeline)) {
    if (!std::exchange(named[scheduler], true)) {
      write_name(json, "process_name", scheduler, 0, fmt::format("scheduler {}", scheduler));
    }
    write_name(json, "thread_name", scheduler, warp, warp_name(timeline, warp));
  }
  for (const timing::WarpInterval& i : timeline.intervals) {
    json.open('{');
    json.field("ph", "X");
    json.field("name", i.is_issue ? text_of(i.instruction) : std::string(launch::name(i.stall)));
    json.field("cat", i.is_issue ? "issue" : "stall");
    json.field("pid", unsigned{i.scheduler});
    json.field("tid", i.warp);
    json.field("ts", i.from);
    json.field("dur", i.until - i.from);
    if (!i.is_issue) {
      json.open("args", '{');
      json.field("instruction", text_of(i.instruction));
      json.field("offset", kernel.instructions[i.instruction].offset);
      if (i.cause != timing::WarpInterval::kNoCause) {
        json.field("waits_for", text_of(i.cause));
        json.field("waits_for_offset", kernel.instructions[i.cause].offset);
      }
      json.close();
    }
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin::report
