// The session of `burin tune`: every trial in one file, so that a run can be continued.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/tune/tune_kernel.h"
#include "tune/session/session.h"

namespace burin::jobs {

class TuneSession {
 public:
  // Creates the session that the request names, or continues it with --resume.
  static Result<TuneSession> open(const TuneRequest& request, const TunedKernel& tuned,
                                  const tune::Space& space, tune::Durability durability);

  // The trials that the session already has of this run; new ones are appended to it. `ahead` is
  // replaced by the one with which the run began: with another, the search would take another way.
  Result<std::vector<tune::Trial>> begin(const TunedRun& run, const std::string& strategy,
                                         std::size_t& ahead);
  Result<void> append(const tune::Trial& trial) { return session_.append(run_, trial); }
  Result<void> finish(const TunedRun& run);

 private:
  TuneSession(tune::Session session, bool warm) : session_(std::move(session)), warm_(warm) {}

  tune::Session session_;
  bool warm_ = false;
  std::int64_t run_ = 0;
};

}  // namespace burin::jobs
