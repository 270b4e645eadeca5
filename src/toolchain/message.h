// What passes between burin and its compiler processes, and what the cache keeps: texts, each after
// its length, so that any byte may be in them.
//
//   pack({.source = "a.cu", …}) == "4:a.cu,1:0,…"
//
// Nothing here is for another version of burin: both ends are one executable, and the names of
// cache files depend on kMessageVersion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "toolchain/cache.h"
#include "toolchain/compile.h"

namespace burin::toolchain {

inline constexpr int kMessageVersion = 1;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Packer {
 public:
  void add(std::string_view text);
  void add(Bytes bytes);
  void add_number(std::uint64_t number);
  void add_list(const std::vector<std::string>& list);

  std::string take() { return std::move(packed_); }

 private:
  std::string packed_;
};

// Reads in the order in which a Packer added. After the first thing that is not there, ok() is
// false and all that is read is empty.
class Unpacker {
 public:
  explicit Unpacker(std::string_view packed) : rest_(packed) {}

  std::string_view text();
  std::uint64_t number();
  std::vector<std::string> list();
  std::vector<std::uint8_t> bytes();

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// A request with the cache that it uses.
struct CompileOrder {
  CompileRequest request;
  std::string cache_folder{};
  std::uint64_t cache_bytes = CompileCache::kMaxBytes;
};

std::string pack(const CompileOrder& order);
std::optional<CompileOrder> unpack_order(std::string_view packed);

std::string pack(const CompileResult& result);
std::optional<CompileResult> unpack_result(std::string_view packed);

// A frame is the length of a message in decimal digits, a newline, and the message.
std::string framed(std::string_view message);
// The length in a frame's first line; nullopt if it is none, or is above 1 GiB.
std::optional<std::size_t> frame_length(std::string_view line);

}  // namespace burin::toolchain
