#include "gpu/record/driver/refusal.h"

#include <algorithm>
#include <iterator>

namespace burin::gpu {
namespace {

struct Meaning {
  CuptiStatus status;
  std::uint32_t what;
  const char* cause;
  const char* remedy;
};
constexpr const char* kPermission = "the driver restricts GPU counters to the administrator";
constexpr const char* kAllow =
    "Load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0, or record as root or with "
    "CAP_SYS_ADMIN";
constexpr Meaning kMeanings[] = {
    {CuptiError::kInsufficientPrivileges, capture::SpoolProblem::kNoPermission, kPermission,
     kAllow},
    {CuptiError::kVirtualizedPrivileges, capture::SpoolProblem::kNoPermission,
     "the host of this virtual GPU does not allow access to its counters",
     "Ask the host administrator to allow profiling for this VM (vGPU setting enable_profiling)"},
    {CuptiError::kMultipleSubscribers, capture::SpoolProblem::kOtherProfiler,
     "another profiler is attached to the program", "CUDA allows only one: run without it"},
    {CuptiError::kHardwareBusy, capture::SpoolProblem::kOtherProfiler,
     "another profiler (ncu, nsys, DCGM) is using the GPU's counters",
     "Stop it, or pause it with `dcgmi profile --pause`"},
    {CuptiError::kPartitioned, capture::SpoolProblem::kNotSupported,
     "the GPU is partitioned (MIG), which does not support profiling", "Record on a whole GPU"},
    {CuptiError::kVirtualized, capture::SpoolProblem::kNotSupported, "the GPU is a virtual one",
     "Record on a physical machine"},
    {CuptiError::kConfidential, capture::SpoolProblem::kNotSupported,
     "the GPU is in confidential mode, which does not allow profiling", "Record with the mode off"},
    {CuptiError::kWindowsSubsystem, capture::SpoolProblem::kNotSupported,
     "the Windows Subsystem for Linux does not allow profiling", "Record on native Linux"},
};

}  // namespace

capture::SpoolProblem refusal(const Cupti& cupti, CuptiStatus status, const std::string& missing,
                              const char* call) {
  const auto* meaning = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                     [&](const Meaning& m) { return m.status == status; });
  if (meaning != std::end(kMeanings)) {
    return {.what = meaning->what,
            .sentence = std::string(meaning->cause) + ", so there are no " + missing +
                        "; launches and times are complete. " + meaning->remedy};
  }
  const bool is_unsupported =
      status == CuptiError::kNotSupported || status == CuptiError::kLegacyProfiler ||
      (status > CuptiError::kConfidential && status < CuptiError::kWindowsSubsystem);
  return {
      .what = is_unsupported ? capture::SpoolProblem::kNotSupported : capture::SpoolProblem::kOther,
      .sentence = "CUPTI provides no " + missing + " (" + call + ": " + cupti.words(status) +
                  "); launches and times are complete"};
}

}  // namespace burin::gpu
