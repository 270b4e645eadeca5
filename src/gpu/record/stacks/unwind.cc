#include "gpu/record/stacks/unwind.h"

#include <execinfo.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "gpu/record/stacks/frame_tables.h"

namespace burin::gpu {
namespace {

constexpr std::size_t kMaxFrames = 96;

#if defined(__x86_64__)

constexpr std::uintptr_t kFarthestSearch = 32 << 10;
constexpr std::size_t kMaxRows = 16384;
constexpr int kMaxSearches = 8;
constexpr std::size_t kMaxKnown = 256;

// The first address after the thread's own stack; 0: unknown.
std::uintptr_t stack_end() {
  static thread_local const std::uintptr_t end = [] {
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return std::uintptr_t{0};
    void* begin = nullptr;
    std::size_t size = 0;
    const bool known = ::pthread_attr_getstack(&attributes, &begin, &size) == 0;
    ::pthread_attr_destroy(&attributes);
    return known ? reinterpret_cast<std::uintptr_t>(begin) + size : 0;
  }();
  return end;
}

struct Frame {
  std::uintptr_t instruction = 0;  // of the return
  std::uintptr_t slot = 0;         // where on the stack that stands
  std::array<std::optional<std::uintptr_t>, kFrameRegisters> registers{};

  std::uintptr_t stack() const { return registers[kRsp].value_or(0); }
};

class Walker {
 public:
  Walker(std::uintptr_t begin, std::uintptr_t end) : begin_(begin), end_(end) {}

  struct Found {
    std::uintptr_t slot = 0;
    std::uintptr_t instruction = 0;
  };

  std::vector<Found> walk(Frame frame) const {
    std::vector<Found> found;
    int searches = 0;
    while (found.size() < kMaxFrames) {
      bool is_outermost = false;
      std::optional<Frame> caller = step(frame, is_outermost);
      if (is_outermost) break;
      if (!caller) {
        if (++searches > kMaxSearches) break;
        caller = search(frame.stack());
      }
      if (!caller) break;
      found.push_back({caller->slot, caller->instruction});
      frame = *caller;
    }
    return found;
  }

  // Whether what an earlier walk found still stands where it was.
  bool still_there(const std::vector<Found>& found) const {
    return std::all_of(found.begin(), found.end(),
                       [&](const Found& one) { return word(one.slot) == one.instruction; });
  }

 private:
  // Any word of the stack, between the variables too: the sanitizer must not mind.
  [[gnu::no_sanitize_address]] std::optional<std::uintptr_t> word(std::uintptr_t address) const {
    if (address < begin_ || address % 8 != 0 || address + 8 > end_) return std::nullopt;
    const std::uintptr_t value = *pointer_to<volatile std::uintptr_t>(address);
    return value;
  }

  // The tables do not change while an object is loaded, and launches come from few places.
  static const std::optional<FrameRow>& row_of(std::uintptr_t instruction) {
    static thread_local std::unordered_map<std::uintptr_t, std::optional<FrameRow>> rows;
    if (rows.size() > kMaxRows) rows.clear();
    const auto [at, is_new] = rows.try_emplace(instruction);
    if (is_new) at->second = frame_row(instruction);
    return at->second;
  }

  // The caller by the tables; nothing where they lack, or what they say cannot be.
  std::optional<Frame> step(const Frame& frame, bool& is_outermost) const {
    // A return address stands behind the call, which may be the last instruction of its function.
    const std::optional<FrameRow>& row = row_of(frame.instruction - 1);
    if (!row) return std::nullopt;
    is_outermost = row->is_outermost;
    const std::optional<std::uintptr_t> base = frame.registers[row->base];
    if (is_outermost || !base || !row->saved[kReturnAddress]) return std::nullopt;
    const std::uintptr_t top = *base + static_cast<std::uintptr_t>(row->base_offset);
    const std::uintptr_t slot = top + static_cast<std::uintptr_t>(*row->saved[kReturnAddress]);
    const std::optional<std::uintptr_t> address = word(slot);
    if (!address || top <= frame.stack()) return std::nullopt;
    is_outermost = *address == 0;
    Frame caller;
    caller.registers = frame.registers;
    for (std::size_t i = 0; i < kReturnAddress; ++i) {
      if (row->saved[i]) {
        caller.registers[i] = word(top + static_cast<std::uintptr_t>(*row->saved[i]));
      }
    }
    caller.instruction = *address;
    caller.slot = slot;
    caller.registers[kRsp] = top;
    if (!is_outermost && !object_of(*address - 1)) return std::nullopt;
    return caller;
  }

