#include "runtime/hooks/unpack_image.h"

#include <dlfcn.h>

#include <cstddef>

namespace burin::runtime {
namespace {

// Reads LZ4's lengths: a nibble, and while that or the byte after it is full, one byte more.
class Lz4Input {
 public:
  explicit Lz4Input(Bytes bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  bool has(std::uint64_t count) const { return count <= bytes_.size() - at_; }
  std::uint8_t byte() { return bytes_[at_++]; }
  Bytes take(std::uint64_t count) {
    const Bytes taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }
  bool length(std::uint64_t& count) {
    if (count != 15) return true;
    for (std::uint8_t more = 255; more == 255;) {
      if (at_end()) return false;
      more = byte();
      count += more;
    }
    return true;
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

struct Zstd {
  std::size_t (*decompress)(void* to, std::size_t capacity, const void* from,
                            std::size_t bytes) = nullptr;
  unsigned (*is_error)(std::size_t code) = nullptr;
};

const Zstd& zstd() {
  static const Zstd functions = [] {
    Zstd found;
    void* const library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return found;
    found.decompress =
        reinterpret_cast<decltype(found.decompress)>(dlsym(library, "ZSTD_decompress"));
    found.is_error = reinterpret_cast<decltype(found.is_error)>(dlsym(library, "ZSTD_isError"));
    if (found.is_error == nullptr) found.decompress = nullptr;
    return found;
  }();
  return functions;
}

}  // namespace

bool unpack_lz4(Bytes packed, std::uint64_t raw_bytes, std::vector<std::uint8_t>& raw) {
  constexpr std::uint64_t kMaxExpansion = 255;  // of the format itself
  if (raw_bytes > kMaxUnpackedBytes || raw_bytes > packed.size() * kMaxExpansion) return false;
  raw.clear();
  raw.reserve(raw_bytes);
  Lz4Input in(packed);
  while (!in.at_end()) {
    const std::uint8_t token = in.byte();
    std::uint64_t literals = token >> 4;
    if (!in.length(literals) || !in.has(literals) || literals > raw_bytes - raw.size())
      return false;
    const Bytes copied = in.take(literals);
    raw.insert(raw.end(), copied.begin(), copied.end());
    if (in.at_end()) break;  // the last sequence has literals alone
    if (!in.has(2)) return false;
    const std::size_t low = in.byte();
    const std::size_t back = low | static_cast<std::size_t>(in.byte()) << 8;
    std::uint64_t match = token & 15;
    if (!in.length(match)) return false;
    match += 4;
    if (back == 0 || back > raw.size() || match > raw_bytes - raw.size()) return false;
    // It may overlap what it writes.
    for (std::uint64_t i = 0; i < match; ++i) raw.push_back(raw[raw.size() - back]);
  }
  return raw.size() == raw_bytes;
}

bool unpack_zstd(Bytes packed, std::uint64_t raw_bytes, std::vector<std::uint8_t>& raw) {
  if (raw_bytes > kMaxUnpackedBytes || zstd().decompress == nullptr) return false;
  raw.resize(raw_bytes);
  const std::size_t written =
      zstd().decompress(raw.data(), raw.size(), packed.data(), packed.size());
  return zstd().is_error(written) == 0 && written == raw_bytes;
}

}  // namespace burin::runtime
