#include "jobs/tune/session.h"

#include <algorithm>
#include <filesystem>

#include "base/format.h"
#include "toolchain/file_digest.h"

namespace burin::jobs {
namespace {

// What stands for the spec of a kernel without one: the launch, an option in each line.
std::string launch_text(const LaunchRequest& launch) {
  std::string text = fmt::format("--grid {}\n--block {}\n", launch.grid, launch.block);
  for (const std::string& argument : launch.arguments) text += "--arg " + argument + '\n';
  for (const std::string& setting : launch.settings) text += "--set " + setting + '\n';
  if (!launch.cluster.empty()) text += "--cluster " + launch.cluster + '\n';
  if (!launch.shared_bytes.empty()) text += "--smem " + launch.shared_bytes + '\n';
  return text;
}

tune::SessionHeader header_for(const TuneRequest& request, const TunedKernel& tuned,
                               const tune::Space& space) {
  if (!tuned.spec.tunables.empty()) {
    tune::SessionHeader header = tune::header_of(tuned.spec);
    for (const auto& [language, path] : tuned.spec.sources) {
      header.source_digest += toolchain::file_digest(path);
    }
    return header;
  }
  tune::SessionHeader header;
  header.kernel = tuned.kernel;
  header.parameters.assign(space.parameters().begin(), space.parameters().end());
  if (!request.input.empty()) {
    header.spec = launch_text(request.launch);
    header.source_digest = toolchain::file_digest(request.input);
  }
  return header;
}

}  // namespace

Result<TuneSession> TuneSession::open(const TuneRequest& request, const TunedKernel& tuned,
                                      const tune::Space& space, tune::Durability durability) {
  const tune::SessionHeader header = header_for(request, tuned, space);
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
  return TuneSession(std::move(*session), request.warm);
}

Result<std::vector<tune::Trial>> TuneSession::begin(const TunedRun& run,
                                                    const std::string& strategy,
                                                    std::size_t& ahead) {
  // Times with cold and with warm caches are different runs.
  tune::RunHeader header{.device = run.device + (warm_ ? ", warm caches" : ""),
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
