// `#pragma unroll N` before a loop of CUDA source, as an axis of tuning: the tunable `unroll@12` is
// the unroll factor of the loop that starts in line 12 (`burin inspect --loops` names the lines).
//
//   with_unrolling("…\n  for (int i = 0; i < n; ++i) sum += a[i];\n…", "sum.cu", {{12, 4}})
//
// Line numbers stay those of the original, for messages and profiles.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace burin::tune {

// 12 for "unroll@12"; none for other tunables.
std::optional<std::uint32_t> unrolled_line(std::string_view tunable);

// `factors`: by line. 1 forbids unrolling; 0 leaves the choice to the compiler. An Error if no loop
// starts in one of the lines.
Result<std::string> with_unrolling(std::string_view source, const std::string& path,
                                   const std::map<std::uint32_t, std::int64_t>& factors);

}  // namespace burin::tune
