// Tunes the block shape of a kernel for an H200 from C++, without a GPU: what
//   burin tune vector_add.sm_90.cubin --grid 1024 --block 256 --arg … --device emulator:h200
// does. Links with burin_jobs; docs/tune.md explains the fields.
#include <cstdio>

#include "jobs/tune/tune_kernel.h"

using namespace burin;

int main(int count, char** words) {
  jobs::TuneRequest request;
  request.launch.source.file = count > 1 ? words[1] : "examples/vector_add.sm_90.cubin";
  request.launch.grid = "1024";
  request.launch.block = "256";
  request.launch.arguments = {"buf:1M:f32", "buf:1M:f32", "buf:1M:f32", "i32:262144"};
  request.device = "emulator:h200";  // or cuda:0
  request.budget = 20;

  jobs::TuneEvents events;
  events.on_trial = [](const jobs::TunedRun&, const tune::TuneProgress& now) {
    std::fprintf(stderr, "trial %zu: %.2f µs\n", now.trials, now.last->time_us);
  };
  const Result<jobs::TunedKernel> tuned = jobs::tune_kernel(request, events);
  if (!tuned) {
    std::fprintf(stderr, "%s\n", tuned.error().message.c_str());
    return static_cast<int>(tuned.error().exit);
  }
  const jobs::TunedRun& run = tuned->runs.front();
  if (run.best() == nullptr) return 1;
  for (std::size_t i = 0; i < run.space.dimensions(); ++i) {
    const formula::Value& value = run.space.value(run.best()->point, i);
    std::printf("%s=%s ", run.space.parameters()[i].name.c_str(),
                formula::to_string(value).c_str());
  }
  std::printf("on %s: %.2f µs\n", run.device.c_str(), run.best_time_us());
}
