#include "jobs/cut_launch.h"

#include <filesystem>

#include "capture/rebuilt_launch.h"
#include "jobs/input/open_capture.h"
#include "read/binary/demangle.h"

namespace burin {

Result<CutLaunch> cut_launch(const CutRequest& request) {
  const CaptureName name = parse_capture_name(request.from);
  const Result<Capture> capture = open_capture(name.file);
  if (!capture) return capture.error();
  const Result<const CapturedLaunch*> found = find_launch(*capture, name.launch);
  if (!found) return found.error();
  const CapturedLaunch& launch = **found;
  if (Result<void> done = cut_capture(*capture, launch, request.options, request.to); !done) {
    return done.error();
  }
  return CutLaunch{.launch = launch.id,
                   .capture = capture->path(),
                   .kernel = demangle(capture->kernel(launch.kernel).name),
                   .memory = launch.has_memory && !request.options.strip_memory,
                   .bytes = std::filesystem::file_size(request.to)};
}

}  // namespace burin
