// The HTML report of a binary: the code of its kernels, one view each.
#pragma once

#include <string>

#include "app/options/html_option.h"
#include "base/result.h"
#include "jobs/open_images.h"

namespace burin::app {

// Returns an Error if there is no kernel, or more code than a report holds.
Result<void> write_pictures(const PictureOptions& options, const jobs::OpenImages& images,
                            const std::string& file);

}  // namespace burin::app
