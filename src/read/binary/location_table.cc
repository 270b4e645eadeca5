#include "read/binary/location_table.h"

#include <memory>
#include <utility>

#include "base/hash.h"
#include "read/binary/demangle.h"

namespace burin::read {
namespace {
constexpr std::uint32_t kDeepest = 256;  // deeper chains are cut: readers walk them
}  // namespace

std::uint32_t LocationTable::file(std::string_view folder, std::string_view name) {
  std::string path;
  if (!folder.empty() && !name.starts_with('/') && afford(folder.size() + 1)) {
    path = folder;
    path += '/';
  }
  if (afford(name.size())) path += name;
  const auto fresh = static_cast<std::uint32_t>(files_.size());
  return files_.try_emplace(std::move(path), fresh).first->second;
}

std::uint32_t LocationTable::name(std::string_view mangled) {
  if (const auto known = names_.find(mangled); known != names_.end()) return known->second;
  if (!afford(mangled.size())) mangled = {};
  const auto fresh = static_cast<std::uint32_t>(names_.size());
  return names_.try_emplace(mangled, fresh).first->second;
}

std::int32_t LocationTable::location(std::uint32_t file, std::uint32_t line) {
  return number({file, line, kNone, 0});
}

std::int32_t LocationTable::inlined(std::uint32_t file, std::uint32_t line, std::int32_t from,
                                    std::uint32_t name) {
  if (from < 0 || depths_[static_cast<std::size_t>(from)] >= kDeepest) return location(file, line);
  return number({file, line, from, name});
}

std::int32_t LocationTable::inlined(std::int32_t location, std::int32_t from, std::uint32_t name) {
  if (location < 0) return location;
  const Key key = keys_[static_cast<std::size_t>(location)];
  return key.from >= 0 ? location : inlined(key.file, key.line, from, name);
}

void LocationTable::finish(LineTable& table) const {
  table.files.resize(files_.size());
  for (const auto& [path, at] : files_) table.files[at] = path;
  auto names = std::make_shared<std::vector<std::string>>(names_.size());
  for (const auto& [mangled, at] : names_) (*names)[at] = demangle(mangled);
  table.locations.reserve(keys_.size());
  for (const Key& key : keys_) {
    Location location{key.file, key.line, key.from, {}};
    if (key.from >= 0) location.function = (*names)[key.name];
    table.locations.push_back(location);
  }
  table.names = std::move(names);
}

std::size_t LocationTable::Hash::operator()(const Key& key) const {
  const std::uint64_t line = std::uint64_t{key.file} << 32 | key.line;
  const std::uint64_t call = std::uint64_t{key.name} << 32 | static_cast<std::uint32_t>(key.from);
  return static_cast<std::size_t>(hash_combine(hash_combine(0, line), call));
}

std::int32_t LocationTable::number(const Key& key) {
  const auto [at, fresh] = numbers_.try_emplace(key, static_cast<std::int32_t>(keys_.size()));
  if (fresh) {
    keys_.push_back(key);
    depths_.push_back(key.from < 0 ? 0 : depths_[static_cast<std::size_t>(key.from)] + 1);
  }
  return at->second;
}

bool LocationTable::afford(std::uint64_t bytes) {
  if (bytes > budget_) return false;
  budget_ -= bytes;
  return true;
}

}  // namespace burin::read
