// Any text after the first lines of a file of counts is read or skipped, line by line. What is read
// is a configuration of the space, with counts that are numbers.
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "base/temporary_folder.h"
#include "jobs/carve/counts_file.h"

using namespace burin;

namespace {

tune::Space small_space() {
  const tune::Parameter block{.name = "block", .values = {std::int64_t{32}, std::int64_t{64}}};
  const tune::Parameter tile{.name = "tile", .values = {std::int64_t{1}, std::int64_t{2}}};
  return tune::Space::of_points({block, tile}, {{0, 0}, {0, 1}, {1, 0}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tune::Space space = small_space();
  static const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return 0;
  const std::string path = folder->path() + "/counts.csv";
  const formula::Names problem = {{"n", std::int64_t{1024}}};
  ::unlink(path.c_str());
  if (!jobs::CountsFile::open(path, "h200", problem, space)) std::abort();
  std::ofstream(path, std::ios::app)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const Result<jobs::CountsFile> file = jobs::CountsFile::open(path, "h200", problem, space);
  if (!file) std::abort();
  for (const auto& [point, counted] : file->known()) {
    if (!space.contains(point) || counted.point != point) std::abort();
    if (counted.ok() && counted.launches.empty()) std::abort();
    for (const model::LaunchCounts& counts : counted.launches) {
      for (const model::CountField& field : model::count_fields()) {
        if (!std::isfinite(counts.*field.value)) std::abort();
      }
    }
  }
  return 0;
}
