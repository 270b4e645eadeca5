// The results of `burin doctor`, one line each, with a remedy for anything missing:
//
//   ok       nvcc        13.0.88   /usr/local/cuda/bin/nvcc
//   missing  CUPTI                 for record, advise (PC samples)
//            → install the CUDA toolkit (cuda-cupti-13-0), or set CUDA_HOME
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "jobs/check_up.h"
#include "report/write/output.h"

namespace burin::report {

std::string_view name(jobs::Check::State state);  // "ok", "missing", "refused"

void write_checks(Output& out, std::span<const jobs::Check> checks);
void write_checks_json(Output& out, std::span<const jobs::Check> checks, std::string_view version);

}  // namespace burin::report
