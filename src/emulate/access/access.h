// Common parts of all memory instructions: the addresses of 32 lanes from an address operand, the
// checks of an access, and the fault reports.
//
//   bool lower_ldg(Lowering& l, const Instruction& i, Op& op) {
//     if (!lower_address(i.operands()[1], op)) return false;
//     …
//   void execute_ldg(Warp& warp, const Op& op) {
//     Access& a = begin_access(warp, op, {.space = Space::kGlobal, .load = true});
//     const Mask lanes = check_alignment(warp, a);
//     load(warp, a, lanes, …);
//
// Use of an Op: source[0] is the general register of the address, source[1] its uniform register,
// and `offset` its immediate offset. mode[0 … 3] are as named below; the other modes are free.
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

inline constexpr std::size_t kBytesMode = 0;    // bytes per lane: 1, 2, 4, 8 or 16
inline constexpr std::size_t kAddressMode = 1;  // an AddressForm
inline constexpr std::size_t kScaleMode = 2;    // log2 of the register's scale in bytes
inline constexpr std::size_t kSignedMode = 3;   // 8- and 16-bit values are sign-extended
inline constexpr std::size_t kSpaceMode = 4;    // a Space

enum class AddressForm : std::uint8_t {
  kNarrow,    // [R * scale + UR + offset], all in 32 bits
  kWide,      // [R.64 + UR + offset]
  kExtended,  // [R.U32 + UR + offset], a 64-bit uniform register
};

// Returns a register as a source; kNoRegister gives zero.
Source register_source(std::uint16_t index, read::RegisterFile file);

// Lowers an address operand. Returns false for a form that is not supported.
bool lower_address(const read::Operand& operand, Op& op);
// Lowers the `width` modifier to kBytesMode and kSignedMode. Returns false if it is not known.
bool lower_width(std::string_view width, Op& op);

struct AccessKind {
  read::Space space = read::Space::kNone;
  bool load = false;
  bool store = false;
  bool atomic = false;
};
// Fills in the next entry of warp.accesses for the lanes of `exec`.
Access& begin_access(Warp& warp, const Op& op, AccessKind kind);

// Returns the lanes whose address is known and a multiple of the access size. Misaligned lanes are
// reported as faults.
Mask check_alignment(Warp& warp, const Access& access);

// Returns the lanes under an Unknown guard or branch: the values they store are Unknown.
inline Mask in_doubt(const Warp& warp) {
  return warp.doubtful | warp.forked;
}

// Reads the bytes of `lanes` from the access's space, with all checks. Lanes of the access that
// read nothing become Unknown and keep the contents of `words`.
struct Loaded {
  Lanes* words = nullptr;
  std::array<Mask, 4> unknown{};
};
// `watched`: record a shared memory read for race detection.
void read_lanes(Warp& warp, const Access& access, Mask lanes, Loaded& out, bool watched = true);
// Writes the words of `lanes`, with all checks.
void write_lanes(Warp& warp, const Access& access, Mask lanes,
                 const std::array<const Lanes*, 4>& words, const std::array<Mask, 4>& unknown);

// A generic access split by the actual space of each lane's address: one part per space, with the
// lanes of `access` in that space. Parts are entries of warp.accesses, except for a third part,
// which is not reported in any event.
struct Parts {
  unsigned count = 0;
  std::array<Access*, 3> part{};
  Access spare;
};
void resolve(Warp& warp, Access& access, Parts& parts);

// Mask of a shared address that gives the byte in its block's shared window.
inline constexpr std::uint64_t kWindowMask = (std::uint64_t{1} << kClusterShift) - 1;

// Returns the shared memory of the block that the upper bits of the address name, or null if there
// is no such block.
SharedMemory* shared_at(Warp& warp, std::uint64_t address);

// Records an access to the warp's own shared memory for race detection and reports any races.
void watch_shared(Warp& warp, const Access& access, const std::uint64_t* address, Mask lanes,
                  SharedUse use);

// Returns, for example, "thread 3,0,0 has written it at scan.cu:30, and no barrier is between".
std::string describe(const Warp& warp, const Race& race);

// Report faults: an access outside of memory, and a read of bytes that were never written.
void report_outside(Warp& warp, const Access& access, Mask lanes);
void report_undefined(Warp& warp, const Access& access, Mask lanes);

}  // namespace burin::emulate
