// The HTML report of a binary: the code of its kernels, one view each.
#pragma once

#include <string>

#include "app/html_option.h"
#include "base/result.h"
#include "jobs/open_images.h"

namespace burin::app {

// Code of one report, in instructions: about 20 MB.
inline constexpr std::size_t kMaxReportInstructions = 200'000;

// Returns an Error if there is no kernel, or more code than a report holds.
Result<void> write_pictures(const PictureOptions& options, const jobs::OpenImages& images,
                            const std::string& file);

}  // namespace burin::app
