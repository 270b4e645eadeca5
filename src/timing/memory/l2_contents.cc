#include "timing/memory/l2_contents.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulate/values/lanes.h"

namespace burin::timing {

namespace {

constexpr double kMissRateDecay = 0.999;  // decay of an instruction's miss rate, per request
// Distance between the local memories of two SMs, in lines.
constexpr std::uint64_t kLocalStep = std::uint64_t{1} << 34;

std::uint8_t bits(unsigned sectors) {
  return static_cast<std::uint8_t>(sectors);
}

constexpr std::size_t kKeptMoves = 64;

bool is_local(std::uint64_t line) {
  return line >= kLocalLines && line < kUnknownLines;
}

// A ring that does not wrap around.
constexpr LineRing unbounded(std::uint64_t line) {
  return {.first = 0, .lines = ~std::uint64_t{0}, .from = line};
}

// Marks the lines of the ring that are in the sample. Few are, so excluding the others is most of
// the work.
BURIN_LANES void mark_sampled(const LineRing& ring, std::span<const std::uint64_t> moves,
                              std::uint64_t mask, std::uint8_t* out) {
  const LineRing r = ring;
  const std::size_t count = moves.size();
  for (std::size_t k = 0; k < count; ++k) out[k] = (scatter(r.at(moves[k])) & mask) == 0 ? 1 : 0;
}

// The same for the lines at byte distances from an address, or the lines directly after them.
BURIN_LANES void mark_moved(std::uint64_t from, std::span<const std::uint64_t> moves,
                            std::uint64_t mask, std::uint8_t* out) {
  const std::size_t count = moves.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t line = (from + moves[k]) / kLineBytes;
    out[k] = (scatter(line) & mask) == 0 || (scatter(line + 1) & mask) == 0 ? 1 : 0;
  }
}

// Calls the function with the index of each nonzero byte. The span is padded to whole words.
template <typename Function>
void for_each_marked(std::span<const std::uint8_t> marks, Function function) {
  using Word = std::uint64_t;
  for (std::size_t first = 0; first < marks.size(); first += sizeof(Word)) {
    Word marked;
    std::memcpy(&marked, &marks[first], sizeof(Word));
    for (; marked != 0; marked &= marked - 1) {
      function(first + static_cast<std::size_t>(std::countr_zero(marked)) / 8);
    }
  }
}

}  // namespace

L2Contents::L2Contents(const machine::Machine& machine, const StrideTable& strides,
                       L2Options options)
    : strides_(strides),
      options_(std::move(options)),
      sample_(options_.sample),
      fetch_(static_cast<unsigned>(machine.l2.fetch)),
      min_write_(static_cast<unsigned>(machine.l2.min_write)),
      sides_(static_cast<std::size_t>(machine.l2.partitions),
             Cache(options_.known ? 1
                                  : static_cast<std::uint64_t>(options_.kept * machine.l2.size /
                                                               machine.l2.partitions) /
                                        kLineBytes / options_.sample,
                   static_cast<unsigned>(machine.l2.ways),
                   {.dirty = machine.l2.max_dirty, .partial = machine.l2.max_partial})),
      miss_rate_(strides.of.size()),
      moves_(strides.of.size()) {
  for (const Strides& s : strides.of) common_.emplace_back(s.common);
}

void L2Contents::fill(std::uint64_t address, std::uint64_t bytes) {
  L2Lookup ignored;
  for (std::uint64_t line = address / kLineBytes; line * kLineBytes < address + bytes; ++line) {
    // Any SM may have read the data.
    const auto side = static_cast<unsigned>((scatter(line) >> 32) % sides_.size());
    look(side, {.line = line, .sectors = 0xf}, ignored, false);
  }
}

void L2Contents::pass(std::uint64_t address, std::uint64_t bytes, bool written) {
  L2Lookup ignored;
  const unsigned sides = written ? 1 : static_cast<unsigned>(sides_.size());
  for (std::uint64_t line = address / kLineBytes; line * kLineBytes < address + bytes; ++line) {
    for (unsigned side = 0; side < sides; ++side) {
      look(side, {.line = line, .sectors = 0xf, .write = written}, ignored, false);
    }
  }
}

void L2Contents::mark_dirty(std::uint64_t first, std::uint64_t bytes) {
  constexpr std::uint64_t kForeignLines = (std::uint64_t{1} << 46) / kLineBytes;
  if (options_.known) return;
  L2Lookup ignored;
  for (std::uint64_t at = first / kLineBytes; at * kLineBytes < first + bytes; ++at) {
    look(0, {.line = kForeignLines + at, .sectors = 0xf, .write = true}, ignored, false);
  }
}

void L2Contents::forget_times() {
  for (Cache& side : sides_) side.forget_times();
}

double L2Contents::dirty_sectors() const {
  std::uint64_t sectors = 0;
  for (const Cache& side : sides_) sectors += side.dirty_sectors();
  return static_cast<double>(sectors) * sample_;
}

