#include "gpu/record/pages.h"

#include <cstring>

namespace burin::gpu {
namespace {

bool same(Bytes a, Bytes b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::uint64_t Pages::number(std::uint64_t address, Bytes bytes) {
  const std::lock_guard lock(mutex_);
  const auto known = seen_.find(address);
  if (known != seen_.end() && same(known->second.bytes, bytes)) {
    return known->second.content;
  }
  if (kept_bytes_ + bytes.size() > most_bytes_) {
    seen_.clear();
    kept_bytes_ = 0;
  }
  Page& page = seen_[address];
  kept_bytes_ += bytes.size() - page.bytes.size();
  page.bytes.assign(bytes.begin(), bytes.end());
  page.content = ++numbered_;
  written_bytes_ += bytes.size();
  out_.add(capture::SpoolContent{page.content, bytes});
  return page.content;
}

std::uint64_t Pages::written_bytes() {
  const std::lock_guard lock(mutex_);
  return written_bytes_;
}

}  // namespace burin::gpu
