// A compilation by NVRTC: what it depends on, and running it.
//
//   Result<NvrtcPlan> plan = plan_nvrtc(request, "sm_90");
//   if (!plan) …   // no NVRTC, or flags that it may not understand
//   plan->job.text = …;
//   TimedResult<NvrtcAnswer> answer = run_nvrtc(*plan, NvrtcPlace::kFork, request);
#pragma once

#include <string>

#include "base/result.h"
#include "toolchain/compile.h"
#include "toolchain/compilers.h"
#include "toolchain/nvrtc.h"

namespace burin::toolchain {

struct NvrtcPlan {
  std::string library;     // path of NVRTC
  NvrtcJob job;            // without the source's text
  std::string source_key;  // digest of the source with its headers, whatever the options
  std::string key;         // digest of all inputs; "": not all headers are known
};

Result<NvrtcPlan> plan_nvrtc(const CompileRequest& request, const std::string& arch);

// An Error if the time limit is exceeded, which only NvrtcPlace::kFork has. A crash there is an
// answer that is not ok.
TimedResult<NvrtcAnswer> run_nvrtc(const NvrtcPlan& plan, NvrtcPlace place,
                                   const CompileRequest& request);

}  // namespace burin::toolchain
