// Assembles one capture file from the spool of the recorded processes.
//
//   Result<Assembled> made = assemble_capture("app.burin.spool", "app.burin", {}, {});
//   if (!made) return made.error();
//   made->launches, made->launches_without_time …
//
// Instruction counts come from a second run of the program, whose spool is in a subfolder
// (counters_folder).
//
// For a process that was killed, the capture contains everything it had written until then, and a
// problem entry says so. The spool is not deleted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/result.h"

namespace burin::capture {

struct Assembled {
  std::uint64_t processes = 0;
  std::uint64_t killed = 0;  // processes that did not end normally
  std::uint64_t modules = 0;
  std::uint64_t kernels = 0;  // kernels that were launched
  std::uint64_t launches = 0;
  std::uint64_t launches_seen = 0;  // including launches not recorded, except in killed processes
  std::uint64_t launches_without_time = 0;
  std::uint64_t launches_counted = 0;  // launches with instruction counts from the second run
  std::uint64_t samples = 0;
  std::uint64_t samples_lost = 0;
  std::uint64_t problems = 0;
};

// Assembles the capture. `info` is stored in the capture unchanged. `progress` is called
// periodically with the spool bytes read and the total; it may be empty. Returns an Error if the
// folder contains no spool or the capture cannot be written.
Result<Assembled> assemble_capture(
    const std::string& spool_folder, const std::string& path,
    const std::map<std::string, std::string>& info,
    const std::function<void(std::uint64_t done, std::uint64_t of)>& progress);

}  // namespace burin::capture
