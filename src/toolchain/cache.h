// What was compiled once need not be compiled again: a folder of files named by what they were made
// from. Losing it costs time only, so a folder that cannot be written is no error.
//
//   CompileCache cache(CompileCache::default_folder());
//   if (auto cubin = cache.find(key + ".cubin")) return *cubin;
//   …
//   cache.keep(key + ".cubin", bytes);
//
// Files appear whole, so any number of processes may share the folder.
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

  // An empty `folder` keeps nothing and finds nothing.
  explicit CompileCache(std::string folder, std::uint64_t most_bytes = kMaxBytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  // $XDG_CACHE_HOME/burin, else $HOME/.cache/burin, else "".
  static std::string default_folder();

  // What is found becomes the last to be thrown out.
  std::optional<std::vector<std::uint8_t>> find(const std::string& name) const;

  // Where the folder then holds more than its limit, the files used longest ago go.
  void keep(const std::string& name, Bytes bytes) const;

 private:
  void make_room() const;

  std::string folder_;
  std::uint64_t most_bytes_;
};

}  // namespace burin::toolchain
