#include "serve/shelf.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "capture/capture.h"
#include "tune/session/session.h"

namespace burin::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBegin = 512;

std::int64_t modified_at(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return 0;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

std::optional<ShelfItem::Kind> kind_of(const std::string& path) {
  const std::vector<std::uint8_t> begin = first_bytes(path, kBegin);
  if (begin.size() < capture::Capture::kHeaderBytes) return std::nullopt;
  if (capture::Capture::has_mark(begin)) return ShelfItem::Kind::kCapture;
  if (tune::Session::is_session(begin)) return ShelfItem::Kind::kSession;
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  if (text.starts_with("<!doctype html>")) return ShelfItem::Kind::kReport;
  return std::nullopt;
}

bool holds_memory(const std::string& path) {
  const Result<capture::Capture> capture = capture::Capture::open(path);
  return capture && std::ranges::any_of(capture->launches(), &capture::CapturedLaunch::has_memory);
}

}  // namespace

std::string_view name(ShelfItem::Kind kind) {
  static constexpr std::string_view kNames[] = {"capture", "session", "report"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string ShelfItem::version() const {
  return std::to_string(bytes) + "." + std::to_string(modified_ns);
}

Result<Shelf> Shelf::open(const std::string& path) {
  std::error_code problem;
  const fs::path real = fs::canonical(path, problem);
  if (problem) return Error{path + ": " + problem.message()};
  Shelf shelf(real.string(), fs::is_directory(real, problem));
  if (!shelf.is_folder_ && shelf.items().empty()) {
    return Error{path + ": neither a folder, nor a capture, a tuning session or a report of burin"};
  }
  return shelf;
}

std::optional<ShelfItem> Shelf::item_of(const std::string& path, const std::string& name) const {
  std::error_code problem;
  ShelfItem item{.name = name, .path = path, .bytes = fs::file_size(path, problem)};
  if (problem) return std::nullopt;
  item.modified_ns = std::max(modified_at(path), modified_at(path + "-wal"));
  const std::string key = path + '\n' + item.version();
  const std::lock_guard lock(memory_->mutex);
  auto at = memory_->known.find(key);
  if (at == memory_->known.end()) {
    if (memory_->known.size() > 4 * kMaxItems) memory_->known.clear();
    Known known{.kind = kind_of(path)};
    known.has_memory = known.kind == ShelfItem::Kind::kCapture && holds_memory(path);
    at = memory_->known.emplace(key, known).first;
  }
  if (!at->second.kind) return std::nullopt;
  item.kind = *at->second.kind;
  item.has_memory = at->second.has_memory;
  return item;
}

std::vector<ShelfItem> Shelf::items() const {
  std::vector<ShelfItem> items;
  if (!is_folder_) {
    if (auto item = item_of(path_, fs::path(path_).filename().string())) items.push_back(*item);
    return items;
  }
  std::error_code problem;
  fs::recursive_directory_iterator each(path_, fs::directory_options::skip_permission_denied,
                                        problem);
  for (; !problem && each != fs::recursive_directory_iterator(); each.increment(problem)) {
    const std::string file = each->path().filename().string();
    std::error_code ignored;
    const fs::file_status status = each->symlink_status(ignored);
    if (fs::is_directory(status) && (each.depth() + 1 >= kMaxDepth || file.starts_with('.'))) {
      each.disable_recursion_pending();
    }
    if (!fs::is_regular_file(status) || file.starts_with('.')) continue;
    auto item = item_of(each->path().string(), each->path().lexically_relative(path_).string());
    if (item) items.push_back(std::move(*item));
    if (items.size() >= kMaxItems) break;
  }
  std::ranges::sort(items, [](const ShelfItem& a, const ShelfItem& b) {
    return a.modified_ns != b.modified_ns ? a.modified_ns > b.modified_ns : a.name < b.name;
  });
  return items;
}

std::optional<ShelfItem> Shelf::find(std::string_view name) const {
  for (ShelfItem& item : items()) {
    if (item.name == name) return std::move(item);
  }
  return std::nullopt;
}

}  // namespace burin::serve
