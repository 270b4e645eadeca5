// Moves between valid points that strategies share.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tune/search/random.h"
#include "tune/space/space.h"

namespace burin::tune {

// Up to `changes` random steps, each to a random neighbour of any value.
Point mutated(const Space& space, Point point, std::size_t changes, Random& random);

// As close to `wanted`, which need not be valid, as changing one parameter at a time from the valid
// point `from` leads: each parameter in random order takes the wanted value or, if that is not
// valid, the closest one that is and not farther than what it has. Repeated until nothing changes.
Point towards(const Space& space, const Point& from, const Point& wanted, Random& random);

// The same for coordinates between the values' indices: 1.4 is between the second and the third.
Point towards(const Space& space, const Point& from, std::span<const double> wanted,
              Random& random);

// Half of the parameters of each parent on average, as far as that is valid.
Point crossed(const Space& space, const Point& one, const Point& other, Random& random);

}  // namespace burin::tune
