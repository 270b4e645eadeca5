#include "gpu/record/memory_copies.h"

#include <algorithm>
#include <set>
#include <string>

namespace burin::gpu {
namespace {

// Copied at once: large enough for the bus, small enough to be compared while it is in a cache.
constexpr std::size_t kChunkBytes = 64 * capture::kSpoolPageBytes;

}  // namespace

CudaHandle MemoryCopies::own_stream(CudaHandle context) {
  const std::lock_guard lock(mutex_);
  CudaHandle& known = streams_[context];
  if (known == nullptr) driver_.stream_create(&known, Cuda::kNonBlockingStream);
  return known;
}

bool MemoryCopies::copy(CudaHandle context, Copy& copied) {
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
    for (std::uint64_t page = 0; page < chunk.size(); page += capture::kSpoolPageBytes) {
      const std::uint64_t size =
          std::min<std::uint64_t>(capture::kSpoolPageBytes, chunk.size() - page);
      copied.contents.push_back(pages_.number(address + page, Bytes(chunk).subspan(page, size)));
    }
  }
  return true;
}

MemoryCopies::Copies MemoryCopies::before(
    std::uint64_t launch, CudaHandle context, CudaHandle stream,
    const std::vector<capture::SpoolAllocation>& allocations) {
  Copies copies;
  std::set<std::pair<std::uint64_t, std::uint64_t>> ranges;
  std::uint64_t total = 0;
  for (const capture::SpoolAllocation& allocation : allocations) {
    // A variable that an argument points at too, and what it lies in, are one.
    const bool is_inside = std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
      return range.first <= allocation.address &&
             allocation.address + allocation.size <= range.first + range.second;
    });
    if (is_inside) continue;
    ranges.emplace(allocation.address, allocation.size);
    total += allocation.size;
  }
  if (total > limit_bytes_) {
    tell_(capture::SpoolProblem{
        .what = capture::SpoolProblem::kMemoryTooLarge,
        .count = total,
        .launch = launch,
        .sentence = "the buffers of a launch have " + std::to_string(total) +
                    " bytes, more than --memory-limit: their contents are left out"});
    return copies;
  }
  if (!wait_for_stream(driver_, stream)) {
    tell_(capture::SpoolProblem{.what = capture::SpoolProblem::kTimedOut,
                                .launch = launch,
                                .sentence =
                                    "the GPU did not become idle before a launch selected by "
                                    "--memory: its contents are left out"});
    return copies;
  }
  for (const auto& [address, size] : ranges) {
    Copy copied{address, size};
    if (copy(context, copied)) copies.push_back(std::move(copied));
  }
  return copies;
}

void MemoryCopies::after(std::uint64_t launch, CudaHandle context, CudaHandle stream,
                         const Copies& before) {
  if (before.empty()) return;
  for (const Copy& first : before) {
    out_.add(capture::SpoolMemory{launch, 0, first.address, first.size, first.contents});
  }
  if (!wait_for_stream(driver_, stream)) {
    tell_(capture::SpoolProblem{.what = capture::SpoolProblem::kTimedOut,
                                .launch = launch,
                                .sentence =
                                    "a launch selected by --memory did not finish in time: its "
                                    "contents after the launch are left out"});
    return;
  }
  for (const Copy& first : before) {
    Copy last{first.address, first.size};
    if (!copy(context, last) || last.contents == first.contents) continue;
    for (std::size_t page = 0; page < last.contents.size(); ++page) {
      if (last.contents[page] == first.contents[page]) last.contents[page] = 0;
    }
    out_.add(capture::SpoolMemory{launch, 1, last.address, last.size, std::move(last.contents)});
  }
}

}  // namespace burin::gpu
