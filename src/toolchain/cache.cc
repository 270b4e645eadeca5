#include "toolchain/cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/format.h"
#include "base/new_file.h"
#include "base/sha256.h"

namespace burin::toolchain {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kDigestBytes = 64;

// A file of the cache is the digest of its contents, then the contents. nullopt: it is damaged.
std::optional<Bytes> contents_of(Bytes file) {
  if (file.size() < kDigestBytes) return std::nullopt;
  const std::string digest(file.begin(), file.begin() + kDigestBytes);
  const Bytes contents = file.subspan(kDigestBytes);
  return sha256_hex(contents) == digest ? std::optional(contents) : std::nullopt;
}

constexpr const char* kTotalName = "total-bytes";
constexpr std::size_t kTotalDigits = 20;

// The file with the folder's total, locked against other processes and threads until it goes.
class LockedTotal {
 public:
  explicit LockedTotal(const std::string& folder)
      : file_(::open((folder + "/" + kTotalName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                     0644)) {
    // Where the file system has no locks, the total is merely less exact.
    if (file_ >= 0) ::flock(file_, LOCK_EX);
  }
  ~LockedTotal() {
    if (file_ >= 0) ::close(file_);
  }
  LockedTotal(const LockedTotal&) = delete;
  LockedTotal& operator=(const LockedTotal&) = delete;

  // nullopt: the file is new or damaged.
  std::optional<std::uint64_t> read() const {
    char text[kTotalDigits + 2];
    if (::pread(file_, text, sizeof text, 0) != kTotalDigits + 1) return std::nullopt;
    std::uint64_t total = 0;
    const auto [end, failed] = std::from_chars(text, text + kTotalDigits, total);
    if (failed != std::errc() || end != text + kTotalDigits || *end != '\n') return std::nullopt;
    return total;
  }
  void write(std::uint64_t total) const {
    const std::string text = fmt::format("{:0{}}\n", total, kTotalDigits);
    const bool written = ::pwrite(file_, text.data(), text.size(), 0) == kTotalDigits + 1 &&
                         ::ftruncate(file_, kTotalDigits + 1) == 0;
    if (!written) static_cast<void>(::ftruncate(file_, 0) == 0);  // read as damaged, then counted
  }

 private:
  int file_;
};

struct KeptFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

std::atomic<std::uint64_t> scans = 0;

std::vector<KeptFile> scan(const std::string& folder) {
  ++scans;
  std::vector<KeptFile> files;
  std::error_code none;  // a file that another process deletes meanwhile does not count
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (!entry.is_regular_file(none) || entry.path().filename() == kTotalName) continue;
    KeptFile kept{entry.path(), entry.file_size(none), entry.last_write_time(none)};
    if (!none) files.push_back(std::move(kept));
    none.clear();
  }
  return files;
}

std::uint64_t size_of(const std::vector<KeptFile>& files) {
  std::uint64_t total = 0;
  for (const KeptFile& kept : files) total += kept.bytes;
  return total;
}

}  // namespace

std::string CompileCache::default_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/burin";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/burin";
  return "";
}

std::optional<std::vector<std::uint8_t>> CompileCache::find(const std::string& name) const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = folder_ + "/" + name;
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return std::nullopt;
  const std::optional<Bytes> contents = contents_of(file->bytes());
  if (!contents) return std::nullopt;
  std::error_code none;
  fs::last_write_time(path, fs::file_time_type::clock::now(), none);
  return std::vector<std::uint8_t>(contents->begin(), contents->end());
}

void CompileCache::keep(const std::string& name, Bytes bytes) const {
  if (folder_.empty() || bytes.size() > most_bytes_) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) return;
  const std::string digest = sha256_hex(bytes);
  const Bytes head(reinterpret_cast<const std::uint8_t*>(digest.data()), digest.size());
  Result<NewFile> file = NewFile::create(folder_ + "/" + name);
  if (!file || !file->write(head) || !file->write(bytes) || !file->finish()) return;
  if (add_to_total(head.size() + bytes.size())) make_room();
}

// True if the folder is now larger than it may be.
bool CompileCache::add_to_total(std::uint64_t bytes) const {
  const LockedTotal locked(folder_);
  const std::optional<std::uint64_t> before = locked.read();
  // A file that replaces another one is counted twice until the next scan.
  const std::uint64_t total = before ? *before + bytes : size_of(scan(folder_));
  locked.write(total);
  return total > most_bytes_;
}

void CompileCache::make_room() const {
  const LockedTotal locked(folder_);
  // Another process may have made room while this one waited for the lock.
  if (const auto total = locked.read(); total && *total <= most_bytes_) return;
  std::vector<KeptFile> files = scan(folder_);
  std::uint64_t total = size_of(files);
  std::ranges::sort(files, {}, &KeptFile::used);
  // Some room to spare, so that the folder is not read again for every file. The newest file stays.
  const std::uint64_t enough = most_bytes_ - most_bytes_ / 8;
  std::error_code none;
  for (std::size_t i = 0; i + 1 < files.size() && total > enough; ++i) {
    fs::remove(files[i].path, none);
    total -= files[i].bytes;
  }
  locked.write(total);
}

std::uint64_t CompileCache::folder_scans() {
  return scans;
}

}  // namespace burin::toolchain
