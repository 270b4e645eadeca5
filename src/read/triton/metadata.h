// What Triton's compiler stores beside a cubin in its cache: CACHE/HASH/NAME.cubin has a NAME.json,
// from which Triton itself launches the kernel.
//
//   Result<std::optional<TritonMetadata>> metadata = read_triton_metadata("cache/…/softmax.cubin");
//   (*metadata)->num_warps    // blocks have 32 times as many threads
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace burin::read {

struct TritonMetadata {
  std::string file;                // the metadata's own
  std::uint32_t num_warps = 0;     // per block
  std::uint64_t shared_bytes = 0;  // dynamic shared memory per block
  std::uint32_t num_ctas = 1;      // blocks of a cluster
  // Memory that the launcher allocates for the kernel, per block, and passes after the arguments.
  std::uint64_t global_scratch_bytes = 0;
  std::uint64_t profile_scratch_bytes = 0;
};

// Returns the path of the metadata that belongs to a cubin; empty if there is none.
std::optional<std::string> triton_metadata_path(const std::string& cubin);

// Returns the metadata of a cubin; empty if there is none, or the file of that name is somebody
// else's. An Error names the file: what Triton wrote is damaged, or not what 2.1 to 3.8 write.
Result<std::optional<TritonMetadata>> read_triton_metadata(const std::string& cubin);

// Parses the metadata in `text`; `file` is for messages.
Result<std::optional<TritonMetadata>> parse_triton_metadata(const std::string& text,
                                                            const std::string& file);

}  // namespace burin::read
