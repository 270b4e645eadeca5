#include "gpu/record/memory_copies.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "gpu/record/floating_point.h"

namespace burin::gpu {
namespace {

// Copied at once: large enough for the bus, small enough to be compared while it is in a cache.
constexpr std::size_t kChunkBytes = 64 * capture::kSpoolPageBytes;

// Larger allocations hold data, not tables of pointers.
constexpr std::uint64_t kMaxFollowedBytes = 4 << 20;

// --memory auto: what a launch with no more than this uses is recorded whole.
constexpr std::uint64_t kMaxWholeBytes = 16 << 20;

bool contains(const std::set<std::pair<std::uint64_t, std::uint64_t>>& ranges,
              const capture::SpoolAllocation& allocation) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
    return range.first <= allocation.address &&
           allocation.address + allocation.size <= range.first + range.second;
  });
}

// Keeps the smallest of these ranges, as many as have no more than `most` bytes in total, which is
// returned.
std::uint64_t keep_smallest(std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges,
                            std::uint64_t most) {
  std::ranges::stable_sort(ranges, {}, &std::pair<std::uint64_t, std::uint64_t>::second);
  std::uint64_t total = 0;
  const auto end = std::ranges::find_if(ranges, [&](const auto& range) {
    if (range.second > most - total) return true;
    total += range.second;
    return false;
  });
  ranges.erase(end, ranges.end());
  return total;
}

}  // namespace

CudaHandle MemoryCopies::own_stream(CudaHandle context) {
  const std::lock_guard lock(mutex_);
  CudaHandle& known = streams_[context];
  if (known == nullptr) driver_.stream_create(&known, Cuda::kNonBlockingStream);
  return known;
}

bool MemoryCopies::copy(CudaHandle context, Copy& copied, const Keep& keep, const See& see) {
  static thread_local std::vector<std::uint8_t> chunk;
  const CudaHandle own = own_stream(context);
  if (own == nullptr) return false;
  for (std::uint64_t at = 0; at < copied.size; at += chunk.size()) {
    chunk.resize(std::min<std::uint64_t>(kChunkBytes, copied.size - at));
    const std::uint64_t address = copied.address + at;
    if (driver_.copy_out_async(chunk.data(), address, chunk.size(), own) != 0 ||
        !wait_until([&] { return driver_.stream_query(own); })) {
      return false;
    }
    if (see) see(chunk);
    for (std::uint64_t from = 0; from < chunk.size(); from += capture::kSpoolPageBytes) {
      const Bytes page = Bytes(chunk).subspan(
          from, std::min<std::uint64_t>(capture::kSpoolPageBytes, chunk.size() - from));
      const bool kept = !keep || keep(copied.contents.size(), page);
      copied.contents.push_back(kept ? pages_.number(address + from, page) : 0);
    }
  }
  return true;
}

// Whether --memory auto has recorded as much as it may. Told once.
bool MemoryCopies::is_spent(std::uint64_t launch) {
  if (pages_.written_bytes() < limit_bytes_) return false;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(told_spent_, true)) return true;
  }
  warn_(capture::SpoolProblem{
      .what = capture::SpoolProblem::kMemoryTooLarge,
      .count = limit_bytes_,
      .launch = launch,
      .sentence = "--memory auto has recorded as many bytes as --memory-limit permits: the "
                  "contents of this launch and later ones are left out"});
  return true;
}

