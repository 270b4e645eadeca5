#include "emulate/memory/shared.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace burin::emulate {

namespace {

constexpr std::uint8_t kUndefined = 0xff;
constexpr std::uint8_t kUnknown = 0xf0;
constexpr std::uint64_t kOutside = std::uint64_t{1} << 63;

// The largest of the lanes' addresses; kOutside where one is below `first`.
BURIN_LANES std::uint64_t last_of_all(const std::uint64_t* address, std::int64_t first) {
  std::int64_t last = 0;  // signed: the vector units compare no other
  std::int64_t before = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const auto a = static_cast<std::int64_t>(address[i]);
    last = a > last ? a : last;
    before |= a - first;
  }
  return before < 0 ? kOutside : static_cast<std::uint64_t>(last);
}

std::uint64_t last_address(const std::uint64_t* address, Mask lanes, std::uint32_t first) {
  if (lanes == kAllLanes) return last_of_all(address, first);
  std::uint64_t last = 0;
  for_each_lane(lanes, [&](unsigned i) {
    const std::uint64_t a = address[i] < first ? kOutside : address[i];
    last = a > last ? a : last;
  });
  return last;
}

template <typename T>
BURIN_INLINE inline T value_at(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename T>
BURIN_INLINE inline void put_at(std::uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof(T));
}

}  // namespace

void SharedMemory::reset(std::uint32_t bytes, std::uint32_t reserved) {
  size_ = bytes;
  reserved_ = std::min(reserved, bytes);
  bytes_.resize((std::size_t{bytes} + 7) / 8);
  doubt_.assign((std::size_t{bytes} + 3) / 4, kUndefined);
  watch_.reset(bytes);
  copies_.reset(bytes);
}

bool SharedMemory::read(std::uint64_t address, unsigned size, Datum& out) const {
  out = {};
  if (!inside(address, size)) return false;
  std::memcpy(out.bytes.data(), reinterpret_cast<const std::uint8_t*>(bytes_.data()) + address,
              size);
  for (unsigned k = 0; k < size; ++k) {
    const std::uint64_t at = address + k;
    const unsigned doubt = doubt_[at / 4] >> (at % 4);
    out.unknown = static_cast<std::uint16_t>(out.unknown | (doubt >> 4 & 1) << k);
    out.undefined = static_cast<std::uint16_t>(out.undefined | (doubt & 1) << k);
  }
  return true;
}

bool SharedMemory::write(std::uint64_t address, unsigned size, const Datum& in) {
  if (!inside(address, size)) return false;
  std::memcpy(reinterpret_cast<std::uint8_t*>(bytes_.data()) + address, in.bytes.data(), size);
  for (unsigned k = 0; k < size; ++k) {
    const std::uint64_t at = address + k;
    std::uint8_t& doubt = doubt_[at / 4];
    const unsigned others = doubt & ~(0x11u << (at % 4));
    doubt = static_cast<std::uint8_t>(others | (in.unknown >> k & 1) << (at % 4 + 4));
  }
  return true;
}

