#include "runtime/launch/program_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/hash.h"

namespace burin::runtime {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;

void load_file(const std::string& path, ProgramFiles& loaded) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    loaded.problems.push_back(file.error().message);
    return;
  }
  const Bytes bytes = file->bytes();
  if (bytes.size() > kMaxFileBytes) {
    loaded.problems.push_back(path + ": larger than 16 MiB, not a rational program");
    return;
  }
  Result<formula::RationalProgram> program = formula::parse_rational_program(
      std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  if (!program) {
    loaded.problems.push_back(program.error().within(path).message);
    return;
  }
  loaded.files.push_back({path, fnv1a(bytes), std::move(*program)});
}

void load_folder(const std::string& path, ProgramFiles& loaded) {
  std::error_code failure;
  std::vector<std::string> found;
  for (std::filesystem::directory_iterator entry(path, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->path().extension() == ".rp") found.push_back(entry->path().string());
  }
  if (failure) loaded.problems.push_back(path + ": " + failure.message());
  std::sort(found.begin(), found.end());
  for (const std::string& file : found) load_file(file, loaded);
}

}  // namespace

ProgramFiles load_program_files(std::span<const std::string> path) {
  ProgramFiles loaded;
  for (const std::string& place : path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(place, ignored)) {
      load_folder(place, loaded);
    } else {
      load_file(place, loaded);
    }
  }
  return loaded;
}

}  // namespace burin::runtime
