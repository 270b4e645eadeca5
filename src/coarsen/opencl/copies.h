// The code that a coarsened source gets: what the ids of a copy are, and the kernel that loops over
// the copies. coarsen_opencl.h shows both.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "coarsen/opencl/coarsen_opencl.h"
#include "coarsen/opencl/kernel_head.h"

namespace burin::coarsen {

// Returns an Error if a factor or a stride does not fit the launch.
Result<void> check_opencl_factors(const OpenclCoarsening& coarsening);

// The new launch; the factors must have been checked.
CoarsenedOpencl coarsened_launch(const OpenclCoarsening& coarsening);

// The definitions in front of the source: the type PREFIX_ids, its functions, and macros in the
// place of the id functions `ids`. The macros use the variable PREFIX, a pointer to the ids.
std::string ids_text(const std::string& prefix, const std::string& kernel,
                     const std::set<std::string>& ids, const OpenclCoarsening& coarsening);

// The declaration of that pointer as a parameter: "const __private burin_ids* burin".
std::string ids_parameter(const std::string& prefix);

// For the beginning of the body of a kernel that is not coarsened: PREFIX points to its own ids.
std::string own_ids_text(const std::string& prefix);

// The kernel that calls `body` for each copy.
std::string loops_text(const std::string& prefix, const OpenclKernelHead& head,
                       const std::string& body, const OpenclCoarsening& coarsening);

}  // namespace burin::coarsen
