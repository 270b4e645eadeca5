#include "emulate/execute/call_system.h"

#include <bit>
#include <optional>
#include <string>

#include "base/format.h"
#include "emulate/access/local.h"
#include "emulate/execute/device_print.h"
#include "emulate/state/block.h"
#include "emulate/state/grid.h"

namespace burin::emulate {

namespace {

constexpr unsigned kFirstArgument = 4;  // R4
constexpr std::size_t kMaxString = 1 << 16;

// One thread's view of the call.
class Caller {
 public:
  Caller(Warp& warp, unsigned lane) : warp_(warp), lane_(lane) {}

  // The argument in this register, or in it and the next; nothing: Unknown.
  std::optional<std::uint64_t> narrow(unsigned slot) const {
    if ((warp_.unknown[slot] >> lane_ & 1) != 0) return std::nullopt;
    return warp_.slots[slot][lane_];
  }
  std::optional<std::uint64_t> wide(unsigned slot) const {
    const auto low = narrow(slot);
    const auto high = narrow(slot + 1);
    if (!low || !high) return std::nullopt;
    return *low | *high << 32;
  }
  void set(unsigned slot, std::optional<std::uint32_t> value) {
    const Mask bit = Mask{1} << lane_;
    warp_.slots[slot][lane_] = value.value_or(0);
    warp_.unknown[slot] = value ? warp_.unknown[slot] & ~bit : warp_.unknown[slot] | bit;
    if (warp_.forked != 0) warp_.note_write(static_cast<std::uint16_t>(slot));
  }
  void set_wide(unsigned slot, std::optional<std::uint64_t> value) {
    using Half = std::optional<std::uint32_t>;
    set(slot, value ? Half(static_cast<std::uint32_t>(*value)) : Half());
    set(slot + 1, value ? Half(static_cast<std::uint32_t>(*value >> 32)) : Half());
  }

  // The contents at a generic address; empty: Unknown, or out of bounds.
  std::optional<std::uint64_t> read(std::uint64_t address, unsigned bytes) const;
  std::optional<std::string> string(std::uint64_t address) const;

 private:
  Warp& warp_;
  unsigned lane_;
};

std::optional<std::uint64_t> Caller::read(std::uint64_t address, unsigned bytes) const {
  std::uint64_t value = 0;
  for (unsigned k = 0; k < bytes; ++k) {
    Datum d;
    const std::uint64_t at = address + k;
    if (at / kWindowBytes == kLocalWindow / kWindowBytes) {
      if (!read_local(warp_, lane_, at % kWindowBytes, d)) return std::nullopt;
    } else if (at / kWindowBytes == kSharedWindow / kWindowBytes) {
      if (!warp_.block->shared.read(at % kWindowBytes, 1, d)) return std::nullopt;
    } else if (warp_.block->grid->memory->read(at, 1, d) != MemoryStatus::kDone) {
      return std::nullopt;
    }
    if (d.unknown != 0) return std::nullopt;
    value |= std::uint64_t{d.bytes[0]} << 8 * k;
  }
  return value;
}

std::optional<std::string> Caller::string(std::uint64_t address) const {
  std::string text;
  while (text.size() < kMaxString) {
    const std::optional<std::uint64_t> c = read(address + text.size(), 1);
    if (!c) return std::nullopt;
    if (*c == 0) break;
    text += static_cast<char>(*c);
  }
  return text;
}

void print(Warp& warp, Caller caller) {
  const std::optional<std::uint64_t> format = caller.wide(kFirstArgument);
  const std::optional<std::uint64_t> buffer = caller.wide(kFirstArgument + 2);
  const std::optional<std::string> text = format ? caller.string(*format) : std::nullopt;
  const Printed printed =
      format_print(text.value_or("Unknown\n"),
                   {.value = [&](unsigned offset, unsigned bytes) -> std::optional<std::uint64_t> {
                      return buffer ? caller.read(*buffer + offset, bytes) : std::nullopt;
                    },
                    .string = [&](std::uint64_t address) { return caller.string(address); }});
  // With a listener, only the kernel's execution matters, not its output.
  if (!warp.block->grid->heard) warp.block->grid->prints.add(warp.block->linear, printed.text);
  caller.set(kFirstArgument, printed.arguments);
}

void allocate(Warp& warp, Caller caller) {
  const std::optional<std::uint64_t> bytes = caller.wide(kFirstArgument);
  DeviceHeap* const heap = warp.block->grid->heap.get();
  if (!bytes || heap == nullptr) return caller.set_wide(kFirstArgument, std::nullopt);
  caller.set_wide(kFirstArgument, heap->allocate(*bytes));
}

void release(Warp& warp, unsigned lane, const Caller& caller) {
  const std::optional<std::uint64_t> address = caller.wide(kFirstArgument);
  DeviceHeap* const heap = warp.block->grid->heap.get();
  if (!address || heap == nullptr || heap->release(*address)) return;
  warp.fault(Fault::Kind::kInvalidFree, lane, *address, 0,
             "free() of an address that malloc() did not return, or that was freed before");
}

// __assertfail(message, file, line, function, character size)
void fail_assertion(Warp& warp, unsigned lane, const Caller& caller) {
  const auto text = [&](unsigned slot) {
    const std::optional<std::uint64_t> address = caller.wide(slot);
    return (address ? caller.string(*address) : std::nullopt).value_or("Unknown");
  };
  const launch::Dims& size = warp.block->grid->launch->block;
  const std::uint32_t linear = kWarpLanes * warp.index + lane;
  const launch::Dims thread{linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
  const std::string what =
      fmt::format("assertion `{}` failed at {}:{}", text(kFirstArgument), text(kFirstArgument + 2),
                  caller.narrow(kFirstArgument + 4).value_or(0));
  warp.fault(Fault::Kind::kAssert, lane, 0, 0, what);
  warp.block->grid->stop(
      {fmt::format("{} in block {} thread {}", what, launch::to_string(warp.block->index),
                   launch::to_string(thread))});
}

}  // namespace

void call_system(Warp& warp, SystemCall call, Mask lanes) {
  warp.block->grid->system_calls |= 1u << static_cast<unsigned>(call);
  if (call == SystemCall::kAssert) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    return fail_assertion(warp, first, Caller(warp, first));
  }
  for_each_lane(lanes, [&](unsigned lane) {
    switch (call) {
      case SystemCall::kPrint:
        return print(warp, Caller(warp, lane));
      case SystemCall::kAllocate:
        return allocate(warp, Caller(warp, lane));
      default:
        return release(warp, lane, Caller(warp, lane));
    }
  });
}

}  // namespace burin::emulate