// The sectors that are read from DRAM when these miss.
unsigned L2Contents::fetched(unsigned sectors) const {
  if (fetch_ >= kLineBytes) return 0xf;
  if (fetch_ <= emulate::kSectorBytes) return sectors;
  return ((sectors & 3) != 0 ? 3u : 0u) | ((sectors & 12) != 0 ? 12u : 0u);
}

unsigned L2Contents::home(std::uint64_t line) const {
  return sides_.size() > 1 ? partition_of(line) : 0;
}

void L2Contents::leave(const Leaving& leaving, L2Lookup& lookup) const {
  lookup.written += count_sectors(leaving.dirty) * sample_;
  const double partial = count_sectors(leaving.partial) * sample_;
  lookup.missing += partial;
  lookup.scattered += partial;
  lookup.partial += partial;
}

CacheLine& L2Contents::touch(unsigned side, std::uint64_t line, L2Lookup& lookup) {
  Leaving leaving;
  CacheLine& there = sides_[side].touch(line, leaving);
  leave(leaving, lookup);
  return there;
}

// Writes go to the partition that owns the memory.
void L2Contents::write(unsigned side, const L2Request& request, L2Lookup& lookup) {
  const unsigned to = home(request.line);
  CacheLine& l = touch(to, request.line, lookup);
  if (request.bytes < min_write_) {
    const unsigned missing = request.sectors & ~unsigned{l.valid};
    lookup.missing += count_sectors(missing) * sample_;
    l.valid = bits(l.valid | missing);
  }
  l.write(request.sectors, request.bytes);
  leave(sides_[to].limit_dirty(request.line), lookup);
  // Copies in other partitions become invalid, except sectors that the writer's own received whole.
  for (unsigned other = 0; other < sides_.size(); ++other) {
    if (other == to) continue;
    CacheLine* copy = sides_[other].find(request.line);
    if (copy == nullptr) continue;
    const bool own = other == side && request.bytes >= emulate::kSectorBytes;
    copy->valid = own ? bits(copy->valid | request.sectors) : 0;
  }
}

void L2Contents::look(unsigned side, const L2Request& request, L2Lookup& lookup, bool own) {
  if (sampled(request.line)) look_in_sample(side, request, lookup, own);
}

void L2Contents::look_in_sample(unsigned side, const L2Request& request, L2Lookup& lookup,
                                bool own) {
  if (request.write) return write(side, request, lookup);
  if (request.atomic) side = home(request.line);
  CacheLine& l = touch(side, request.line, lookup);
  const unsigned missing = fetched(request.sectors) & ~unsigned{l.valid};
  lookup.missed += count_sectors(request.sectors & missing) * sample_;
  if ((request.sectors & missing) == 0) {
    if (own && static_cast<double>(l.ready) > request.now) {
      lookup.pending = static_cast<double>(l.ready);
    }
    return;
  }
  l.valid = bits(l.valid | missing);
  unsigned from_dram = missing;
  const unsigned memory = home(request.line);
  const auto arrives = static_cast<float>(request.arrives);
  float ready = 0;
  if (memory != side) {
    CacheLine& there = touch(memory, request.line, lookup);
    lookup.across += halves(missing) * sample_;
    from_dram &= ~unsigned{there.valid};
    there.valid = bits(there.valid | missing);
    ready = there.ready;
    if (from_dram != 0) there.ready = arrives;
  }
  if (from_dram != 0) {
    lookup.missing += count_sectors(from_dram) * sample_;
    if (request.sparse && halves(from_dram) == 1)
      lookup.scattered += count_sectors(from_dram) * sample_;
    ready = arrives;
  }
  l.ready = ready;
  if (!own) return;
  lookup.own_miss = from_dram != 0;
  lookup.own_far = memory != side;
  if (!lookup.own_miss && static_cast<double>(ready) > request.now) {
    lookup.pending = static_cast<double>(ready);
  }
}

// Cached if the blocks have an identifier, since each of their requests needs them again.
const L2Contents::Moves& L2Contents::moves_of(std::uint32_t instruction,
                                              const Requester& requester) {
  std::vector<Moves>& all = moves_[instruction];
  if (all.empty()) all.resize(kKeptMoves);
  Moves& kept = all[requester.others_id % kKeptMoves];
  if (requester.others_id != 0 && kept.others_id == requester.others_id) return kept;
  const Strides& s = strides_.of[instruction];
  const bool irregular = s.kind == Strides::Kind::kIrregular;
  kept.others_id = requester.others_id;
  kept.own = irregular ? s.distance(requester.own) : 0;
  kept.whole_lines = true;
  kept.others.clear();
  const std::int64_t own = s.shift(requester.own);
  for (const BlockStep& step : requester.others) {
    const std::int64_t move = irregular ? 0 : s.shift(step) - own;
    kept.others.push_back(irregular ? s.distance(step) : static_cast<std::uint64_t>(move));
    kept.whole_lines = kept.whole_lines && move % kLineBytes == 0;
  }
  if (irregular || !kept.whole_lines) return kept;
  for (std::uint64_t& move : kept.others) {
    move = static_cast<std::uint64_t>(static_cast<std::int64_t>(move) / std::int64_t{kLineBytes});
  }
  return kept;
}

