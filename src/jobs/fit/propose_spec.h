// Proposes a spec for `burin fit` from recorded launches of a kernel: which arguments are sizes,
// how the grid follows from them, and how large the buffers are.
//
//   Launches of saxpy(n, a, x, y) with n = 1000, 4000 and 20000 in blocks of 256:
//   propose_spec("_Z5saxpyifPKfPf", "saxpy.cubin", launches)->text
//     …
//     [problem]
//     sizes = [{ n0 = 1000 }, { n0 = 4000 }, { n0 = 20000 }]
//     …
//     grid = ["ceildiv(n0, block_size_x)"]
//     args = ["i32:{n0}", "u32:1073741824", "buf:{4*n0}:zero", "buf:{4*n0}:zero"]
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"
#include "launch/launch.h"

namespace burin::jobs {

struct ObservedArgument {
  std::vector<std::uint8_t> bytes{};            // as passed
  std::optional<std::uint64_t> buffer_bytes{};  // of a pointer: from there to the allocation's end
  // The value of an integer of 4 or 8 bytes. Empty for others.
  std::optional<std::int64_t> integer() const;
};

struct ObservedLaunch {
  launch::Dims grid{}, block{};
  std::uint32_t shared_bytes = 0;
  std::vector<ObservedArgument> arguments{};
};

struct ProposedSpec {
  std::string text{};                // TOML
  std::vector<std::string> notes{};  // what the launches leave open
};

// An Error if no argument explains the grid. The launches have the same number of arguments.
Result<ProposedSpec> propose_spec(const std::string& kernel, const std::string& source,
                                  std::span<const ObservedLaunch> launches);

// The launches of a kernel in a capture, and its code. `kernel`: name or part of it; "": the only
// kernel.
struct ObservedKernel {
  std::string name{};  // mangled
  std::vector<std::uint8_t> cubin{};
  std::vector<ObservedLaunch> launches{};  // without repetitions
};
Result<ObservedKernel> observe_kernel(const capture::Capture& capture, const std::string& kernel);

}  // namespace burin::jobs
