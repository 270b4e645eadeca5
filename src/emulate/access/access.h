// What all memory instructions share: from an address operand to the addresses of 32 lanes, the
// checks an access goes through, and the reports of what it did wrong.
//
//   bool lower_ldg(Lowering& l, const Instruction& i, Op& op) {
//     if (!lower_address(i.operands()[1], op)) return false;
//     …
//   void execute_ldg(Warp& warp, const Op& op) {
//     Access& a = begin_access(warp, op, {.space = Space::kGlobal, .load = true});
//     const Mask lanes = check_alignment(warp, a);
//     load(warp, a, lanes, …);
//
// Of an Op: source[0] is the address's general register, source[1] its uniform one, `offset` the
// number behind them; mode[0 … 3] as named below, the others are free.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "emulate/memory/memory.h"
#include "emulate/state/grid.h"
#include "emulate/state/lower.h"
#include "emulate/state/op.h"
#include "emulate/state/warp.h"
#include "emulate/values/event.h"

namespace burin::emulate {

inline constexpr std::size_t kBytesMode = 0;    // per lane: 1, 2, 4, 8 or 16
inline constexpr std::size_t kAddressMode = 1;  // an AddressForm
inline constexpr std::size_t kScaleMode = 2;    // the register counts 1 << so many bytes
inline constexpr std::size_t kSignedMode = 3;   // bytes and halves are extended by their sign
inline constexpr std::size_t kSpaceMode = 4;    // a Space

enum class AddressForm : std::uint8_t {
  kNarrow,    // [R * scale + UR + offset], all in 32 bits
  kWide,      // [R.64 + UR + offset]
  kExtended,  // [R.U32 + UR + offset], a 64-bit uniform register
};

// A register as a source; kNoRegister is zero.
Source register_source(std::uint16_t index, read::RegisterFile file);

// False for an address that no row understands.
bool lower_address(const read::Operand& operand, Op& op);
// From the modifier `width`: the bytes and the sign.
bool lower_width(std::string_view width, Op& op);

struct AccessKind {
  read::Space space = read::Space::kNone;
  bool load = false;
  bool store = false;
  bool atomic = false;
};
// Fills in the next of warp.accesses for the lanes of `exec`.
Access& begin_access(Warp& warp, const Op& op, AccessKind kind);

// The access's lanes whose address is known and a multiple of its size; the others are reported.
Mask check_alignment(Warp& warp, const Access& access);

// Lanes under an Unknown guard or branch: what they write to memory is not known.
inline Mask in_doubt(const Warp& warp) {
  return warp.doubtful | warp.forked;
}

// Reads the lanes' bytes from the access's space, with all its checks. Of the access's lanes, those
// that read nothing are Unknown and keep what is in `words`.
struct Loaded {
  Lanes* words = nullptr;
  std::array<Mask, 4> unknown{};
};
// `watched`: a read of shared memory is noted.
void read_lanes(Warp& warp, const Access& access, Mask lanes, Loaded& out, bool watched = true);
// Writes the words, with all checks.
void write_lanes(Warp& warp, const Access& access, Mask lanes,
                 const std::array<const Lanes*, 4>& words, const std::array<Mask, 4>& unknown);

// A generic access by where its lanes' addresses really lie: one part for each space, with the
// lanes of `access`. Parts are entries of warp.accesses, but for a third, which no event tells of.
struct Parts {
  unsigned count = 0;
  std::array<Access*, 3> part{};
  Access spare;
};
void resolve(Warp& warp, Access& access, Parts& parts);

// A shared address's byte in its block's window.
inline constexpr std::uint64_t kWindowMask = (std::uint64_t{1} << kClusterShift) - 1;

// The memory of the block that the address names by its upper bits. Null: there is no such block.
SharedMemory* shared_at(Warp& warp, std::uint64_t address);

// Tells the watch of an access to the warp's own shared memory, and reports its races.
void watch_shared(Warp& warp, const Access& access, const std::uint64_t* address, Mask lanes,
                  SharedUse use);

// "thread 3,0,0 has written it at scan.cu:30, and no barrier is between"
std::string describe(const Warp& warp, const Race& race);

// Bytes outside of the memory, or read before anybody wrote them.
void report_outside(Warp& warp, const Access& access, Mask lanes);
void report_undefined(Warp& warp, const Access& access, Mask lanes);

}  // namespace burin::emulate