MemoryCopies::Copies MemoryCopies::before(std::uint64_t launch, CudaHandle context,
                                          CudaHandle stream,
                                          const std::vector<capture::SpoolAllocation>& allocations,
                                          const Follow& follow, bool needed_only) {
  Copies copies;
  if (needed_only && is_spent(launch)) return copies;
  std::set<std::pair<std::uint64_t, std::uint64_t>> ranges;
  std::uint64_t total = 0;
  for (const capture::SpoolAllocation& allocation : allocations) {
    // A variable that an argument points at too, and what it lies in, are one. Arrays have a
    // layout of their own.
    if (contains(ranges, allocation) || allocation.memory == capture::SpoolAllocation::kArray) {
      continue;
    }
    ranges.emplace(allocation.address, allocation.size);
    total += allocation.size;
  }
  if (total > limit_bytes_ && !needed_only) {
    warn_(capture::SpoolProblem{
        .what = capture::SpoolProblem::kMemoryTooLarge,
        .count = total,
        .launch = launch,
        .sentence = "the buffers of a launch have " + std::to_string(total) +
                    " bytes, more than --memory-limit: their contents are left out"});
    return copies;
  }
  if (!wait_for_stream(driver_, stream)) {
    warn_(capture::SpoolProblem{.what = capture::SpoolProblem::kTimedOut,
                                .launch = launch,
                                .sentence =
                                    "the GPU did not become idle before a launch selected by "
                                    "--memory: its contents are left out"});
    return copies;
  }
  Keep keep;
  if (needed_only && total > kMaxWholeBytes) {
    keep = [](std::size_t, Bytes page) { return !holds_floating_point(page); };
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> left(ranges.begin(), ranges.end());
  if (needed_only) total = keep_smallest(left, limit_bytes_);
  for (std::size_t k = 0; k < left.size(); ++k) {
    Copy copied{left[k].first, left[k].second};
    std::vector<capture::SpoolAllocation> found;
    See see;
    if (copied.size <= kMaxFollowedBytes) {
      see = [&](Bytes bytes) {
        const std::vector<capture::SpoolAllocation> more = follow(bytes);
        found.insert(found.end(), more.begin(), more.end());
      };
    }
    if (copy(context, copied, keep, see) &&
        std::ranges::any_of(copied.contents, [](std::uint64_t number) { return number != 0; })) {
      copies.push_back(std::move(copied));
    }
    for (const capture::SpoolAllocation& allocation : found) {
      if (contains(ranges, allocation) || total + allocation.size > limit_bytes_) continue;
      total += allocation.size;
      ranges.emplace(allocation.address, allocation.size);
      left.emplace_back(allocation.address, allocation.size);
    }
  }
  return copies;
}

void MemoryCopies::constants(std::uint64_t launch, CudaHandle context, CudaHandle stream,
                             const std::vector<capture::SpoolVariable>& variables) {
  if (variables.empty() || !wait_for_stream(driver_, stream)) return;
  for (const capture::SpoolVariable& variable : variables) {
    Copy copied{variable.address, variable.size};
    if (!copy(context, copied)) continue;
    out_.add(variable);
    out_.add(capture::SpoolMemory{launch, capture::SpoolMemory::kConstants, copied.address,
                                  copied.size, std::move(copied.contents)});
  }
}

void MemoryCopies::after(std::uint64_t launch, CudaHandle context, CudaHandle stream,
                         const Copies& before) {
  if (before.empty()) return;
  for (const Copy& first : before) {
    out_.add(capture::SpoolMemory{launch, 0, first.address, first.size, first.contents});
  }
  if (!wait_for_stream(driver_, stream)) {
    warn_(capture::SpoolProblem{.what = capture::SpoolProblem::kTimedOut,
                                .launch = launch,
                                .sentence =
                                    "a launch selected by --memory did not finish in time: its "
                                    "contents after the launch are left out"});
    return;
  }
  for (const Copy& first : before) {
    Copy last{first.address, first.size};
    const auto was_kept = [&](std::size_t page, Bytes) { return first.contents[page] != 0; };
    if (!copy(context, last, was_kept) || last.contents == first.contents) continue;
    for (std::size_t page = 0; page < last.contents.size(); ++page) {
      if (last.contents[page] == first.contents[page]) last.contents[page] = 0;
    }
    out_.add(capture::SpoolMemory{launch, 1, last.address, last.size, std::move(last.contents)});
  }
}

}  // namespace burin::gpu
