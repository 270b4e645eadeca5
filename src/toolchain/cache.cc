#include "toolchain/cache.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file.h"
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
  if (file && file->write(head) && file->write(bytes) && file->finish()) make_room();
}

void CompileCache::make_room() const {
  struct Kept {
    fs::path path;
    std::uint64_t bytes = 0;
    fs::file_time_type used;
  };
  std::vector<Kept> files;
  std::uint64_t total = 0;
  std::error_code none;  // a file that another process throws out meanwhile is no matter
  for (const auto& entry : fs::directory_iterator(folder_, none)) {
    if (!entry.is_regular_file(none)) continue;
    Kept kept{entry.path(), entry.file_size(none), entry.last_write_time(none)};
    if (none) continue;
    total += kept.bytes;
    files.push_back(std::move(kept));
  }
  std::ranges::sort(files, {}, &Kept::used);
  for (const Kept& kept : files) {
    if (total <= most_bytes_) return;
    fs::remove(kept.path, none);
    total -= kept.bytes;
  }
}

}  // namespace burin::toolchain
