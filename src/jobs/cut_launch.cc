#include "jobs/cut_launch.h"

#include <filesystem>

#include "capture/rebuilt_launch.h"
#include "jobs/input/open_capture.h"
#include "jobs/input/output_file.h"
#include "read/binary/demangle.h"

namespace burin::jobs {

Result<CutLaunch> cut_launch(const CutRequest& request) {
  const capture::CaptureName name = capture::parse_capture_name(request.from);
  if (Result<void> fine = check_output({"--output", request.to, FileContent::kCapture},
                                       {name.file, request.from}, request.force);
      !fine) {
    return fine.error();
  }
  const Result<capture::Capture> capture = open_capture(name.file);
  if (!capture) return capture.error();
  const Result<const capture::CapturedLaunch*> found = capture::find_launch(*capture, name.launch);
  if (!found) return found.error();
  const capture::CapturedLaunch& launch = **found;
  if (Result<void> done = capture::cut_capture(*capture, launch, request.options, request.to);
      !done) {
    return done.error();
  }
  return CutLaunch{.launch = launch.id,
                   .capture = capture->path(),
                   .kernel = read::demangle(capture->kernel(launch.kernel).name),
                   .memory = launch.has_memory && !request.options.strip_memory,
                   .bytes = std::filesystem::file_size(request.to)};
}

}  // namespace burin::jobs
