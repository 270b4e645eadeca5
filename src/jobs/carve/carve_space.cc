#include "jobs/carve/carve_space.h"

#include <algorithm>
#include <chrono>

#include "base/format.h"
#include "jobs/carve/collect.h"
#include "jobs/tune/device.h"
#include "jobs/tune/spec_compiler.h"
#include "jobs/tune/target.h"
#include "machine/load.h"

namespace burin::jobs {

Result<CarvedSpace> carve_space(const CarveRequest& request, const Progress& progress) {
  const Result<machine::Machine> machine = machine::load_machine(request.machine);
  if (!machine) return machine.error().within("--machine");
  TuneRequest tune{.input = request.input,
                   .device = "emulator:" + request.machine,
                   .sizes = request.sizes,
                   .compiler = request.compiler,
                   .compilers = request.compilers,
                   .burin = request.burin};
  TunedKernel tuned;
  const auto target = make_target(tune, tuned, progress);
  if (!target) return target.error();
  CarvedSpace carved;
  carved.machine = machine->name;
  SpecCompiler compiler(
      tuned.spec,
      {.build = {.language = tune::Language::kCuda,
                 .arch = read::to_string(machine->arch),
                 .compiler = compiler_of(tune),
                 .max_shared_bytes = static_cast<std::uint64_t>(machine->limit.shared_per_block)},
       .burin = path_of_burin(tune),
       .processes = request.compilers});
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t size = 0; size < tuned.spec.sizes.size(); ++size) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    std::optional<double> left;
    if (request.max_seconds) left = std::max(0.0, *request.max_seconds - spent.count());
    const Result<tune::Builder*> builder = compiler.begin(size);
    if (!builder) return builder.error();
    CarvedSize of{.size = tuned.spec.sizes[size], .space = compiler.space()};
    Result<MetricsFile> file = MetricsFile::open(request.metrics, machine->name, of.size, of.space);
    if (!file) return file.error();
    std::vector<tune::Point> points;
    for (std::uint64_t i = 0; i < of.space.size(); ++i) points.push_back(of.space.at(i));
    const CountJob job{.points = points,
                       .machine = *machine,
                       .options = {.trips = request.trips},
                       .predict = request.predict,
                       .ahead = compiler.width(),
                       .threads = request.compilers,
                       .max_seconds = left,
                       .interrupted = request.interrupted};
    Result<std::vector<model::Counted>> counted = collect_counts(**builder, job, *file, progress);
    if (!counted) return counted.error();
    of.counted = std::move(*counted);
    carved.sizes.push_back(std::move(of));
  }
  carved.spec = std::move(tuned.spec);
  return carved;
}

}  // namespace burin::jobs
