// What may be coarsened: which words of OpenCL C need the work-items of a group side by side, and
// whether a kernel comes to one of them, itself or through the functions and macros that it uses.
//
//   check_kernel(outline, "reduce").error().message ==
//       "kernel reduce: line 7: barrier waits for the other work-items of the group, but copies "
//       "of work-items run one after another (used through group_sum)"
//
// The copies of a work-item are run one after another, each to its end. That is right as long as
// no work-item waits for another one of its group, and none looks at what the others hold.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "coarsen/opencl/outline.h"

namespace burin::coarsen {

// The functions of OpenCL C that tell a work-item where it is; the coarsened kernel has its own.
struct OpenclIdFunction {
  std::string_view name;
  bool has_dimension;  // takes the number of the dimension
  bool since_2_0;      // older programs may have a function or macro of their own of that name
};
inline constexpr OpenclIdFunction kOpenclIdFunctions[] = {
    {"get_global_id", true, false},          {"get_local_id", true, false},
    {"get_group_id", true, false},           {"get_global_size", true, false},
    {"get_local_size", true, false},         {"get_num_groups", true, false},
    {"get_enqueued_local_size", true, true}, {"get_global_linear_id", false, true},
    {"get_local_linear_id", false, true},
};

// The id functions that the compiler provides to this source: those since OpenCL 2.0 only if the
// source does not define them.
std::set<std::string> built_in_ids(const OpenclOutline& outline);

// Returns an Error with the line and the reason if the kernel cannot be coarsened.
Result<void> check_kernel(const OpenclOutline& outline, const std::string& kernel);

}  // namespace burin::coarsen