  // Objects whose frames are of no interest, or whose leftovers fill the stack.
  static bool is_program(const CodeObject& object) {
    const std::string_view name = file_name(object.path);
    for (const std::string_view other : {"libburin_record", "libcupti", "libcuda.so", "libcudart",
                                         "libc.so", "ld-linux", "libnvidia"}) {
      if (name.starts_with(other)) return false;
    }
    return true;
  }

  // Whether the frame has a caller of its own that the tables lead to.
  bool leads_on(const Frame& frame) const {
    bool is_outermost = false;
    const std::optional<Frame> caller = step(frame, is_outermost);
    return is_outermost || (caller && is_behind_call(caller->instruction));
  }

  std::optional<Frame> search(std::uintptr_t from) const {
    const std::uintptr_t last = std::min(end_, from + kFarthestSearch);
    for (std::uintptr_t slot = from; slot + 8 <= last; slot += 8) {
      const std::uintptr_t value = word(slot).value_or(0);
      if (value < 0x10000 || (value >= begin_ && value < end_)) continue;
      const std::optional<CodeObject> object = object_of(value - 1);
      if (!object || !is_program(*object) || !is_behind_call(value)) continue;
      Frame frame;
      frame.instruction = value;
      frame.slot = slot;
      frame.registers[kRsp] = slot + 8;
      if (leads_on(frame)) return frame;
      // The function may find its caller through rbp, which the one it called saved right below.
      for (std::uintptr_t below = slot - 8; below + 96 >= slot && below >= begin_; below -= 8) {
        frame.registers[kRbp] = word(below);
        if (frame.registers[kRbp].value_or(0) > slot && leads_on(frame)) return frame;
      }
    }
    return std::nullopt;
  }

  std::uintptr_t begin_, end_;
};

#endif

}  // namespace

#if defined(__x86_64__)

[[gnu::noinline]] std::vector<std::uintptr_t> walk_stack() {
  Frame here;
  std::uintptr_t rip = 0, rsp = 0, rbp = 0, rbx = 0, r12 = 0, r13 = 0, r14 = 0, r15 = 0;
  asm volatile(
      "leaq 0f(%%rip), %%rax\n0:\n\t"
      "movq %%rax, %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2\n\tmovq %%rbx, %3\n\t"
      "movq %%r12, %4\n\tmovq %%r13, %5\n\tmovq %%r14, %6\n\tmovq %%r15, %7\n"
      : "=m"(rip), "=m"(rsp), "=m"(rbp), "=m"(rbx), "=m"(r12), "=m"(r13), "=m"(r14), "=m"(r15)
      :
      : "rax");
  here.instruction = rip + 1;  // as if it were a return address: one is taken off again
  here.registers[kRsp] = rsp;
  here.registers[kRbp] = rbp;
  here.registers[kRbx] = rbx;
  here.registers[12] = r12;
  here.registers[13] = r13;
  here.registers[14] = r14;
  here.registers[15] = r15;
  const std::uintptr_t end = stack_end();
  if (rsp >= end) return {};

  // Launches come from few places, again and again: mostly the stack is the one of last time.
  static thread_local std::unordered_map<std::uintptr_t, std::vector<Walker::Found>> known;
  const Walker walker(rsp, end);
  if (known.size() > kMaxKnown) known.clear();
  std::vector<Walker::Found>& last = known[rsp];
  if (last.empty() || !walker.still_there(last)) last = walker.walk(here);
  std::vector<std::uintptr_t> addresses;
  addresses.reserve(last.size());
  for (const Walker::Found& found : last) addresses.push_back(found.instruction);
  return addresses;
}

#else

std::vector<std::uintptr_t> walk_stack() {
  void* frames[kMaxFrames];
  const int count = ::backtrace(frames, static_cast<int>(kMaxFrames));
  std::vector<std::uintptr_t> found;
  for (int i = 0; i < count; ++i) found.push_back(reinterpret_cast<std::uintptr_t>(frames[i]));
  return found;
}

#endif

}  // namespace burin::gpu
