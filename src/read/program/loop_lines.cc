#include "read/program/loop_lines.h"

#include <algorithm>
#include <map>
#include <vector>

#include "read/program/library.h"
#include "read/program/source.h"

namespace burin::read {

namespace {

// Of a loop's code, inlined from one call: the compiler moves a few instructions of the caller into
// a loop of the callee.
constexpr double kMinOwnCode = 0.85;

constexpr std::int32_t kKernelItself = -1;

// The calls that the loop's code was inlined from. A call is the index in Image::locations of its
// call site.
class Calls {
 public:
  Calls(const Kernel& kernel, const Loop& loop) : image_(*kernel.image) {
    for (const std::uint32_t b : loop.blocks) {
      const BasicBlock& block = kernel.blocks[b];
      for (std::uint32_t i = block.first; i <= block.last; ++i) add(kernel, i, code_);
    }
    for (const std::uint32_t latch : loop.latches) {
      add(kernel, kernel.blocks[latch].last, branches_);
    }
  }

  // The innermost call that contains the loop's branches and most of its code.
  std::int32_t home() const {
    std::int32_t call = kKernelItself;
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (const auto& [inner, code] : code_.within) {
        if (code.library || parent(inner) != call) continue;
        const auto branches = branches_.within.find(inner);
        if (branches == branches_.within.end() || branches->second.count != branches_.all) continue;
        if (code.count < kMinOwnCode * code_.all) continue;
        call = inner;
        deeper = true;
        break;
      }
    }
    return call;
  }

  // The chain's location in the code of the call; null: the chain does not pass through it.
  const Location* in(std::int32_t call, std::int32_t location) const {
    for (const Location* at : call_chain(image_, location)) {
      if (at->inlined_from == call) return at;
    }
    return nullptr;
  }

 private:
  struct Call {
    double count = 0;      // instructions inlined from it, directly or not
    bool library = false;  // of a function in CUDA's headers
  };
  struct Counts {
    std::map<std::int32_t, Call> within{};
    double all = 0;
  };

  void add(const Kernel& kernel, std::uint32_t instruction, Counts& counts) const {
    const std::int32_t location = kernel.location_at(kernel.instructions[instruction].offset);
    if (location < 0) return;
    ++counts.all;
    for (const Location* at : call_chain(image_, location)) {
      if (at->inlined_from < 0) continue;
      const auto [call, is_new] = counts.within.try_emplace(at->inlined_from);
      if (is_new) call->second.library = is_library(path_of(image_, *at));
      ++call->second.count;
    }
  }

  std::int32_t parent(std::int32_t call) const {
    return image_.locations[static_cast<std::size_t>(call)].inlined_from;
  }

  const Image& image_;
  Counts code_;
  Counts branches_;
};

}  // namespace

LoopLines lines_of(const Kernel& kernel, const Loop& loop) {
  const Calls calls(kernel, loop);
  const std::int32_t home = calls.home();
  std::map<std::string_view, LoopLines> files;
  std::map<std::string_view, std::size_t> sizes;
  for (const std::uint32_t b : loop.blocks) {
    for (std::uint32_t i = kernel.blocks[b].first; i <= kernel.blocks[b].last; ++i) {
      const Location* at = calls.in(home, kernel.location_at(kernel.instructions[i].offset));
      if (at == nullptr || at->line == 0) continue;
      const std::string_view file = path_of(*kernel.image, *at);
      LoopLines& lines = files.try_emplace(file, LoopLines{file, at->line, at->line}).first->second;
      lines.first = std::min(lines.first, at->line);
      lines.last = std::max(lines.last, at->line);
      ++sizes[file];
    }
  }
  const auto most = std::ranges::max_element(sizes, {}, [](const auto& s) { return s.second; });
  return most == sizes.end() ? LoopLines{} : files[most->first];
}

}  // namespace burin::read
