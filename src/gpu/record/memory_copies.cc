#include "gpu/record/memory_copies.h"

#include <algorithm>
#include <set>
#include <string>

namespace burin {
namespace {

constexpr std::size_t kPieceBytes = 16 << 20;

}  // namespace

bool MemoryCopies::copy(CudaHandle context, std::uint64_t address,
                        std::vector<std::uint8_t>& bytes) {
  CudaHandle own = nullptr;
  {
    const std::lock_guard lock(mutex_);
    CudaHandle& known = streams_[context];
    if (known == nullptr) driver_.stream_create(&known, Cuda::kNonBlockingStream);
    own = known;
  }
  if (own == nullptr) return false;
  return driver_.copy_out_async(bytes.data(), address, bytes.size(), own) == 0 &&
         wait_until([&] { return driver_.stream_query(own); });
}

void MemoryCopies::write(std::uint64_t launch, bool is_after, const Copy& copied) {
  const Bytes bytes = copied.bytes;
  for (std::size_t offset = 0; offset < bytes.size(); offset += kPieceBytes) {
    out_.add(SpoolMemory{launch, is_after ? 1u : 0u, copied.address, bytes.size(), offset,
                         bytes.subspan(offset, std::min(kPieceBytes, bytes.size() - offset))});
  }
}

MemoryCopies::Copies MemoryCopies::before(std::uint64_t launch, CudaHandle context,
                                          CudaHandle stream,
                                          const std::vector<SpoolAllocation>& allocations) {
  Copies copies;
  std::set<std::pair<std::uint64_t, std::uint64_t>> ranges;
  std::uint64_t total = 0;
  for (const SpoolAllocation& allocation : allocations) {
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
    tell_(
        SpoolProblem{.what = SpoolProblem::kMemoryTooLarge,
                     .count = total,
                     .launch = launch,
                     .sentence = "the buffers of a launch hold " + std::to_string(total) +
                                 " bytes, more than --memory-limit: their contents are left out"});
    return copies;
  }
  if (!wait_for_stream(driver_, stream)) {
    tell_(SpoolProblem{.what = SpoolProblem::kTimedOut,
                       .launch = launch,
                       .sentence = "the GPU did not come to rest before a launch whose memory is "
                                   "wanted: its contents are left out"});
    return copies;
  }
  for (const auto& [address, size] : ranges) {
    Copy copied{address, std::vector<std::uint8_t>(size)};
    if (copy(context, address, copied.bytes)) copies.push_back(std::move(copied));
  }
  return copies;
}

void MemoryCopies::after(std::uint64_t launch, CudaHandle context, CudaHandle stream,
                         const Copies& before) {
  if (before.empty()) return;
  for (const Copy& copied : before) write(launch, false, copied);
  if (!wait_for_stream(driver_, stream)) {
    tell_(SpoolProblem{.what = SpoolProblem::kTimedOut,
                       .launch = launch,
                       .sentence = "a launch whose memory is wanted did not end in time: its "
                                   "contents after it are left out"});
    return;
  }
  for (const Copy& first : before) {
    Copy copied{first.address, std::vector<std::uint8_t>(first.bytes.size())};
    if (!copy(context, first.address, copied.bytes)) continue;
    if (copied.bytes != first.bytes) write(launch, true, copied);
  }
}

}  // namespace burin
