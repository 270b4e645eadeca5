// `mpirun -n K burin tune …`: rank 0 searches, the other ranks compile and measure.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/result.h"
#include "jobs/tune/target.h"

namespace burin::jobs {

using LabOfRun = std::function<Result<tune::Lab*>(
    std::size_t run, const std::vector<tune::Trial>& known, std::size_t ahead)>;

// Whether mpirun has started this process as one of several.
bool is_one_of_many();

// At rank 0, calls `search` with a lab that hands trials to the other ranks. At any other rank,
// measures until rank 0 ends the run, and sets `tuned.serves`.
Result<void> tune_with_ranks(
    const TuneRequest& request, TuneTarget& target, TunedKernel& tuned,
    const std::function<Result<void>(const LabOfRun& lab_of, std::size_t width)>& search);

// Leaves MPI. Where a rank was lost this ends the process at once: MPI's own farewell would wait
// for the lost rank.
void leave_ranks(int exit_status);

}  // namespace burin::jobs
