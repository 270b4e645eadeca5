#include "jobs/tune/session.h"

#include <algorithm>
#include <filesystem>

#include "base/format.h"

namespace burin::jobs {

Result<TuneSession> TuneSession::open(const TuneRequest& request, const TunedKernel& tuned,
                                      const tune::Space& space, tune::Durability durability) {
  tune::SessionHeader header;
  if (!tuned.spec.tunables.empty()) {
    header = tune::header_of(tuned.spec);
  } else {
    header.kernel = tuned.kernel;
    header.parameters.assign(space.parameters().begin(), space.parameters().end());
  }
  std::error_code ignored;
  const bool exists = std::filesystem::exists(request.session, ignored) &&
                      std::filesystem::file_size(request.session, ignored) > 0;
  if (exists && !request.resume) {
    return Error{fmt::format("--session: {} exists; --resume continues it", request.session),
                 Exit::kUsage};
  }
  Result<tune::Session> session = exists
                                      ? tune::Session::resume(request.session, header, durability)
                                      : tune::Session::create(request.session, header, durability);
  if (!session) return session.error();
  return TuneSession(std::move(*session));
}

Result<std::vector<tune::Trial>> TuneSession::begin(const TunedRun& run,
                                                    const std::string& strategy,
                                                    std::size_t& ahead) {
  tune::RunHeader header{.device = run.device,
                         .problem_size = run.size,
                         .strategy = strategy,
                         .seed = run.seed,
                         .ahead = ahead};
  const Result<std::vector<tune::SessionRun>> runs = session_.runs();
  if (!runs) return runs.error();
  const auto same = std::ranges::find_if(*runs, [&](const tune::SessionRun& earlier) {
    tune::RunHeader with_ahead = header;
    with_ahead.ahead = earlier.header.ahead;
    return with_ahead == earlier.header;
  });
  if (same != runs->end()) header.ahead = ahead = same->header.ahead;
  const Result<std::int64_t> opened = session_.open_run(header);
  if (!opened) return opened.error();
  run_ = *opened;
  return session_.trials(run_);
}

Result<void> TuneSession::finish(const TunedRun& run) {
  if (const tune::Trial* best = run.best()) {
    if (Result<void> kept = session_.record_winner(run_, *best, run.tuned.final); !kept) {
      return kept;
    }
  }
  return session_.flush();
}

}  // namespace burin::jobs
