// A cache of compilation results: a folder of files whose names are digests of their inputs. Losing
// the cache only costs time, so a folder that cannot be written is not an error.
//
//   CompileCache cache(CompileCache::default_folder());
//   if (auto cubin = cache.find(key + ".cubin")) return *cubin;
//   …
//   cache.keep(key + ".cubin", bytes);
//
// Files are written atomically, so any number of processes may share the folder. Each starts with
// the digest of its contents: a damaged file is not found, and so made again.
//
// The folder's size is kept in its file "total-bytes", which every process adds to under a lock.
// The folder itself is read only when that file is missing or the limit is exceeded; then files are
// deleted down to 7/8 of the limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace burin::toolchain {

class CompileCache {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

  // With an empty `folder` the cache stores nothing and finds nothing.
  explicit CompileCache(std::string folder, std::uint64_t most_bytes = kMaxBytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  // $XDG_CACHE_HOME/burin, or $HOME/.cache/burin, or "" if neither variable is set.
  static std::string default_folder();

  // The contents of an undamaged file, or nullopt. Marks the file as most recently used.
  std::optional<std::vector<std::uint8_t>> find(const std::string& name) const;

  // Stores a file. If the folder then exceeds its size limit, the least recently used files are
  // deleted.
  void keep(const std::string& name, Bytes bytes) const;

  const std::string& folder() const { return folder_; }
  std::uint64_t most_bytes() const { return most_bytes_; }
  // How often this process has read the whole folder, for tests.
  static std::uint64_t folder_scans();

 private:
  bool add_to_total(std::uint64_t bytes) const;
  void make_room() const;

  std::string folder_;
  std::uint64_t most_bytes_;
};

}  // namespace burin::toolchain