void L2Contents::look_local(const L2Request& request, std::size_t others, L2Lookup& lookup) {
  L2Request theirs = request;
  for (std::size_t k = 0; k < others; ++k) {
    theirs.line = request.line + (k + 1) * kLocalStep;
    look(side_of(k), theirs, lookup, false);
  }
}

// The same for other lines, at the distances given by `moves`.
void L2Contents::look_at(const L2Request& request, const LineRing& ring, const Moves& moves,
                         L2Lookup& lookup) {
  make_room_for_marks(moves.others.size());
  mark_sampled(ring, moves.others, sample_ - 1, in_sample_.data());
  L2Request theirs = request;
  for_each_marked(in_sample_, [&](std::size_t k) {
    theirs.line = ring.at(moves.others[k]);
    look_in_sample(side_of(k), theirs, lookup, false);
  });
}

void L2Contents::make_room_for_marks(std::size_t count) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  in_sample_.assign((count + kWord - 1) / kWord * kWord, 0);
}

// The same for shifts in bytes that need not be whole lines.
void L2Contents::look_moved(const L2Request& request, const Moves& moves, L2Lookup& lookup) {
  const std::uint64_t from = request.line * kLineBytes;
  make_room_for_marks(moves.others.size());
  mark_moved(from, moves.others, sample_ - 1, in_sample_.data());
  L2Request theirs = request;
  for_each_marked(in_sample_, [&](std::size_t k) {
    const std::uint64_t address = from + moves.others[k];
    const std::uint64_t line = address / kLineBytes;
    const auto by = static_cast<unsigned>(address % kLineBytes / emulate::kSectorBytes);
    if (sampled(line)) {
      theirs.line = line;
      theirs.sectors = request.sectors << by & 0xf;
      if (theirs.sectors != 0) look_in_sample(side_of(k), theirs, lookup, false);
    }
    if (by == 0) return;
    theirs.line = line + 1;
    theirs.sectors = request.sectors >> (4 - by);
    if (theirs.sectors != 0) look(side_of(k), theirs, lookup, false);
  });
}

void L2Contents::look_others(const L2Request& request, const Requester& requester,
                             L2Lookup& lookup) {
  if (is_local(request.line)) return look_local(request, requester.others.size(), lookup);
  const Moves& moves = moves_of(request.instruction, requester);
  const Strides& s = strides_.of[request.instruction];
  if (s.kind == Strides::Kind::kIrregular) {
    look_at(request, s.ring(request.line), moves, lookup);
  } else if (moves.whole_lines) {
    look_at(request, unbounded(request.line), moves, lookup);
  } else {
    look_moved(request, moves, lookup);
  }
}

// Uses a hit rate supplied by the user.
L2Lookup L2Contents::given(const L2Request& request, double hit, double all) {
  L2Lookup lookup;
  if (request.write) return lookup;
  MissRate& rate = miss_rate_[request.instruction];
  rate.debt += 1 - hit;
  lookup.own_miss = rate.debt >= 1;
  if (lookup.own_miss) rate.debt -= 1;
  lookup.missing = lookup.missed = all * count_sectors(request.sectors) * (1 - hit);
  return lookup;
}

L2Lookup L2Contents::find(L2Request request, const Requester& requester) {
  const double all = static_cast<double>(requester.others.size() + 1);
  double hit = options_.l2_hit;
  if (!options_.l2_hit_of.empty() && options_.l2_hit_of[request.instruction] >= 0) {
    hit = static_cast<double>(options_.l2_hit_of[request.instruction]);
  }
  if (hit >= 0) return given(request, hit, all);
  L2Lookup lookup;
  const Strides& s = strides_.of[request.instruction];
  const bool shared = !is_local(request.line) && is_shared(request.instruction, request.line);
  const bool irregular = s.kind == Strides::Kind::kIrregular && !is_local(request.line) && !shared;
  const std::uint64_t traced = request.line;
  if (irregular) request.line = s.ring(traced).at(moves_of(request.instruction, requester).own);
  const bool in_sample = sampled(request.line);
  look(0, request, lookup, true);
  request.line = traced;
  if (!shared) {
    look_others(request, requester, lookup);
  } else if (sides_.size() > 1) {
    look(1, request, lookup, false);
  }
  if (request.write) {
    const double paid = std::clamp(owed_, 0.0, all * count_sectors(request.sectors));
    lookup.written += paid;
    owed_ -= paid;
    return lookup;
  }
  MissRate& rate = miss_rate_[request.instruction];
  rate.sectors =
      rate.sectors * kMissRateDecay + (shared ? 1 : all) * count_sectors(request.sectors);
  rate.misses = rate.misses * kMissRateDecay + lookup.missing;
  if (!in_sample) {
    // Spread evenly, at the miss rate that the sample shows for this instruction.
    rate.debt += rate.sectors > 0 ? rate.misses / rate.sectors : 1;
    lookup.own_miss = rate.debt >= 1;
    if (lookup.own_miss) rate.debt -= 1;
  }
  return lookup;
}

}  // namespace burin::timing
