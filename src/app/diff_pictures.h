// The HTML report of a difference: the difference itself, and the code of both sides of each kernel
// that changed, so that their lines and instructions can be shown side by side.
#pragma once

#include "app/options/html_option.h"
#include "base/result.h"
#include "jobs/compare_builds.h"

namespace burin::app {

Result<void> write_pictures(const PictureOptions& options, const jobs::DiffRequest& request,
                            jobs::DiffResult& result);

}  // namespace burin::app
