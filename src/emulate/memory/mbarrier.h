// An mbarrier: 8 bytes of shared memory that count arrivals and, since sm_90, bytes of copies in
// flight. A phase is complete when no arrivals and no bytes are pending; the next phase starts
// immediately.
//
//   Mbarrier b = unpack(word);
//   change(b, {.arrivals = 1, .bytes = 4096});      // arrive.expect_tx
//   word = pack(b);
//
// The word format as observed on an H200 and as mbarrier.init writes it (counts are stored as 2^20
// minus the count, so that the last arrival carries into the phase bit):
//
//   bit 63 phase           43-62 2^20 - arrivals pending
//   21-42  bytes pending    1-20 2^20 - arrivals of a phase
//
// The hardware keeps the state outside of shared memory while the barrier is in use, so a plain
// load of the word returns a meaningless value there. The emulator always keeps the word in shared
// memory.
#pragma once

#include <cstdint>

namespace burin::emulate {

struct Mbarrier {
  bool phase = false;
  std::uint32_t pending = 0;   // arrivals still pending in this phase
  std::uint32_t expected = 0;  // arrivals of each following phase
  std::int32_t bytes = 0;      // bytes expected minus bytes arrived; negative if bytes arrive early
};

Mbarrier unpack(std::uint64_t word);
std::uint64_t pack(const Mbarrier& barrier);

struct BarrierChange {
  std::uint32_t arrivals = 0;
  std::int32_t bytes = 0;  // positive: expected; negative: arrived
  bool drop = false;       // the arriving threads leave the following phases
};
// Applies the change. Returns false and changes nothing if there are more arrivals than pending, or
// more than 2^20 - 1 bytes in flight; the hardware aborts the kernel in that case.
bool change(Mbarrier& barrier, const BarrierChange& change);

// One arrival before sm_90, where the word is plain shared memory updated by atomics: phase in bit
// 63, 2^31 - pending arrivals below it, 2^30 - arrivals per phase in the lower word.
std::uint64_t arrive_sm80(std::uint64_t word);

}  // namespace burin::emulate
