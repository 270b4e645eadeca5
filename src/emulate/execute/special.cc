// The special registers: who a lane is, and where its memory lies.
#include <optional>

#include "emulate/state/block.h"
#include "emulate/state/clock_wait.h"
#include "emulate/state/grid.h"
#include "emulate/state/lower.h"
#include "emulate/state/uniform.h"
#include "emulate/state/warp.h"

namespace burin::emulate {
namespace {

using Read = std::uint32_t (*)(const Warp&, unsigned lane);

// Shared memory is handed out in such units, and SR_SMEMSZ counts them.
constexpr std::uint32_t kSharedUnit = 128;

launch::Dims thread_of(const Warp& warp, unsigned lane) {
  const launch::Dims& block = warp.block->grid->launch->block;
  const std::uint32_t linear = kWarpLanes * warp.index + lane;
  return {linear % block.x, linear / block.x % block.y, linear / block.x / block.y};
}

std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}
std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

std::uint64_t nanoseconds(const Warp& warp) {
  return warp.cycles / kCyclesPerNanosecond;
}

struct Special {
  std::string_view name;
  Read read;              // null: it exists, but its value is Unknown
  bool is_clock = false;  // its value is Unknown too, except to loops that wait for it
};

// Registers whose values differ from run to run on a GPU (clocks, counters, the position on the
// chip) are Unknown. A register that is not listed here is refused.
constexpr Special kSpecials[] = {
    {"SRZ", [](const Warp&, unsigned) { return 0u; }},
    {"SR_LANEID", [](const Warp&, unsigned i) { return i; }},
    {"SR_TID.X", [](const Warp& w, unsigned i) { return thread_of(w, i).x; }},
    {"SR_TID.Y", [](const Warp& w, unsigned i) { return thread_of(w, i).y; }},
    {"SR_TID.Z", [](const Warp& w, unsigned i) { return thread_of(w, i).z; }},
    {"SR_CTAID.X", [](const Warp& w, unsigned) { return w.block->index.x; }},
    {"SR_CTAID.Y", [](const Warp& w, unsigned) { return w.block->index.y; }},
    {"SR_CTAID.Z", [](const Warp& w, unsigned) { return w.block->index.z; }},
    {"SR_CgaCtaId", [](const Warp& w, unsigned) { return w.block->rank; }},
    {"SR_EQMASK", [](const Warp&, unsigned i) { return 1u << i; }},
    {"SR_LTMASK", [](const Warp&, unsigned i) { return (1u << i) - 1; }},
    {"SR_LEMASK", [](const Warp&, unsigned i) { return (2u << i) - 1; }},
    {"SR_GTMASK", [](const Warp&, unsigned i) { return ~((2u << i) - 1); }},
    {"SR_GEMASK", [](const Warp&, unsigned i) { return ~((1u << i) - 1); }},
    {"SR_SMEMSZ",
     [](const Warp& w, unsigned) {
       return (w.block->grid->shared_bytes + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
     }},
    {"SR_SWINHI", [](const Warp&, unsigned) { return high(kSharedWindow); }},
    {"SR_SWINLO", [](const Warp&, unsigned) { return low(kSharedWindow); }},
    {"SR_LWINHI", [](const Warp&, unsigned) { return high(kLocalWindow); }},
    {"SR_LWINLO", [](const Warp&, unsigned) { return low(kLocalWindow); }},
    {"SR_VIRTCFG", nullptr},
    {"SR_VIRTID", nullptr},
    {"SR_VIRTUALSMID", nullptr},
    {"SR_GpcLocalCgaId", nullptr},
    {"SR_CLOCK", [](const Warp& w, unsigned) { return low(w.cycles); }, true},
    {"SR_CLOCKLO", [](const Warp& w, unsigned) { return low(w.cycles); }, true},
    {"SR_CLOCKHI", [](const Warp& w, unsigned) { return high(w.cycles); }, true},
    {"SR_GLOBALTIMERLO", [](const Warp& w, unsigned) { return low(nanoseconds(w)); }, true},
    {"SR_GLOBALTIMERHI", [](const Warp& w, unsigned) { return high(nanoseconds(w)); }, true},
};

std::optional<std::uint8_t> special_named(std::string_view name) {
  for (std::size_t k = 0; k < std::size(kSpecials); ++k)
    if (kSpecials[k].name == name) return static_cast<std::uint8_t>(k);
  if (name.starts_with("SR_PM") || name.starts_with("SR_SNAP_PM")) {
    return special_named("SR_VIRTID");  // the profiler's counters: Unknown too
  }
  return std::nullopt;
}

bool is_unknown(const Special& special) {
  return special.read == nullptr || special.is_clock;
}

void execute_special(Warp& warp, const Op& op) {
  const Special& special = kSpecials[op.mode[0]];
  if (special.is_clock) advance_clock(warp);
  const Mask unknown = is_unknown(special) ? kAllLanes : 0;
  for (unsigned k = 0; k <= op.mode[1]; ++k) {
    // The high half of a clock follows the low one.
    const Read read = kSpecials[op.mode[0] + (special.is_clock ? k : 0)].read;
    Lanes out{};
    for (unsigned i = 0; read != nullptr && i < kWarpLanes; ++i) out.lane[i] = read(warp, i);
    warp.set(slot_after(op.destination[0], k), out, unknown);
  }
}

void execute_special_uniform(Warp& warp, const Op& op) {
  const Special& special = kSpecials[op.mode[0]];
  if (special.is_clock) advance_clock(warp);
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.exec));
  set_uniform(warp, op.destination[0], special.read != nullptr ? special.read(warp, lane) : 0,
              is_unknown(special));
}

bool lower_special(Lowering& l, const read::Instruction& i, Op& op) {
  const auto special = special_named(i.operands()[1].suffix);
  if (!special) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  op.mode = {*special};
  op.execute = execute_special;
  return true;
}

bool lower_s2ur(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_special(l, i, op)) return false;
  op.execute = execute_special_uniform;
  return true;
}

// CS2R without .32 reads two numbers in a row: zeros, or a counter of 64 bits.
bool lower_cs2r(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_special(l, i, op)) return false;
  const bool pair = i.operands()[0].count == 2;
  op.mode[1] = pair;
  return !pair || i.operands()[1].suffix == "SRZ" || is_unknown(kSpecials[op.mode[0]]);
}

}  // namespace

std::span<const LowerRow> special_rows() {
  static constexpr LowerRow kRows[] = {
      {"S2R", lower_special}, {"S2UR", lower_s2ur}, {"CS2R", lower_cs2r}};
  return kRows;
}

}  // namespace burin::emulate
