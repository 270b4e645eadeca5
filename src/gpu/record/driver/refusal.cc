#include "gpu/record/driver/refusal.h"

#include <algorithm>
#include <iterator>

namespace burin {
namespace {

struct Meaning {
  CuptiStatus status;
  std::uint32_t what;
  const char* cause;
  const char* remedy;
};
constexpr const char* kPermission = "the driver keeps the GPU's counters to the administrator";
constexpr const char* kAllow =
    "Load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0, or record as root or with "
    "CAP_SYS_ADMIN";
constexpr Meaning kMeanings[] = {
    {CuptiError::kInsufficientPrivileges, SpoolProblem::kNoPermission, kPermission, kAllow},
    {CuptiError::kVirtualizedPrivileges, SpoolProblem::kNoPermission,
     "the host of this virtual GPU keeps its counters to itself",
     "Ask whoever runs the host to allow profiling for this machine (vGPU setting "
     "enable_profiling)"},
    {CuptiError::kMultipleSubscribers, SpoolProblem::kOtherProfiler,
     "another profiler is attached to the program", "CUDA allows one at a time: run without it"},
    {CuptiError::kHardwareBusy, SpoolProblem::kOtherProfiler,
     "another profiler (ncu, nsys, DCGM) holds the GPU's counters",
     "End it, or pause it with `dcgmi profile --pause`"},
    {CuptiError::kPartitioned, SpoolProblem::kNotSupported,
     "the GPU is partitioned (MIG), and a part of one is not profiled", "Record on a whole GPU"},
    {CuptiError::kVirtualized, SpoolProblem::kNotSupported, "the GPU is a virtual one",
     "Record on a machine of its own"},
    {CuptiError::kConfidential, SpoolProblem::kNotSupported,
     "the GPU is in confidential mode, which allows no profiling", "Record with the mode off"},
    {CuptiError::kWindowsSubsystem, SpoolProblem::kNotSupported,
     "the Windows subsystem for Linux allows no profiling", "Record under Linux itself"},
};

}  // namespace

SpoolProblem refusal(const Cupti& cupti, CuptiStatus status, const std::string& missing,
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
  return {.what = is_unsupported ? SpoolProblem::kNotSupported : SpoolProblem::kOther,
          .sentence = "CUPTI gives no " + missing + " (" + call + ": " + cupti.words(status) +
                      "); launches and times are complete"};
}

}  // namespace burin
