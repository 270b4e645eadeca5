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

// Of a loop's code, at lines above the statement of its branch: computed before the loop in the
// source, and moved into it.
constexpr double kMaxMovedCode = 0.1;

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
  const auto place = [&](std::uint32_t instruction) {
    return calls.in(home, kernel.location_at(kernel.instructions[instruction].offset));
  };
  using Lines = std::map<std::uint32_t, std::size_t>;  // instructions by line
  std::map<std::string_view, Lines> files;
  for (const std::uint32_t b : loop.blocks) {
    for (std::uint32_t i = kernel.blocks[b].first; i <= kernel.blocks[b].last; ++i) {
      const Location* at = place(i);
      if (at != nullptr && at->line != 0) ++files[path_of(*kernel.image, *at)][at->line];
    }
  }
  const auto size_of = [](const Lines& lines) {
    std::size_t sum = 0;
    for (const auto& [line, count] : lines) sum += count;
    return sum;
  };
  const auto most =
      std::ranges::max_element(files, {}, [&](const auto& file) { return size_of(file.second); });
  if (most == files.end()) return {};
  const auto& [file, lines] = *most;
  LoopLines found{file, lines.begin()->first, lines.rbegin()->first};
  for (const std::uint32_t latch : loop.latches) {
    const Location* at = place(kernel.blocks[latch].last);
    if (at == nullptr || path_of(*kernel.image, *at) != file) continue;
    const auto statement = lines.lower_bound(at->line);
    const std::size_t above = size_of(Lines(lines.begin(), statement));
    if (static_cast<double>(above) > kMaxMovedCode * static_cast<double>(size_of(lines))) continue;
    found.first = std::max(found.first, at->line);
  }
  return found;
}

}  // namespace burin::read
