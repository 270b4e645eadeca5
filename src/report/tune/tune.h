// What `burin tune` found.
#pragma once

#include "jobs/tune/tune_kernel.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

// The winner of each problem size, the runners-up, and what failed.
void write_tuned(Output& out, const jobs::TunedKernel& tuned);

// Schema burin.tune/1. One run is the document itself; several are in `runs`, where trials are left
// out if they are only different seeds.
void write_tuned_json(Json& json, const jobs::TunedKernel& tuned);

// "block_size_x=128, tile=4": every parameter, also those that have a single value.
std::string complete_configuration(const tune::Space& space, const tune::Point& point);

// "31.2 µs" or "4,300 GB/s": what the spec asks for.
std::string objective_text(const tune::Spec& spec, const tune::Trial& trial, double time_us);

}  // namespace burin::report
