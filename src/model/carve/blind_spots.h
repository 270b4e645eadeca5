// Tunable parameters that the metrics cannot see, although they change the time: pairs of
// configurations that differ in one parameter and have the same metrics, but not the same predicted
// time. The published example is a tiling factor that decides about cache conflicts.
//
//   for (const BlindSpot& spot : blind_spots(space, counted, carving)) …
//   spot.parameter "interleaved", spot.pairs 40, spot.differing 31, spot.largest 1.42
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/carve/carve.h"

namespace burin::model {

struct BlindSpot {
  std::string parameter{};
  std::size_t pairs = 0;      // with the same metrics
  std::size_t differing = 0;  // whose predicted times differ
  double largest = 1;         // ratio of predicted times
  tune::Point faster{};       // of that pair
  tune::Point slower{};
};

// Parameters with the most differing pairs first. Empty without predicted times.
std::vector<BlindSpot> blind_spots(const tune::Space& space,
                                   std::span<const Counted> configurations, const Carving& carving);

}  // namespace burin::model
