#include "capture/call_paths.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "read/binary/demangle.h"
#include "read/program/names.h"

namespace burin::capture {
namespace {

using FrameKey = std::tuple<std::string, std::uint64_t, std::string>;

bool is_same(const CapturedFrame& a, const CapturedFrame& b) {
  return a.offset == b.offset && a.object == b.object && a.symbol == b.symbol;
}

// The number of outermost frames that two paths have in common.
std::size_t common_frames(const CallPath& a, const CallPath& b) {
  const auto [end, other] = std::mismatch(a.frames.rbegin(), a.frames.rend(), b.frames.rbegin(),
                                          b.frames.rend(), is_same);
  return static_cast<std::size_t>(end - a.frames.rbegin());
}

std::string caller_of(const std::vector<CallPath>& paths, const CallPath& path) {
  std::set<std::size_t> depths;  // where another path turns off, counted from the outermost frame
  for (const CallPath& other : paths) {
    if (&other != &path) depths.insert(common_frames(path, other));
  }
  std::string caller;
  for (const std::size_t depth : depths) {
    if (depth >= path.frames.size()) continue;
    caller += (caller.empty() ? "" : " > ") + frame_place(*(path.frames.rbegin() + depth));
  }
  return caller;
}

}  // namespace

std::string frame_place(const CapturedFrame& frame) {
  const std::string_view file = file_name(frame.object);
  // Frames with a source line have it instead of an offset.
  if (frame.offset == 0 && file.find(':') != std::string_view::npos) return std::string(file);
  const std::string place = file.empty() ? fmt::format("{:#x}", frame.offset)
                                         : fmt::format("{}+{:#x}", file, frame.offset);
  if (frame.symbol.empty()) return place;
  return fmt::format("{} at {}", read::plain_name(read::demangle(frame.symbol)), place);
}

Result<std::vector<CallPath>> call_paths(const Capture& capture, std::uint64_t kernel) {
  std::vector<CallPath> paths;
  std::map<std::uint64_t, std::size_t> of_stack;
  std::map<std::vector<FrameKey>, std::size_t> of_frames;
  std::uint64_t all_ns = 0;
  std::size_t launches = 0;
  for (const CapturedLaunch& launch : capture.launches()) {
    if (launch.kernel != kernel) continue;
    const auto [at, is_new] = of_stack.try_emplace(launch.stack, paths.size());
    if (is_new) {
      Result<std::vector<CapturedFrame>> frames = capture.stack(launch.stack);
      if (!frames) return frames.error();
      std::vector<FrameKey> key;
      for (const CapturedFrame& f : *frames) key.emplace_back(f.object, f.offset, f.symbol);
      at->second = of_frames.try_emplace(std::move(key), paths.size()).first->second;
      if (at->second == paths.size()) paths.push_back({.frames = std::move(*frames)});
    }
    paths[at->second].launches.push_back(&launch);
    all_ns += launch.duration_ns.value_or(0);
    ++launches;
  }
  for (CallPath& path : paths) {
    path.caller = caller_of(paths, path);
    for (const CapturedLaunch* launch : path.launches) {
      path.share += all_ns > 0 ? static_cast<double>(launch->duration_ns.value_or(0)) /
                                     static_cast<double>(all_ns)
                               : 1 / static_cast<double>(launches);
    }
  }
  std::ranges::stable_sort(paths, std::ranges::greater{}, &CallPath::share);
  return paths;
}

Result<launch::StallProfile> profile_of(const Capture& capture, const CallPath& path) {
  launch::StallProfile profile{.unit = launch::StallProfile::Unit::kSamples};
  if (path.launches.empty()) return profile;
  const Result<std::vector<CapturedSample>> samples =
      capture.samples(path.launches.front()->kernel);
  if (!samples) return samples.error();
  std::set<std::uint64_t> ids;
  for (const CapturedLaunch* launch : path.launches) ids.insert(launch->id);
  for (const CapturedSample& sample : *samples) {
    if (!ids.contains(sample.launch)) continue;
    const std::uint64_t latency = std::min(sample.samples, sample.not_issued);
    profile.add(sample.offset, sample.reason,
                {.active = static_cast<double>(sample.samples - latency),
                 .latency = static_cast<double>(latency)});
  }
  return profile;
}

}  // namespace burin::capture
