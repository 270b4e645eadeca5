#include "base/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace burin {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "burin-tmp-";

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Removes the folders of this user that no living process holds.
void remove_abandoned(const std::string& in) {
  std::error_code ignored;  // another process may clean up at the same time
  for (const auto& entry : fs::directory_iterator(in, ignored)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const int folder = open_folder(entry.path());
    if (folder < 0) continue;
    struct stat status{};
    if (::fstat(folder, &status) == 0 && status.st_uid == ::geteuid() &&
        ::flock(folder, LOCK_EX | LOCK_NB) == 0) {
      fs::remove_all(entry.path(), ignored);
    }
    ::close(folder);
  }
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make() {
  const char* chosen = std::getenv("TMPDIR");
  const std::string in = chosen == nullptr || *chosen == 0 ? "/tmp" : chosen;
  remove_abandoned(in);
  for (;;) {
    std::string path = in + "/" + std::string(kPrefix) + "XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      return Error{"cannot create a folder in " + in + ": " + std::strerror(errno) +
                   "; set TMPDIR to a writable folder"};
    }
    const int lock = open_folder(path);
    // On a file system without locks nobody gets one, so nobody removes the folder either.
    if (lock >= 0) ::flock(lock, LOCK_EX);
    TemporaryFolder made(path, lock);
    // Another process may have removed the folder before it was locked; then a new one is made.
    if (fs::exists(path)) return made;
  }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;  // what cannot be removed is the system's to clear
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace burin
