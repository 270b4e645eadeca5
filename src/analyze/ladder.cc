#include "analyze/ladder.h"

namespace burin::analyze {

std::vector<Rung> occupancy_ladder(const Study& study) {
  const timing::TracedLaunch& traced = study.traced();
  const std::uint64_t most = std::min(traced.resident, traced.share.count);
  const std::uint64_t warps = traced.occupancy.warps / std::max<std::uint64_t>(1, traced.resident);
  std::vector<std::uint64_t> residents;
  for (std::uint64_t n = 1; n < most; n += n < 4 ? 1 : n / 2) residents.push_back(n);
  const std::vector<timing::Prediction> predictions = study.with_residents(residents);
  std::vector<Rung> ladder = {{most, most * warps, study.base().time_us}};
  for (std::size_t k = residents.size(); k-- > 0;) {
    ladder.push_back({residents[k], residents[k] * warps, predictions[k].time_us});
  }
  return ladder;
}

Rung least_occupancy(const std::vector<Rung>& ladder, double slower) {
  Rung least = ladder.front();
  for (const Rung& rung : ladder) {
    if (rung.time_us > slower * ladder.front().time_us) break;
    least = rung;
  }
  return least;
}

}  // namespace burin::analyze
