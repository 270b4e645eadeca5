#include "emulate/traffic.h"

#include <algorithm>
#include <array>
#include <bit>

namespace burin::emulate {

TrafficCount& TrafficCount::operator+=(const TrafficCount& other) {
  requests += other.requests;
  sectors += other.sectors;
  bytes += other.bytes;
  unknown += other.unknown;
  return *this;
}

std::uint32_t sectors_of(const Access& access) {
  // A lane has at most 16 bytes, so it touches one sector, or two where it is misaligned.
  std::array<std::uint64_t, 2 * kWarpLanes> touched;
  std::size_t count = 0;
  bool sorted = true;
  const auto touch = [&](std::uint64_t sector) {
    if (count > 0 && touched[count - 1] == sector) return;
    sorted = sorted && (count == 0 || touched[count - 1] < sector);
    touched[count++] = sector;
  };
  for (Mask rest = access.lanes & ~access.unknown; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    touch(address / kSectorBytes);
    touch((address + access.bytes - 1) / kSectorBytes);
  }
  const auto end = touched.begin() + static_cast<std::ptrdiff_t>(count);
  if (sorted) return static_cast<std::uint32_t>(count);
  std::sort(touched.begin(), end);
  return static_cast<std::uint32_t>(std::unique(touched.begin(), end) - touched.begin());
}

void Traffic::executed(const Event& event) {
  for (std::size_t i = 0; i < event.access_count; ++i) {
    const Access& access = event.accesses[i];
    if (access.space != read::Space::kGlobal || access.lanes == 0) continue;
    TrafficCount& count = counts_[event.instruction];
    const auto unknown = static_cast<std::uint32_t>(std::popcount(access.lanes & access.unknown));
    ++count.requests;
    count.sectors += sectors_of(access);
    count.bytes += std::uint64_t{access.bytes} * static_cast<unsigned>(std::popcount(access.lanes));
    if (unknown == 0) continue;
    ++count.unknown;
    count.sectors += unknown_.transactions(unknown, access.bytes, kSectorBytes);
  }
}

}  // namespace burin::emulate
