// The HTML report and the trace of one launch, from what predict, explain and advise made.
#pragma once

#include <string>

#include "app/options/html_option.h"
#include "base/result.h"
#include "jobs/advise_launch.h"
#include "jobs/explain_launch.h"
#include "jobs/predict_launch.h"

namespace burin::app {

Result<void> write_pictures(const PictureOptions& options, const jobs::PredictedLaunch& predicted,
                            const std::string& file);
Result<void> write_pictures(const PictureOptions& options, const jobs::ExplainedLaunch& explained,
                            const std::string& file);
// One view for each launch.
Result<void> write_pictures(const PictureOptions& options,
                            const std::vector<std::unique_ptr<jobs::AdvisedLaunch>>& advised,
                            const std::string& file);

}  // namespace burin::app
