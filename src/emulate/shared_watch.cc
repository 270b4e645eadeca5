#include "emulate/shared_watch.h"

#include <algorithm>
#include <bit>

namespace burin {

namespace {

constexpr std::uint64_t kAtomicBit = std::uint64_t{1} << 31;
constexpr unsigned kInstructionShift = 10;
constexpr std::uint32_t kMostInstruction = (1u << 21) - 1;
constexpr std::uint32_t kMostClock = 1u << 31;

std::uint32_t clock_of(std::uint64_t record) {
  return static_cast<std::uint32_t>(record >> 32);
}

Race race_with(std::uint64_t record, std::uint32_t warp, bool read) {
  return {.found = true,
          .instruction = static_cast<std::uint32_t>(record >> kInstructionShift) & kMostInstruction,
          .thread = 32 * warp + static_cast<std::uint32_t>(record & 31),
          .use = read                         ? SharedUse::kRead
                 : (record & kAtomicBit) != 0 ? SharedUse::kAtomic
                                              : SharedUse::kWrite};
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
  Record seen;    // any record below happened before, whoever made it
};

void SharedWatch::reset(std::uint32_t bytes) {
  const std::size_t words = (std::size_t{bytes} + 3) / 4;
  base_ = latest_;
  if (base_ >= kMostClock || shadow_.size() != words) {
    shadow_.assign(words, {});
    base_ = latest_ = 0;
    split_.clear();
  }
  if (!split_.empty()) {
    for (Shadow& s : shadow_) s.split = 0;
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
  s.write = a.record;
  s.read = 0;
  s.readers = 0;
  return found;
}

// `bytes`: of the word, those that are used.
bool SharedWatch::note_word(Shadow& s, unsigned bytes, const Author& a, Race& race) {
  if (bytes == 0xf && s.split == 0) return note_one(s, a, race);
  if (s.split == 0) {
    split_.push_back({s, s, s, s});
    s.split = static_cast<std::uint32_t>(split_.size());
  }
  bool found = false;
  for (unsigned k = 0; k < 4; ++k) {
    if (!(bytes >> k & 1)) continue;
    Race here;
    if (note_one(split_[s.split - 1][k], a, here) && !found) {
      race = here;
      found = true;
    }
  }
  return found;
}

SharedRaces SharedWatch::note(const SharedAccess& access, const Clock& clock) {
  const std::uint32_t now = base_ + clock[access.warp];
  latest_ = std::max(latest_, now);
  const std::uint32_t seen = seen_of_all(clock, access.warp, access.warps);
  Author author{
      .clock = &clock,
      .warp = access.warp,
      .bit = Mask{1} << access.warp,
      .use = access.use,
      .record = std::uint64_t{now} << 32 | (access.use == SharedUse::kAtomic ? kAtomicBit : 0) |
                std::uint64_t{std::min(access.instruction, kMostInstruction)} << kInstructionShift |
                access.warp << 5,
      .seen = seen == ~0u ? ~Record{0} : std::uint64_t{base_ + seen + 1} << 32};
  SharedRaces races;
  const auto slowly = [&](Shadow& s, unsigned bytes, unsigned lane) {
    Race race;
    author.record = (author.record & ~Record{31}) | lane;
    if (!note_word(s, bytes, author, race)) return;
    if (races.lanes == 0) races.first = race;
    races.lanes |= Mask{1} << lane;
  };
  if (access.bytes < 4) {
    for_each_lane(access.lanes, [&](unsigned i) {
      const std::uint64_t at = access.address[i];
      slowly(shadow_[at / 4], ((1u << access.bytes) - 1) << (at % 4), i);
    });
    return races;
  }
  const unsigned words = access.bytes / 4;
  const Record record = author.record;
  const Record before_all = author.seen;
  for_each_lane(access.lanes, [&](unsigned i) {
    Shadow* s = &shadow_[access.address[i] / 4];
    for (unsigned k = 0; k < words; ++k, ++s) {
      // What nearly all accesses are: the word was last written by this warp, or before the last
      // barrier.
      const bool ordered =
          s->split == 0 && (s->write < before_all || warp_of(s->write) == author.warp);
      if (access.use == SharedUse::kRead && ordered) {
        s->readers = clock_of(s->read) == now ? s->readers | author.bit : author.bit;
        s->read = record | i;
      } else if (access.use == SharedUse::kWrite && ordered &&
                 (s->read < before_all || s->readers == author.bit)) {
        s->write = record | i;
        s->read = 0;
        s->readers = 0;
      } else {
        slowly(*s, 0xf, i);
      }
    }
  });
  return races;
}

void SharedWatch::synchronise(std::uint32_t word, std::uint32_t warp, Clock& clock) {
  Clock& kept = locks_[word];
  join(clock, kept);
  kept = clock;
  ++clock[warp];
}

}  // namespace burin
