// What is served: the captures, tuning sessions and reports in a folder, or one of them. Files are
// found by listing the folder, never by a path that a request names, so that nothing else can be
// reached. Symbolic links and hidden files are left out.
//
//   Result<Shelf> shelf = Shelf::open("results");
//   for (const ShelfItem& item : shelf->items()) item.name, item.kind
//   shelf->find("monday/app.burin")        // empty for anything that items() does not have
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace burin::serve {

struct ShelfItem {
  enum class Kind : std::uint8_t { kCapture, kSession, kReport };
  Kind kind = Kind::kCapture;
  std::string name;  // path below the folder, with '/'
  std::string path;  // where it is
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  // since 1970; a session's newest rows count
  bool has_memory = false;       // a capture with contents of GPU memory, which may be private

  std::string version() const;  // changes whenever the file does
};
std::string_view name(ShelfItem::Kind kind);  // "capture", "session", "report"

class Shelf {
 public:
  static constexpr std::size_t kMaxItems = 1000;
  static constexpr int kMaxDepth = 4;  // folders

  // Returns an Error if there is neither a folder nor a file that can be served.
  static Result<Shelf> open(const std::string& path);

  const std::string& path() const { return path_; }
  bool is_folder() const { return is_folder_; }

  // The files that are there now, newest first. May be called from several threads.
  std::vector<ShelfItem> items() const;
  std::optional<ShelfItem> find(std::string_view name) const;

 private:
  // What a file's contents say, as long as it does not change.
  struct Known {
    std::optional<ShelfItem::Kind> kind;
    bool has_memory = false;
  };
  struct Memory {
    std::mutex mutex;
    std::map<std::string, Known> known;  // by path and version
  };
  Shelf(std::string path, bool is_folder)
      : path_(std::move(path)), is_folder_(is_folder), memory_(std::make_unique<Memory>()) {}
  std::optional<ShelfItem> item_of(const std::string& path, const std::string& name) const;

  std::string path_;
  bool is_folder_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace burin::serve
