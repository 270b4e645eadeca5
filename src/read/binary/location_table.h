// The files, function names and locations of an image's line tables, each kept once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "read/binary/debug_line.h"

namespace burin::read {

// Texts are copied, and a damaged table can name one long text very often: past `budget` bytes they
// read as "".
class LocationTable {
 public:
  static constexpr std::int32_t kNone = -1;

  explicit LocationTable(std::uint64_t budget) : budget_(budget) {}

  // Each gives the number of what it is told, a new one where it was not told before.
  std::uint32_t file(std::string_view folder, std::string_view name);
  std::uint32_t name(std::string_view mangled);  // a view that must last until `finish`
  std::int32_t location(std::uint32_t file, std::uint32_t line);
  // The same line as a part of function `name`, inlined at location `from`.
  std::int32_t inlined(std::uint32_t file, std::uint32_t line, std::int32_t from,
                       std::uint32_t name);
  // `location` as a part of function `name`, inlined at `from`; itself where it is inlined already.
  std::int32_t inlined(std::int32_t location, std::int32_t from, std::uint32_t name);

  // Hands everything over, names demangled.
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
  std::vector<Key> keys_;              // by number
  std::vector<std::uint32_t> depths_;  // by number: how many calls deep
};

}  // namespace burin::read
