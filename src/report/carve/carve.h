// The configurations that `burin carve` kept, and why it pruned the others.
#pragma once

#include <string>

#include "jobs/carve/carve_space.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

// Three selections side by side, the configurations that were kept, and the reasons for the others.
// `all`: every one of them, else the first of each kind.
void write_carved(Output& out, const jobs::CarvedSpace& carved, bool all);

// Schema burin.carve/1. `all`: with every configuration that was pruned.
void write_carved_json(Json& json, const jobs::CarvedSpace& carved, bool all);

// Utilization over efficiency, the largest value of each axis as 1: configurations that were kept,
// pruned, or removed by a threshold; the front as a line, the best in a circle.
std::string carved_svg(const jobs::CarvedSpace& carved, const jobs::CarvedSize& size);

}  // namespace burin::report
