#include "capture/buffer_reuse.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace burin::capture {
namespace {

constexpr std::size_t kAround = 32;  // launches before and after, whose pointers end a buffer
// Times the L2 cache's size that is remembered.
constexpr std::uint64_t kRemembered = 2;
constexpr std::size_t kMaxRanges = 4096;
constexpr std::uint64_t kUsualL2 = 40 << 20;  // bytes
// A GPU's L2 cache delivers no more: an H200's 8.6 bytes in a picosecond.
constexpr std::uint64_t kBytesPerNs = 9000;

std::uint64_t pointer_of(const CapturedArguments& arguments, const CapturedAllocation& allocation) {
  std::uint64_t pointer = allocation.address;
  if (!arguments.bytes) return pointer;
  if (const auto bytes = slice(*arguments.bytes, allocation.argument_offset, sizeof pointer)) {
    std::memcpy(&pointer, bytes->data(), sizeof pointer);
  }
  const std::uint64_t end = allocation.address + allocation.size;
  return pointer >= allocation.address && pointer < end ? pointer : allocation.address;
}

// The pointers of the launches around the present one, on one GPU: how many of them have each.
using Pointers = std::map<std::uint64_t, std::size_t>;

void count(const CapturedArguments& arguments, Pointers& pointers) {
  for (const CapturedAllocation& a : arguments.allocations) ++pointers[pointer_of(arguments, a)];
}

void discount(const CapturedArguments& arguments, Pointers& pointers) {
  for (const CapturedAllocation& a : arguments.allocations) {
    const auto at = pointers.find(pointer_of(arguments, a));
    if (--at->second == 0) pointers.erase(at);
  }
}

std::vector<RecentMemory::Range> used_by(const CapturedLaunch& launch,
                                         const CapturedArguments& arguments,
                                         const Pointers& pointers) {
  const std::uint64_t most =
      launch.duration_ns ? *launch.duration_ns * kBytesPerNs : ~std::uint64_t{0};
  std::map<std::uint64_t, std::uint64_t> ends;
  for (const CapturedAllocation& allocation : arguments.allocations) {
    const std::uint64_t begin = pointer_of(arguments, allocation);
    std::uint64_t end = allocation.address + allocation.size;
    const auto next = pointers.upper_bound(begin);
    if (next != pointers.end()) end = std::min(end, next->first);
    if (end - begin > most) end = begin + most;
    ends[begin] = std::max(ends[begin], end);
  }
  std::vector<RecentMemory::Range> ranges;
  for (const auto& [begin, end] : ends) {
    if (begin < end) ranges.push_back({begin, end, launch.id});
  }
  return ranges;
}

}  // namespace

RecentMemory::RecentMemory(std::uint64_t l2_bytes)
    : l2_bytes_(l2_bytes != 0 ? l2_bytes : kUsualL2) {}

double RecentMemory::share_of(const std::vector<Range>& ranges) const {
  std::uint64_t all = 0, present = 0, newer = 0, of_launch = 0, launch = 0;
  for (const Range& range : ranges) all += range.end - range.begin;
  for (auto held = ranges_.rbegin(); held != ranges_.rend(); ++held) {
    if (held->launch != launch) newer += std::exchange(of_launch, 0);
    launch = held->launch;
    if (newer > l2_bytes_ / 2) break;
    of_launch += held->end - held->begin;
    for (const Range& range : ranges) {
      const std::uint64_t from = std::max(range.begin, held->begin);
      const std::uint64_t to = std::min(range.end, held->end);
      if (from < to) present += to - from;
    }
  }
  return all == 0 ? 0 : static_cast<double>(present) / static_cast<double>(all);
}

void RecentMemory::use(const std::vector<Range>& ranges) {
  std::vector<Range> kept;
  kept.reserve(ranges_.size() + 2 * ranges.size());
  for (const Range& held : ranges_) {
    std::uint64_t begin = held.begin;
    for (const Range& range : ranges) {  // ascending
      if (range.end <= begin || range.begin >= held.end) continue;
      if (range.begin > begin) kept.push_back({begin, range.begin, held.launch});
      begin = std::max(begin, std::min(range.end, held.end));
    }
    if (begin < held.end) kept.push_back({begin, held.end, held.launch});
  }
  kept.insert(kept.end(), ranges.begin(), ranges.end());
  ranges_ = std::move(kept);
  forget();
}

void RecentMemory::forget() {
  std::uint64_t bytes = 0;
  std::size_t first = ranges_.size();
  while (first > 0 && bytes < kRemembered * l2_bytes_ && ranges_.size() - first < kMaxRanges) {
    --first;
    bytes += ranges_[first].end - ranges_[first].begin;
  }
  ranges_.erase(ranges_.begin(), ranges_.begin() + static_cast<std::ptrdiff_t>(first));
}

std::vector<launch::RecentUse> RecentMemory::recent() const {
  std::vector<launch::RecentUse> uses;
  for (const Range& range : ranges_) {
    uses.push_back({range.begin, range.end - range.begin, range.launch});
  }
  return uses;
}

std::vector<Reuse> find_reuse(const std::vector<CapturedGpu>& gpus,
                              const std::vector<CapturedLaunch>& launches,
                              const std::vector<CapturedArguments>& arguments,
                              const std::vector<bool>& wanted) {
  std::map<std::uint64_t, RecentMemory> memories;
  for (const CapturedGpu& gpu : gpus) memories.try_emplace(gpu.id, gpu.l2_bytes);
  std::map<std::uint64_t, Pointers> pointers;
  for (std::size_t k = 0; k < std::min(kAround, launches.size()); ++k) {
    count(arguments[k], pointers[launches[k].gpu]);
  }
  std::vector<Reuse> reuse(launches.size());
  for (std::size_t k = 0; k < launches.size(); ++k) {
    const std::size_t next = k + kAround;
    if (next < launches.size()) count(arguments[next], pointers[launches[next].gpu]);
    if (k > kAround) {
      const std::size_t past = k - kAround - 1;
      discount(arguments[past], pointers[launches[past].gpu]);
    }
    RecentMemory& memory = memories.try_emplace(launches[k].gpu, 0).first->second;
    const std::vector<RecentMemory::Range> used =
        used_by(launches[k], arguments[k], pointers[launches[k].gpu]);
    reuse[k].share = memory.share_of(used);
    if (k < wanted.size() && wanted[k]) reuse[k].recent = memory.recent();
    memory.use(used);
  }
  return reuse;
}

std::vector<Reuse> find_reuse(const Capture& capture,
                              const std::vector<CapturedArguments>& arguments,
                              const std::vector<bool>& wanted) {
  return find_reuse(capture.gpus(), capture.launches(), arguments, wanted);
}

Result<std::vector<CapturedArguments>> all_arguments(const Capture& capture) {
  std::vector<CapturedArguments> all;
  for (const CapturedLaunch& launch : capture.launches()) {
    Result<CapturedArguments> read = capture.arguments(launch.id);
    if (!read) return read.error();
    all.push_back(std::move(*read));
  }
  return all;
}

}  // namespace burin::capture
