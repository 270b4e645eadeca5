#include "emulate/timing/cache.h"

#include <algorithm>

namespace burin {

namespace {

// Of a set's lines: scattered stores and rows of records, that could all stay, are read and written
// as if this share of them could.
constexpr double kMostPartial = 3.0 / 16;

constexpr std::uint64_t kNoLine = ~std::uint64_t{0};

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
      numbers_(sets_ * ways_, kNoLine),
      used_(sets_ * ways_),
      lines_(sets_ * ways_) {}

std::size_t Cache::set_of(std::uint64_t number) const {
  // The high bits of the scattered number pick the set, so that a sample by its low bits is fair.
  return static_cast<std::size_t>((scatter(number) >> 32) * sets_ >> 32) * ways_;
}

CacheLine& Cache::touch(std::uint64_t number, Leaving& leaving) {
  const std::size_t set = set_of(number);
  const std::uint64_t* numbers = &numbers_[set];
  leaving = {};
  ++clock_;
  for (unsigned w = 0; w < ways_; ++w) {
    if (numbers[w] == number) {
      used_[set + w] = clock_;
      return lines_[set + w];
    }
  }
  const std::uint32_t* used = &used_[set];
  const auto oldest = static_cast<std::size_t>(std::min_element(used, used + ways_) - used_.data());
  leaving = leaving_of(lines_[oldest]);
  numbers_[oldest] = number;
  used_[oldest] = clock_;
  lines_[oldest] = {};
  return lines_[oldest];
}

// The oldest of the set's lines that count, where there are more than `most` of them.
template <typename Counts>
CacheLine* Cache::oldest_beyond(std::size_t set, unsigned most, Counts counts) {
  CacheLine* oldest = nullptr;
  std::uint32_t when = 0;
  unsigned found = 0;
  for (std::size_t at = set; at < set + ways_; ++at) {
    if (!counts(lines_[at])) continue;
    ++found;
    if (oldest == nullptr || used_[at] < when) {
      oldest = &lines_[at];
      when = used_[at];
    }
  }
  return found > most ? oldest : nullptr;
}

Leaving Cache::limit_dirty(std::uint64_t number) {
  const std::size_t set = set_of(number);
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
  const std::size_t set = set_of(number);
  for (std::size_t at = set; at < set + ways_; ++at)
    if (numbers_[at] == number) return &lines_[at];
  return nullptr;
}

void Cache::forget_times() {
  for (CacheLine& line : lines_) line.ready = 0;
}

void Cache::clear() {
  std::fill(numbers_.begin(), numbers_.end(), kNoLine);
  std::fill(used_.begin(), used_.end(), 0);
  std::fill(lines_.begin(), lines_.end(), CacheLine{});
  clock_ = 0;
}

}  // namespace burin
