// Any cubin is advice or a refusal in words, within seconds. Every finding has a finite speedup.
#include <cmath>
#include <cstdint>

#include "jobs/advise_launch.h"
#include "launched.h"

using namespace burin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<fuzz::Launched> launched = fuzz::launch_first(Bytes(data, size));
  if (!launched) return 0;
  const fuzz::TimeLimit limit;
  jobs::LaunchAdviceOptions options;
  options.predict.threads = 1;
  options.predict.most_instructions = fuzz::kMaxInstructions;
  jobs::AdviseInput input;
  input.machine = fuzz::fuzz_machine(launched->code->image.arch);
  input.code = std::move(launched->code);
  input.launch = std::move(launched->launch);
  input.grid = input.launch->grid;
  input.block = input.launch->block;
  const Result<std::unique_ptr<jobs::AdvisedLaunch>> advised =
      jobs::advise_on(std::move(input), options, "", {});
  if (!advised) {
    if (advised.error().message.empty()) std::abort();
    return 0;
  }
  for (const advise::Finding& finding : (*advised)->advice.findings) {
    if (!std::isfinite(finding.speedup)) std::abort();
  }
  return 0;
}
