// From the spool that recorded processes left to one capture file.
//
//   Result<Assembled> made = assemble_capture("app.burin.spool", "app.burin", {}, {});
//   if (!made) return made.error();
//   made->launches, made->launches_without_time …
//
// Counts come from a second run of the program, in a folder of its own inside (counters_folder).
//
// A process that was killed is in the capture with all it had written until then, and a problem
// says so. The spool stays where it is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/result.h"

namespace burin::capture {

struct Assembled {
  std::uint64_t processes = 0;
  std::uint64_t killed = 0;  // of these, those that did not come to their end
  std::uint64_t modules = 0;
  std::uint64_t kernels = 0;  // that were launched
  std::uint64_t launches = 0;
  std::uint64_t launches_seen = 0;  // kept or not; of killed processes, those that were kept
  std::uint64_t launches_without_time = 0;
  std::uint64_t launches_counted = 0;  // whose instructions a second run counted
  std::uint64_t samples = 0;
  std::uint64_t samples_lost = 0;
  std::uint64_t problems = 0;
};

// `info` goes into the capture as it is. `progress` is called now and then with the bytes of the
// spool that have been read, of how many; may be empty. An Error where the folder holds no spool,
// or the capture cannot be written.
Result<Assembled> assemble_capture(
    const std::string& spool_folder, const std::string& path,
    const std::map<std::string, std::string>& info,
    const std::function<void(std::uint64_t done, std::uint64_t of)>& progress);

}  // namespace burin::capture
