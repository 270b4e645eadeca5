#include "emulate/memory/shared_watch.h"

#include <algorithm>
#include <bit>

namespace burin::emulate {

namespace {

constexpr std::uint64_t kAtomicBit = std::uint64_t{1} << 31;
constexpr std::uint64_t kWarpBits = std::uint64_t{31} << 5;
constexpr unsigned kInstructionShift = 10;
constexpr std::uint32_t kMaxInstruction = (1u << 21) - 1;
// Clocks stay below this, so that the top bit of a record marks a split word.
constexpr std::uint32_t kMaxClock = 1u << 30;
constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

std::uint32_t clock_of(std::uint64_t record) {
  return static_cast<std::uint32_t>(record >> 32);
}

Race race_with(std::uint64_t record, std::uint32_t warp, bool read) {
  return {.found = true,
          .instruction = static_cast<std::uint32_t>(record >> kInstructionShift) & kMaxInstruction,
          .thread = 32 * warp + static_cast<std::uint32_t>(record & 31),
          .use = read                         ? SharedUse::kRead
                 : (record & kAtomicBit) != 0 ? SharedUse::kAtomic
                                              : SharedUse::kWrite};
}

// An atomic keeps the record of a preceding plain write by its own warp if no other warp can have
// observed them separately: an access ordered with the write is also ordered with the atomic, but
// not vice versa.
BURIN_INLINE inline bool stays(std::uint64_t write, std::uint64_t atomic) {
  constexpr std::uint64_t kClockAndWarp = ~std::uint64_t{0xffffffff} | kWarpBits;
  return (atomic & kAtomicBit) != 0 && (write & kAtomicBit) == 0 &&
         ((write ^ atomic) & kClockAndWarp) == 0;
}

// The clock up to which this warp has seen every other warp of its block.
std::uint32_t seen_of_all(const Clock& clock, std::uint32_t warp, std::uint32_t warps) {
  std::uint32_t seen = ~0u;
  for (std::uint32_t w = 0; w < warps; ++w) seen = w != warp && clock[w] < seen ? clock[w] : seen;
  return seen;
}

}  // namespace

struct SharedWatch::Author {
  const Clock* clock;
  std::uint32_t warp;
  Mask bit;  // of the warp
  SharedUse use;
  Record record;  // of this access, with the lane
  Record seen;    // any record below this happened before, in any warp
};

void SharedWatch::reset(std::uint32_t bytes) {
  const std::size_t words = (std::size_t{bytes} + 3) / 4;
  base_ = latest_;
  if (base_ >= kMaxClock || shadow_.size() != words) {
    shadow_.assign(words, {});
    base_ = latest_ = 0;
    split_.clear();
  }
  if (!split_.empty()) {
    for (Shadow& s : shadow_)
      if (s.write == kSplit) s = {};
    split_.clear();
  }
  locks_.clear();
}

bool SharedWatch::before(Record r, const Author& a) const {
  const std::uint32_t w = warp_of(r);
  return r < a.seen || w == a.warp || clock_of(r) <= base_ + (*a.clock)[w];
}

bool SharedWatch::note_one(Shadow& s, const Author& a, Race& race) {
  const bool both_atomic = a.use == SharedUse::kAtomic && (s.write & kAtomicBit) != 0;
  bool found = false;
  if (!both_atomic && !before(s.write, a)) {
    race = race_with(s.write, warp_of(s.write), false);
    found = true;
  }
  if (a.use == SharedUse::kRead) {
    s.readers = clock_of(s.read) == clock_of(a.record) ? s.readers | a.bit : a.bit;
    s.read = a.record;
    return found;
  }
  if (s.read >= a.seen) {
    for_each_lane(s.readers & ~a.bit, [&](unsigned w) {
      if (found || clock_of(s.read) <= base_ + (*a.clock)[w]) return;
      race = race_with(s.read, w, true);
      found = true;
    });
  }
  if (!stays(s.write, a.record)) s.write = a.record;
  s.read = 0;
  s.readers = 0;
  return found;
}

// `bytes`: of the word, those that are used.
bool SharedWatch::note_word(Shadow& s, unsigned bytes, const Author& a, Race& race) {
  if (bytes == 0xf && s.write != kSplit) return note_one(s, a, race);
  if (s.write != kSplit) {
    split_.push_back({s, s, s, s});
    s = {.write = kSplit, .read = 0, .readers = static_cast<std::uint32_t>(split_.size() - 1)};
  }
  bool found = false;
  for (unsigned k = 0; k < 4; ++k) {
    if (!(bytes >> k & 1)) continue;
    Race here;
    if (note_one(split_[s.readers][k], a, here) && !found) {
      race = here;
      found = true;
    }
  }
  return found;
}

SharedRaces SharedWatch::note(const SharedAccess& access, const Clock& clock) {
  const std::uint32_t now = base_ + clock[access.warp];
  latest_ = std::max(latest_, now);
  const std::uint32_t all_seen = seen_of_all(clock, access.warp, access.warps);
  const Record record =
      std::uint64_t{now} << 32 | (access.use == SharedUse::kAtomic ? kAtomicBit : 0) |
      std::uint64_t{std::min(access.instruction, kMaxInstruction)} << kInstructionShift |
      access.warp << 5;
  const Record seen = std::uint64_t{base_ + std::min(all_seen, kMaxClock) + 1} << 32;
  const Mask bit = Mask{1} << access.warp;
  const std::uint64_t* address = access.address;
  Shadow* const shadow = shadow_.data();
  SharedRaces races;
  const auto slowly = [&](Shadow& s, unsigned bytes, unsigned lane) __attribute__((noinline)) {
    const Author author{.clock = &clock,
                        .warp = access.warp,
                        .bit = Mask{1} << access.warp,
                        .use = access.use,
                        .record = record | lane,
                        .seen = seen};
    Race race;
    if (!note_word(s, bytes, author, race)) return;
    if (races.lanes == 0) races.first = race;
    races.lanes |= Mask{1} << lane;
  };
  // What nearly all words are: last written by this warp, or before the last barrier.
  const auto ordered = [=](Record write) {
    return write < seen || ((write ^ record) & (kWarpBits | kTopBit)) == 0;
  };
  const unsigned words = access.bytes / 4;
  if (access.bytes < 4) {
    for_each_lane(access.lanes, [&](unsigned i) {
      slowly(shadow[address[i] / 4], ((1u << access.bytes) - 1) << (address[i] % 4), i);
    });
  } else if (access.use == SharedUse::kRead) {
    for_lanes(access.lanes, [&](unsigned i) {
      Shadow* s = shadow + address[i] / 4;
      for (Shadow* const end = s + words; s != end; ++s) {
        if (!ordered(s->write)) {
          slowly(*s, 0xf, i);
          continue;
        }
        s->readers = clock_of(s->read) == now ? s->readers | bit : bit;
        s->read = record | i;
      }
    });
  } else {
    for_lanes(access.lanes, [&](unsigned i) {
      Shadow* s = shadow + address[i] / 4;
      for (Shadow* const end = s + words; s != end; ++s) {
        if (!ordered(s->write) || (s->read >= seen && s->readers != bit)) {
          slowly(*s, 0xf, i);
          continue;
        }
        if (!stays(s->write, record)) s->write = record | i;
        s->read = 0;
        s->readers = 0;
      }
    });
  }
  return races;
}

void SharedWatch::synchronise(std::uint32_t word, std::uint32_t warp, Clock& clock) {
  Clock& kept = locks_[word];
  join(clock, kept);
  kept = clock;
  ++clock[warp];
}

}  // namespace burin::emulate
