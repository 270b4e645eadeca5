#include "emulate/timing/cache.h"

#include <algorithm>

namespace burin {

namespace {

// Of a set's lines: scattered stores and rows of records, that could all stay, are read and written
// as if this share of them could.
constexpr double kMostPartial = 3.0 / 16;

unsigned share_of(unsigned ways, double share) {
  return std::max(1u, static_cast<unsigned>(ways * share));
}

Leaving leaving_of(const CacheLine& line) {
  return {line.dirty, line.partial()};
}

}  // namespace

void CacheLine::write(unsigned sectors, unsigned bytes) {
  dirty = static_cast<std::uint8_t>(dirty | sectors);
  for (unsigned s = 0; s < written.size(); ++s) {
    if ((sectors >> s & 1) == 0) continue;
    written[s] = static_cast<std::uint8_t>(std::min(kSectorBytes, written[s] + bytes));
    if (written[s] == kSectorBytes) valid = static_cast<std::uint8_t>(valid | 1u << s);
  }
}

Cache::Cache(std::uint64_t lines, unsigned ways)
    : ways_(std::max(1u, ways)),
      sets_(std::max<std::uint64_t>(1, lines / std::max(1u, ways))),
      lines_(sets_ * ways_) {}

std::size_t Cache::set_of(std::uint64_t number) const {
  // The high bits of the scattered number pick the set, so that a sample by its low bits is fair.
  return static_cast<std::size_t>((scatter(number) >> 32) * sets_ >> 32) * ways_;
}

CacheLine& Cache::touch(std::uint64_t number, Leaving& leaving) {
  CacheLine* set = &lines_[set_of(number)];
  CacheLine* oldest = set;
  leaving = {};
  ++clock_;
  for (unsigned w = 0; w < ways_; ++w) {
    if (set[w].number == number) {
      set[w].used = clock_;
      return set[w];
    }
    if (set[w].used < oldest->used) oldest = &set[w];
  }
  leaving = leaving_of(*oldest);
  *oldest = CacheLine{.number = number, .used = clock_};
  return *oldest;
}

// The oldest of the set's lines that count, where there are more than `most` of them.
template <typename Counts>
CacheLine* Cache::oldest_beyond(CacheLine* set, unsigned most, Counts counts) {
  CacheLine* oldest = nullptr;
  unsigned found = 0;
  for (unsigned w = 0; w < ways_; ++w) {
    if (!counts(set[w])) continue;
    ++found;
    if (oldest == nullptr || set[w].used < oldest->used) oldest = &set[w];
  }
  return found > most ? oldest : nullptr;
}

Leaving Cache::limit_dirty(std::uint64_t number) {
  CacheLine* set = &lines_[set_of(number)];
  CacheLine* line = oldest_beyond(set, share_of(ways_, kMostPartial),
                                  [](const CacheLine& l) { return l.partial() != 0; });
  if (line == nullptr) {
    line = oldest_beyond(set, share_of(ways_, kMostDirty),
                         [](const CacheLine& l) { return l.dirty != 0; });
  }
  if (line == nullptr) return {};
  const Leaving leaving = leaving_of(*line);
  line->valid = static_cast<std::uint8_t>(line->valid | line->dirty);
  line->dirty = 0;
  line->written = {};
  return leaving;
}

CacheLine* Cache::find(std::uint64_t number) {
  CacheLine* set = &lines_[set_of(number)];
  for (unsigned w = 0; w < ways_; ++w)
    if (set[w].number == number) return &set[w];
  return nullptr;
}

void Cache::forget_times() {
  for (CacheLine& line : lines_) line.ready = 0;
}

void Cache::clear() {
  std::fill(lines_.begin(), lines_.end(), CacheLine{});
  clock_ = 0;
}

}  // namespace burin
