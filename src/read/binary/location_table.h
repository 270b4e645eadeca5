// Collects the files, function names and locations of an image's line tables without duplicates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "read/binary/debug_line.h"

namespace burin::read {

// Texts are copied. As a damaged table can refer to one long text many times, at most `budget`
// bytes are copied; texts beyond that are replaced by "".
class LocationTable {
 public:
  static constexpr std::int32_t kNone = -1;

  explicit LocationTable(std::uint64_t budget) : budget_(budget) {}

  // Each returns the index of its argument, adding it if it is not in the table yet.
  std::uint32_t file(std::string_view folder, std::string_view name);
  std::uint32_t name(std::string_view mangled);  // the view must stay valid until `finish`
  std::int32_t location(std::uint32_t file, std::uint32_t line);
  // The line as part of function `name`, inlined at location `from`.
  std::int32_t inlined(std::uint32_t file, std::uint32_t line, std::int32_t from,
                       std::uint32_t name);
  // `location` as part of function `name`, inlined at `from`. Returns `location` itself if it is
  // already inlined.
  std::int32_t inlined(std::int32_t location, std::int32_t from, std::uint32_t name);

  // Writes the collected files, locations and demangled names to `table`.
  void finish(LineTable& table) const;

 private:
  struct Key {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    std::int32_t from = kNone;
    std::uint32_t name = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::int32_t number(const Key& key);
  bool afford(std::uint64_t bytes);

  std::uint64_t budget_;
  std::unordered_map<std::string, std::uint32_t> files_;
  std::unordered_map<std::string_view, std::uint32_t> names_;
  std::unordered_map<Key, std::int32_t, Hash> numbers_;
  std::vector<Key> keys_;              // by location index
  std::vector<std::uint32_t> depths_;  // by location index: inlining depth, calls
};

}  // namespace burin::read
