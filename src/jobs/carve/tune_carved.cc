#include "jobs/carve/tune_carved.h"

#include "base/format.h"
#include "base/text.h"
#include "jobs/carve/carve_space.h"
#include "jobs/tune/device.h"
#include "jobs/tune/ranks.h"

namespace burin::jobs {
namespace {

Result<void> check_carved(const TuneRequest& request) {
  if (!request.input.ends_with(".toml") && !request.input.ends_with(".json")) {
    return Error{"--carve: only the configurations of a spec are carved", Exit::kUsage};
  }
  if (request.device.starts_with(kReplayDevice)) {
    return Error{
        "--carve: recorded times are judged by burin carve SPEC --run --device replay:FILE",
        Exit::kUsage};
  }
  if (is_one_of_many()) return Error{"--carve: not under mpirun", Exit::kUsage};
  return {};
}

}  // namespace

Result<TunedKernel> tune_carved(const TuneRequest& request, const TuneEvents& events) {
  if (Result<void> fine = check_carved(request); !fine) return fine.error();
  CarveRequest carving;
  carving.input = request.input;
  carving.sizes = request.sizes;
  carving.seed = request.seed;
  carving.compiler = request.compiler;
  carving.compilers = request.compilers;
  carving.interrupted = request.interrupted;
  carving.burin = request.burin;
  if (request.device.starts_with(kEmulatorDevice)) {
    carving.machine = request.device.substr(kEmulatorDevice.size());
  }
  const Result<CarvedSpace> carved = carve_space(carving, events.progress);
  if (!carved) return carved.error();

  TuneRequest among = request;
  std::vector<std::string> notes;
  for (const CarvedSize& size : carved->sizes) {
    std::vector<tune::Point>& points = among.only.emplace_back();
    for (const std::size_t kept : size.carving().kept) points.push_back(size.counted[kept].point);
    const std::string problem = size.size.empty() ? "" : " for " + tune::describe(size.size);
    notes.push_back(fmt::format("carving kept {} of {}{}", points.size(),
                                count_of(size.space.size(), "configuration"), problem));
  }
  Result<TunedKernel> tuned = tune_kernel(among, events);
  if (tuned) tuned->notes.insert(tuned->notes.begin(), notes.begin(), notes.end());
  return tuned;
}

}  // namespace burin::jobs
