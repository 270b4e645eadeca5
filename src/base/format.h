// Text formatting: fmt::format and related functions. All folders include this header instead of
// fmt's own, so that the library is named in one place.
#pragma once

#include <fmt/format.h>  // IWYU pragma: export
