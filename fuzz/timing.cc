// Any cubin is a prediction or a refusal in words, within seconds: what executes is bounded, and
// the timing model ends for every trace. No time is below 0 or without end.
#include <cmath>
#include <cstdint>

#include "launched.h"
#include "timing/predict.h"

using namespace burin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<fuzz::Launched> launched = fuzz::launch_first(Bytes(data, size));
  if (!launched) return 0;
  const fuzz::TimeLimit limit;
  const Result<timing::Prediction> p = timing::predict(
      launched->code->kernel, launched->launch, fuzz::fuzz_machine(launched->code->image.arch),
      {.threads = 1, .most_instructions = fuzz::kMaxInstructions});
  if (!p) {
    if (p.error().message.empty()) std::abort();
    return 0;
  }
  if (!std::isfinite(p->time_us) || p->time_us <= 0) std::abort();
  return 0;
}
