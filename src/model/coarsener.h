// Coarsening as an axis of tuning: applies the tunables coarsen_thread_x and so on to the compiled
// code of a configuration.
#pragma once

#include <string>

#include "base/result.h"
#include "tune/code_change.h"

namespace burin::model {

class Coarsener : public tune::CodeChanger {
 public:
  Result<std::string> change_ptx(std::string ptx, const std::string& kernel,
                                 tune::Configuration& configuration) const override;
  Result<std::string> change_opencl(const std::string& source, const std::string& options,
                                    tune::Configuration& configuration) const override;
};

}  // namespace burin::model
