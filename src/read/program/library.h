// Code of CUDA's own headers that is inlined into a kernel: the user knows the line that calls it.
//
//   const UserLine at = user_line(image, kernel.location_at(offset));
//   path_of(image, *at.location), at.location->line    k.cu:70
//   at.call                                            "__ldg", at sm_32_intrinsics.hpp:113
#pragma once

#include <string>
#include <string_view>

#include "read/binary/image.h"

namespace burin::read {

// Whether the file is one of CUDA's headers, such as math_functions.hpp and sm_30_intrinsics.hpp,
// in any toolkit path.
bool is_library(std::string_view path);

struct UserLine {
  // The innermost location outside of CUDA's headers; the innermost of all if there is none. Null:
  // no line information.
  const Location* location = nullptr;
  std::string call;                  // the function of CUDA's headers that it calls; "": none
  const Location* inside = nullptr;  // the location in that function, or in one that it calls
};
UserLine user_line(const Image& image, std::int32_t location);

}  // namespace burin::read