void SharedMemory::load(WarpLoad& l) const {
  if (l.lanes == 0) return;
  if (last_address(l.address, l.lanes, reserved_) + l.bytes > size_) {
    return for_each_lane(l.lanes, [&](unsigned i) {
      Datum d;
      if (!read(l.address[i], l.bytes, d)) l.outside |= Mask{1} << i;
      l.put(i, d);
    });
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(bytes_.data());
  const std::uint64_t* address = l.address;
  if (l.bytes < 4) {
    return for_each_lane(l.lanes, [&](unsigned i) {
      Datum d;
      read(address[i], l.bytes, d);
      l.put(i, d);
    });
  }
  for (unsigned k = 0; k < l.bytes / 4; ++k) {
    Lanes& word = l.words[k];
    unsigned doubt = 0;
    for_lanes(l.lanes, [&](unsigned i) {
      word.lane[i] = value_at<std::uint32_t>(bytes + address[i] + 4 * k);
      doubt |= doubt_[address[i] / 4 + k];
    });
    if (doubt == 0) continue;
    for_each_lane(l.lanes, [&](unsigned i) {
      const unsigned here = doubt_[address[i] / 4 + k];
      l.unknown[k] |= Mask{(here & 0xf0) != 0} << i;
      l.undefined |= Mask{(here & 0xf) != 0} << i;
    });
  }
}

void SharedMemory::store(WarpStore& s) {
  if (s.lanes == 0) return;
  if (s.bytes < 4 || last_address(s.address, s.lanes, reserved_) + s.bytes > size_) {
    return for_each_lane(s.lanes, [&](unsigned i) {
      if (!write(s.address[i], s.bytes, s.get(i))) s.outside |= Mask{1} << i;
    });
  }
  auto* bytes = reinterpret_cast<std::uint8_t*>(bytes_.data());
  const std::uint64_t* address = s.address;
  for (unsigned k = 0; k < s.bytes / 4; ++k) {
    const Lanes& word = *s.words[k];
    const Mask unknown = s.unknown[k];
    for_lanes(s.lanes, [&](unsigned i) {
      put_at(bytes + address[i] + 4 * k, word.lane[i]);
      doubt_[address[i] / 4 + k] = unknown >> i & 1 ? kUnknown : 0;
    });
  }
}

bool SharedMemory::update(std::uint64_t address, unsigned size, const Update& u, Before& before) {
  if (!inside(address, size)) return false;
  std::uint8_t* const at = reinterpret_cast<std::uint8_t*>(bytes_.data()) + address;
  std::uint8_t* const doubt = doubt_.data() + address / 4;
  const unsigned last = size / 4 - 1;
  const unsigned all = doubt[0] | doubt[last];
  before.value = size == 4 ? value_at<std::uint32_t>(at) : value_at<std::uint64_t>(at);
  before.unknown = (all & 0xf0) != 0;
  before.undefined = (all & 0xf) != 0;
  if (u.unknown || (before.unknown && !u.replaces)) {
    doubt[0] = doubt[last] = kUnknown;
    return true;
  }
  const std::uint64_t next = u.combine(before.value, u.operand, u.compare);
  if (size == 4) {
    put_at(at, static_cast<std::uint32_t>(next));
  } else {
    put_at(at, next);
  }
  doubt[0] = doubt[last] = 0;
  return true;
}

SharedRaces SharedMemory::note(const SharedAccess& access, const Clock& clock) {
  SharedRaces races = watch_.note(access, clock);
  if (!copies_.any()) return races;
  const unsigned words = access.bytes > 4 ? access.bytes / 4 : 1;
  for_each_lane(access.lanes, [&](unsigned i) {
    for (std::uint64_t word = access.address[i] / 4, end = word + words; word < end; ++word) {
      if (!copies_.touches(word)) continue;
      const PendingCopies::Copy& copy = copies_.at(word);
      // Said rather than that no barrier is between: the wait comes first.
      if (races.first.use != SharedUse::kCopy) {
        races.first = {.found = true,
                       .instruction = copy.instruction,
                       .thread = copy.thread,
                       .use = SharedUse::kCopy};
      }
      races.lanes |= Mask{1} << i;
      break;
    }
  });
  return races;
}

SharedMemory::Race SharedMemory::note(std::uint64_t address, unsigned size, SharedUse use,
                                      std::uint32_t instruction, std::uint32_t warp, unsigned lane,
                                      const Clock& clock) {
  if (!inside(address, size)) return {};
  std::uint64_t addresses[kWarpLanes];
  for (unsigned done = 0; done < size;) {
    // A piece that note() takes: aligned, of a power of two.
    unsigned piece = 16;
    while (piece > size - done || (address + done) % piece != 0) piece /= 2;
    addresses[lane] = address + done;
    const SharedRaces races = note({.address = addresses,
                                    .lanes = Mask{1} << lane,
                                    .bytes = piece,
                                    .use = use,
                                    .instruction = instruction,
                                    .warp = warp},
                                   clock);
    if (races.lanes != 0) return races.first;
    done += piece;
  }
  return {};
}

}  // namespace burin::emulate
