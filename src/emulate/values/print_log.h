// The output of the kernel's printf, in block order. A GPU keeps the last megabyte in the order in
// which its threads printed; this log keeps the first, independent of the order of the workers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace burin::emulate {

class PrintLog {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;  // of one block's text, and of all

  void add(std::uint64_t block, std::string_view text) {
    const std::lock_guard lock(mutex_);
    std::string& of_block = blocks_[block];
    of_block += text.substr(0, kMaxBytes - of_block.size());
    // The last blocks would not be shown.
    bytes_ += text.size();
    while (bytes_ > 2 * kMaxBytes && blocks_.size() > 1) {
      bytes_ -= blocks_.rbegin()->second.size();
      blocks_.erase(std::prev(blocks_.end()));
      cut_ = true;
    }
  }

  // Returns the text, with a last line that says so where some is missing.
  std::string take() {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const auto& [block, text] : blocks_) all += text;
    if (cut_ || all.size() > kMaxBytes) {
      all.resize(std::min(all.size(), kMaxBytes));
      all += "\n… the rest of the output is left out\n";
    }
    blocks_.clear();
    return all;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> blocks_;
  std::size_t bytes_ = 0;
  bool cut_ = false;
};

}  // namespace burin::emulate
