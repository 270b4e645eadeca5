// A rank that measures for the search at rank 0.
//
//   Result<std::uint64_t> number = join_cluster(transport, host);   // of its device on its host
//   …open the device…
//   report_ready(transport, …);
//   serve_rank(transport, [&](std::uint64_t run) -> Lab* {…});
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "tune/cluster/transport.h"
#include "tune/lab.h"

namespace burin::tune {

inline constexpr int kSearchRank = 0;

// Says hello, and waits for the number of this rank's device among those of its host.
Result<std::uint64_t> join_cluster(Transport& transport, const std::string& host);

struct RankDevice {
  std::string device{};  // its model
  // What tells devices of a host apart: the bus id of a GPU. "": predictions, which no other rank
  // disturbs.
  std::string gpu{};
  bool is_cpu = false;  // ranks may share it, but disturb each other
  std::size_t width = 1;
};
void report_ready(Transport& transport, const RankDevice& device);
void report_failure(Transport& transport, const std::string& reason);

// Works until rank 0 ends the run. `lab_of` gives the lab of a problem size; an Error of it, or of
// a lab, is reported to rank 0 and ends the rank.
struct RankEnd {
  std::string reason{};      // of rank 0 for ending; "": all is well
  bool lost_a_rank = false;  // some rank is dead: MPI's farewell would wait for it
};
Result<RankEnd> serve_rank(Transport& transport,
                           const std::function<Result<Lab*>(std::uint64_t run)>& lab_of);

}  // namespace burin::tune
