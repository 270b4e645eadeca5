#include "timing/trace/access_passes.h"

#include <algorithm>
#include <bit>

#include "emulate/values/sector.h"

namespace burin::timing {

namespace {

constexpr unsigned kBanks = 32;  // of shared memory, 4 bytes wide, on all supported GPUs

// The distinct words of some lanes, per bank.
class BankWords {
 public:
  void add(std::uint64_t word) {
    const std::size_t bank = word % kBanks;
    for (unsigned k = 0; k < count_[bank]; ++k)
      if (words_[bank][k] == word) return;
    words_[bank][count_[bank]++] = word;
    most_ = std::max<unsigned>(most_, count_[bank]);
  }
  unsigned most() const { return most_; }

 private:
  std::array<std::array<std::uint64_t, 2 * emulate::kWarpLanes>, kBanks>
      words_;  // a lane has ≤ 2 in one
  std::array<std::uint8_t, kBanks> count_{};
  unsigned most_ = 0;
};

bool at_one_place(const emulate::Access& access, emulate::Mask lanes) {
  const std::uint64_t first = access.address[static_cast<unsigned>(std::countr_zero(lanes))];
  if (first % access.bytes != 0) return false;
  std::uint64_t differ = 0;
  for (unsigned i = 0; i < emulate::kWarpLanes; ++i) {
    differ |= (access.address[i] ^ first) & (0 - std::uint64_t{lanes >> i & 1});
  }
  return differ == 0;
}

bool side_by_side(const emulate::Access& access, emulate::Mask lanes) {
  if (lanes != emulate::kAllLanes) return false;
  for (unsigned i = 1; i < emulate::kWarpLanes; ++i)
    if (access.address[i] != access.address[i - 1] + access.bytes) return false;
  return access.address[0] % access.bytes == 0;
}

// Whether each lane has the address of its neighbour, or of its neighbour's neighbour.
bool pairs_agree(const emulate::Access& access, emulate::Mask lanes) {
  for (const unsigned apart : {1u, 2u}) {
    bool agree = true;
    for (unsigned i = 0; i < emulate::kWarpLanes && agree; ++i) {
      const unsigned other = i ^ apart;
      if ((lanes >> i & 1) == 0 || (lanes >> other & 1) == 0) continue;
      agree = access.address[i] == access.address[other];
    }
    if (agree) return true;
  }
  return false;
}

}  // namespace

unsigned different_places(const emulate::Access& access) {
  std::array<std::uint64_t, emulate::kWarpLanes> places;
  std::size_t count = 0;
  for (emulate::Mask rest = access.lanes & ~access.unknown; rest != 0; rest &= rest - 1) {
    places[count++] = access.address[static_cast<unsigned>(std::countr_zero(rest))];
  }
  std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count));
  const auto end = std::unique(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<unsigned>(end - places.begin());
}

Addresses addresses_of(const emulate::Access& access, emulate::Mask lanes) {
  Addresses found;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t address = access.address[static_cast<unsigned>(std::countr_zero(lanes))];
    std::size_t k = 0;
    while (k < found.count && found.address[k] != address) ++k;
    if (k == found.count) {
      found.address[found.count++] = address;
      found.lanes[k] = 0;
    }
    ++found.lanes[k];
  }
  return found;
}

unsigned most_at_one_address(const Addresses& addresses) {
  unsigned most = 0;
  for (std::size_t k = 0; k < addresses.count; ++k) most = std::max(most, addresses.lanes[k]);
  return most;
}

AtomicPasses passes_of(const Addresses& addresses, unsigned bytes) {
  AtomicPasses passes;
  emulate::Mask left = addresses.count == emulate::kWarpLanes
                           ? emulate::kAllLanes
                           : (emulate::Mask{1} << addresses.count) - 1;
  while (left != 0) {
    const auto sector_of = [&](std::size_t k) {
      return addresses.address[k] / emulate::kSectorBytes;
    };
    const std::uint64_t sector = sector_of(static_cast<std::size_t>(std::countr_zero(left)));
    std::array<unsigned, emulate::kWarpLanes + 1> in_pass{};  // number of addresses per pass
    for (emulate::Mask rest = left; rest != 0; rest &= rest - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(rest));
      if (sector_of(k) != sector) continue;
      left &= ~(emulate::Mask{1} << k);
      for (unsigned pass = 0; pass < addresses.lanes[k]; ++pass) ++in_pass[pass];
    }
    for (std::size_t pass = 0; in_pass[pass] != 0; ++pass) {
      ++(in_pass[pass] == 1                               ? passes.alone
         : in_pass[pass] * bytes == emulate::kSectorBytes ? passes.full
                                                          : passes.other);
    }
  }
  return passes;
}

unsigned most_at_one_address(const emulate::Access& access) {
  return std::max(1u, most_at_one_address(addresses_of(access, access.lanes & ~access.unknown)));
}

unsigned bank_passes(const emulate::Access& access) {
  const emulate::Mask lanes = access.lanes & ~access.unknown;
  if (lanes == 0 || access.bytes == 0) return 0;
  if (side_by_side(access, lanes)) return (emulate::kWarpLanes * access.bytes + 127u) / 128u;
  if (at_one_place(access, lanes)) {
    if (access.bytes < 16) return 1;
    return ((lanes & 0xffff) != 0 ? 1u : 0u) + (lanes >> 16 != 0 ? 1u : 0u);  // halves of the warp
  }
  const unsigned parts = access.bytes <= 4 ? 1 : access.bytes / 4u;
  const unsigned together =
      emulate::kWarpLanes / (pairs_agree(access, lanes) ? std::max(1u, parts / 2) : parts);
  unsigned passes = 0;
  for (unsigned first = 0; first < emulate::kWarpLanes; first += together) {
    BankWords words;
    for (unsigned i = first; i < first + together; ++i) {
      if ((lanes >> i & 1) == 0) continue;
      const std::uint64_t last = (access.address[i] + access.bytes - 1) / 4;
      for (std::uint64_t word = access.address[i] / 4; word <= last; ++word) words.add(word);
    }
    passes += words.most();
  }
  return passes;
}

unsigned padded_bank_passes(const emulate::Access& access) {
  constexpr std::uint64_t kRowBytes = std::uint64_t{kBanks} * 4;
  emulate::Access padded = access;
  for (std::uint64_t& address : padded.address) address += address / kRowBytes * access.bytes;
  return bank_passes(padded);
}

}  // namespace burin::timing
