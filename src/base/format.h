// Text formatting for every room: fmt::format and its kin. Rooms include this rather than fmt's own
// header, so that the library is named in one place.
#pragma once

#include <fmt/format.h>  // IWYU pragma: export
