#include "capture/groups.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "capture/buffer_reuse.h"

namespace burin::capture {
namespace {

// What tells launches apart.
struct Shape {
  std::uint64_t kernel = 0;
  std::array<std::uint32_t, 10> sizes{};
  std::vector<std::uint8_t> arguments;

  auto operator<=>(const Shape&) const = default;
};

Shape shape_of(const CapturedLaunch& launch, const CapturedArguments& arguments) {
  constexpr std::uint64_t kAlignment = 256;  // beyond it, where a buffer lies changes nothing
  const launch::Dims cluster = launch.cluster.value_or(launch::Dims{0, 0, 0});
  Shape shape{.kernel = launch.kernel,
              .sizes = {launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                        launch.block.z, cluster.x, cluster.y, cluster.z, launch.shared_bytes},
              .arguments = arguments.bytes.value_or(std::vector<std::uint8_t>{})};
  for (const CapturedAllocation& a : arguments.allocations) {
    if (!slice(shape.arguments, a.argument_offset, 8)) continue;
    std::uint8_t* const at = shape.arguments.data() + a.argument_offset;
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, at, 8);
    pointer %= kAlignment;
    std::memcpy(at, &pointer, 8);
  }
  return shape;
}

// The launch with the median share of its buffers in L2: its time is the most like the median time.
template <typename ReuseOf>
const CapturedLaunch* typical(std::vector<const CapturedLaunch*> launches,
                              const ReuseOf& reuse_of) {
  std::ranges::stable_sort(launches, {},
                           [&](const CapturedLaunch* launch) { return reuse_of(launch).share; });
  return launches[launches.size() / 2];
}

}  // namespace

double median_us(const std::vector<const CapturedLaunch*>& launches) {
  std::vector<std::uint64_t> times;
  for (const CapturedLaunch* launch : launches) {
    if (launch->duration_ns) times.push_back(*launch->duration_ns);
  }
  if (times.empty()) return 0;
  std::ranges::sort(times);
  const std::size_t half = times.size() / 2;
  const auto upper = static_cast<double>(times[half]);
  const double middle =
      times.size() % 2 == 1 ? upper : (static_cast<double>(times[half - 1]) + upper) / 2;
  return middle / 1000;
}

Result<std::vector<LaunchGroup>> group_launches(const Capture& capture) {
  std::map<Shape, std::size_t> places;
  std::vector<LaunchGroup> groups;
  const Result<std::vector<CapturedArguments>> arguments = all_arguments(capture);
  if (!arguments) return arguments.error();
  const std::vector<Reuse> reuse = find_reuse(capture, *arguments);
  std::size_t number = 0;
  std::set<std::pair<std::uint64_t, std::uint64_t>> launched;  // GPU and kernel
  for (const CapturedLaunch& launch : capture.launches()) {
    const auto [place, is_new] =
        places.try_emplace(shape_of(launch, (*arguments)[number]), groups.size());
    if (is_new) groups.emplace_back();
    LaunchGroup& group = groups[place->second];
    group.launches.push_back(&launch);
    group.total_ns += launch.duration_ns.value_or(0);
    group.repeated += launched.emplace(launch.gpu, launch.kernel).second ? 0 : 1;
    ++number;
    if (group.example == nullptr || (launch.has_memory && !group.example->has_memory)) {
      group.example = &launch;
    }
  }
  const CapturedLaunch* const first = capture.launches().data();
  const auto reuse_of = [&](const CapturedLaunch* launch) -> const Reuse& {
    return reuse[static_cast<std::size_t>(launch - first)];
  };
  std::vector<bool> wanted(capture.launches().size());
  for (LaunchGroup& group : groups) {
    group.median_us = median_us(group.launches);
    if (!group.example->has_memory) group.example = typical(group.launches, reuse_of);
    group.is_warm = reuse_of(group.example).is_warm();
    wanted[static_cast<std::size_t>(group.example - first)] = true;
  }
  std::vector<Reuse> with_recent = find_reuse(capture, *arguments, wanted);
  for (LaunchGroup& group : groups) {
    group.recent = std::move(with_recent[static_cast<std::size_t>(group.example - first)].recent);
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &LaunchGroup::total_ns);
  return groups;
}

}  // namespace burin::capture
