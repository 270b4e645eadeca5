#include "timing/memory/cache.h"

#include <algorithm>
#include <bit>

namespace burin::timing {

namespace {

constexpr std::uint64_t kNoLine = ~std::uint64_t{0};

constexpr unsigned kMaxWays = 1u << 15;
constexpr std::size_t kMarks = 8;  // marks per word
constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kHighs = 0x8080808080808080u;

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
    written[s] = static_cast<std::uint8_t>(std::min(emulate::kSectorBytes, written[s] + bytes));
    if (written[s] == emulate::kSectorBytes) valid = static_cast<std::uint8_t>(valid | 1u << s);
  }
}

Cache::Cache(std::uint64_t lines, unsigned ways, DirtyLimits limits)
    : ways_(std::clamp(ways, 1u, kMaxWays)),
      max_dirty_(share_of(ways_, limits.dirty)),
      max_partial_(share_of(ways_, limits.partial)),
      sets_(std::max<std::uint64_t>(1, lines / ways_)),
      words_((ways_ + kMarks - 1) / kMarks),
      stride_(words_ * kMarks),
      marks_(sets_ * words_),
      numbers_(sets_ * stride_, kNoLine),
      ages_(sets_ * stride_),
      oldest_(sets_),
      lines_(sets_ * stride_) {
  for (std::size_t at = 0; at < ages_.size(); ++at) {
    const std::size_t way = at % stride_;
    ages_[at] = {.newer = static_cast<std::uint16_t>((way + 1) % ways_),
                 .older = static_cast<std::uint16_t>((way + ways_ - 1) % ways_)};
  }
}

Cache::Place Cache::place_of(std::uint64_t number) const {
  // The high bits of the hash select the set and the middle bits are the mark, so that sampling by
  // the low bits is unbiased.
  const std::uint64_t scattered = scatter(number);
  return {static_cast<std::size_t>((scattered >> 32) * sets_ >> 32),
          static_cast<std::uint8_t>(scattered >> 12)};
}

std::size_t Cache::way_of(std::uint64_t number, Place place) const {
  const std::uint64_t* numbers = &numbers_[place.set * stride_];
  const std::uint64_t* marks = &marks_[place.set * words_];
  for (std::size_t w = 0; w < words_; ++w) {
    // Bytes that are 0 have the mark. Matches above the first one may be false.
    const std::uint64_t x = marks[w] ^ kOnes * place.mark;
    for (std::uint64_t found = (x - kOnes) & ~x & kHighs; found != 0; found &= found - 1) {
      const std::size_t way = w * kMarks + static_cast<std::size_t>(std::countr_zero(found)) / 8;
      if (numbers[way] == number) return way;
    }
  }
  return kNowhere;
}

void Cache::make_newest(std::size_t set, std::size_t way) {
  Ages* ages = &ages_[set * stride_];
  std::uint16_t& oldest = oldest_[set];
  if (way == oldest) {
    oldest = ages[way].newer;  // the ring turns
    return;
  }
  const std::uint16_t newest = ages[oldest].older;
  if (way == newest) return;
  ages[ages[way].older].newer = ages[way].newer;
  ages[ages[way].newer].older = ages[way].older;
  ages[way] = {.newer = oldest, .older = newest};
  ages[newest].newer = ages[oldest].older = static_cast<std::uint16_t>(way);
}

CacheLine& Cache::touch(std::uint64_t number, Leaving& leaving) {
  const Place place = place_of(number);
  const std::size_t found = way_of(number, place);
  const std::size_t way = found != kNowhere ? found : oldest_[place.set];
  make_newest(place.set, way);
  const std::size_t at = place.set * stride_ + way;
  leaving = {};
  if (found != kNowhere) return lines_[at];
  leaving = leaving_of(lines_[at]);
  numbers_[at] = number;
  std::uint64_t& marks = marks_[place.set * words_ + way / kMarks];
  const std::size_t shift = way % kMarks * 8;
  marks = (marks & ~(std::uint64_t{0xff} << shift)) | std::uint64_t{place.mark} << shift;
  lines_[at] = {};
  return lines_[at];
}

// The oldest counted line of the set, if more than `most` lines count.
template <typename Counts>
CacheLine* Cache::oldest_beyond(std::size_t set, unsigned most, Counts counts) {
  CacheLine* lines = &lines_[set * stride_];
  if (std::count_if(lines, lines + ways_, counts) <= static_cast<std::ptrdiff_t>(most)) {
    return nullptr;
  }
  std::size_t way = oldest_[set];
  while (!counts(lines[way])) way = ages_[set * stride_ + way].newer;
  return &lines[way];
}

Leaving Cache::limit_dirty(std::uint64_t number) {
  const std::size_t set = place_of(number).set;
  CacheLine* line =
      oldest_beyond(set, max_partial_, [](const CacheLine& l) { return l.partial() != 0; });
  if (line == nullptr) {
    line = oldest_beyond(set, max_dirty_, [](const CacheLine& l) { return l.dirty != 0; });
  }
  if (line == nullptr) return {};
  const Leaving leaving = leaving_of(*line);
  line->valid = static_cast<std::uint8_t>(line->valid | line->dirty);
  line->dirty = 0;
  line->written = {};
  return leaving;
}

CacheLine* Cache::find(std::uint64_t number) {
  const Place place = place_of(number);
  const std::size_t way = way_of(number, place);
  return way == kNowhere ? nullptr : &lines_[place.set * stride_ + way];
}

std::uint64_t Cache::dirty_sectors() const {
  std::uint64_t sectors = 0;
  for (const CacheLine& line : lines_) sectors += count_sectors(line.dirty);
  return sectors;
}

void Cache::forget_times() {
  for (CacheLine& line : lines_) line.ready = 0;
}

void Cache::clear() {  // if all ways are empty, any may be the oldest
  std::fill(numbers_.begin(), numbers_.end(), kNoLine);
  std::fill(lines_.begin(), lines_.end(), CacheLine{});
}

}  // namespace burin::timing
