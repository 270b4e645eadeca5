#include "launch/stall_profile.h"

#include <algorithm>
#include <map>

namespace burin::launch {
namespace {

struct Word {
  std::string_view word;
  Stall stall;
};
// Names of profilers that differ from ours (stall.cc), without the prefix `stall_`.
constexpr Word kWords[] = {
    {"long_sb", Stall::kLongScoreboard},
    {"short_sb", Stall::kShortScoreboard},
    {"math", Stall::kMathPipeThrottle},
    {"mio", Stall::kMioThrottle},
    {"lg", Stall::kLgThrottle},
    {"no_inst", Stall::kNoInstruction},
    {"no_instructions", Stall::kNoInstruction},
    {"dispatch", Stall::kDispatch},
    {"imc", Stall::kImcMiss},
    {"sleep", Stall::kSleeping},
    {"warpgroup_arrive", Stall::kGmma},
    // burin's machine has no texture unit, so its queue has no separate reason.
    {"tex", Stall::kMisc},
    {"tex_throttle", Stall::kMisc},
};

std::optional<Stall> top(const std::array<StallCycles, kStalls>& stalls) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < kStalls; ++k) {
    if (stalls[k].sum() > stalls[best].sum()) best = k;
  }
  if (stalls[best].sum() == 0) return std::nullopt;
  return static_cast<Stall>(best);
}

}  // namespace

std::optional<Stall> stall_named(std::string_view word) {
  if (word.starts_with("stall_")) word.remove_prefix(6);
  for (std::size_t k = 0; k < kStalls; ++k) {
    if (name(static_cast<Stall>(k)) == word) return static_cast<Stall>(k);
  }
  const auto* const found = std::ranges::find(kWords, word, &Word::word);
  if (found == std::end(kWords)) return std::nullopt;
  return found->stall;
}

double StallRow::total() const {
  double sum = issued;
  for (const StallCycles& cycles : stalls) sum += cycles.sum();
  return sum;
}

StallRow& StallProfile::row(std::uint64_t offset) {
  const auto at = std::ranges::lower_bound(rows, offset, {}, &StallRow::offset);
  if (at != rows.end() && at->offset == offset) return *at;
  return *rows.insert(at, StallRow{.offset = offset});
}

void StallProfile::add(std::uint64_t offset, std::string_view reason, StallCycles count) {
  if (reason == "selected" || reason == "stall_selected") {
    row(offset).issued += count.sum();
    return;
  }
  const Stall stall = stall_named(reason).value_or(Stall::kMisc);
  row(offset).stalls[static_cast<std::size_t>(stall)] += count;
}

double StallProfile::issued() const {
  double sum = 0;
  for (const StallRow& each : rows) sum += each.issued;
  return sum;
}

std::array<StallCycles, kStalls> StallProfile::stalls() const {
  std::array<StallCycles, kStalls> sums{};
  for (const StallRow& each : rows) {
    for (std::size_t k = 0; k < kStalls; ++k) sums[k] += each.stalls[k];
  }
  return sums;
}

double StallProfile::total() const {
  double sum = unattributed;
  for (const StallRow& each : rows) sum += each.total();
  return sum;
}

StallAgreement compare(const StallProfile& first, const StallProfile& second) {
  StallAgreement agreement;
  const auto mine = first.stalls();
  const auto others = second.stalls();
  agreement.top_first = top(mine);
  agreement.top_second = top(others);
  const double all = first.total();
  const double all_others = second.total();
  if (all == 0 || all_others == 0) return agreement;
  agreement.overlap = std::min(first.issued() / all, second.issued() / all_others);
  for (std::size_t k = 0; k < kStalls; ++k) {
    agreement.overlap += std::min(mine[k].sum() / all, others[k].sum() / all_others);
  }
  std::map<std::uint64_t, double> places;
  for (const StallRow& row : first.rows) places[row.offset] = row.total() / all;
  for (const StallRow& row : second.rows) {
    const auto place = places.find(row.offset);
    if (place == places.end()) continue;
    agreement.place_overlap += std::min(place->second, row.total() / all_others);
  }
  return agreement;
}

}  // namespace burin::launch
