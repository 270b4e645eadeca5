#include "jobs/input/open_capture.h"

#include <cstdint>
#include <vector>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/timings.h"
#include "capture/ncu/ncu_import.h"

namespace burin::jobs {

bool is_capture_input(const std::string& file) {
  if (capture::is_ncu_report(file)) return true;
  // A capture of which nothing is left but its name is still called one.
  const std::vector<std::uint8_t> begin = first_bytes(file, capture::Capture::kHeaderBytes);
  return capture::Capture::is_capture(begin) || (file.ends_with(".burin") && !begin.empty());
}

Result<capture::Capture> open_capture(const std::string& file) {
  const Timed timed("open capture");
  if (!is_capture_input(file)) {
    const Result<MappedFile> opened = MappedFile::open(file);
    return opened ? Error{file + ": is not a capture; `burin record` makes captures"}
                  : opened.error();
  }
  if (!capture::is_ncu_report(file)) return capture::Capture::open(file);
  // The import lives as long as the capture is open: SQLite keeps the file that has lost its name.
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const std::string path = folder->path() + "/import.burin";
  if (Result<void> imported = capture::import_ncu(file, path); !imported) return imported.error();
  return capture::Capture::open(path, file);
}

}  // namespace burin::jobs
