#include "jobs/input/open_capture.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/timings.h"
#include "capture/ncu/ncu_import.h"

namespace burin::jobs {

bool is_capture_input(const std::string& file) {
  if (capture::is_ncu_report(file)) return true;
  std::ifstream in(file, std::ios::binary);
  std::array<std::uint8_t, 16> begin{};
  in.read(reinterpret_cast<char*>(begin.data()), begin.size());
  return capture::Capture::is_capture(Bytes(begin).first(static_cast<std::size_t>(in.gcount())));
}

Result<capture::Capture> open_capture(const std::string& file) {
  const Timed timed("open capture");
  if (!capture::is_ncu_report(file)) return capture::Capture::open(file);
  // The import lives as long as the capture is open: SQLite keeps the file that has lost its name.
  std::string folder = (std::filesystem::temp_directory_path() / "burin-import-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return Error{folder + ": cannot create a temporary folder there"};
  }
  const std::string path = folder + "/import.burin";
  const Result<void> imported = capture::import_ncu(file, path);
  Result<capture::Capture> capture =
      imported ? capture::Capture::open(path, file) : imported.error();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return capture;
}

}  // namespace burin::jobs
