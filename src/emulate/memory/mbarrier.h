// An mbarrier: 8 bytes of shared memory that count arrivals and, since sm_90, the bytes of copies
// under way. A phase is complete when nothing is pending any more; the next one begins at once.
//
//   Mbarrier b = unpack(word);
//   change(b, {.arrivals = 1, .bytes = 4096});      // arrive.expect_tx
//   word = pack(b);
//
// The word as an H200 was seen to write it, and as mbarrier.init makes it (counts are kept below
// 2^20 as what is missing to it, so that the last arrival carries into the phase):
//
//   bit 63 phase   43-62 2^20 - arrivals pending   21-42 bytes pending   1-20 2^20 - arrivals of a
//   phase
//
// The hardware keeps the word apart from shared memory while it is in use: what a kernel reads
// there with a plain load means nothing. We keep it in shared memory at all times.
#pragma once

#include <cstdint>

namespace burin::emulate {

struct Mbarrier {
  bool phase = false;
  std::uint32_t pending = 0;   // arrivals
  std::uint32_t expected = 0;  // arrivals of the phases to come
  std::int32_t bytes = 0;      // expected less arrived: those that arrive early make it negative
};

Mbarrier unpack(std::uint64_t word);
std::uint64_t pack(const Mbarrier& barrier);

struct BarrierChange {
  std::uint32_t arrivals = 0;
  std::int32_t bytes = 0;  // expected: positive; arrived: negative
  bool drop = false;       // those who arrive now do not take part in the phases to come
};
// False where more arrive than are pending, or more bytes are under way than 2^20 - 1: the hardware
// ends the kernel then, and here nothing has changed.
bool change(Mbarrier& barrier, const BarrierChange& change);

// One arrival before sm_90, where the word is plain shared memory that atomics work on: phase in
// bit 63, 2^31 - arrivals pending below it, 2^30 - arrivals of a phase in the lower word.
std::uint64_t arrive_sm80(std::uint64_t word);

}  // namespace burin::emulate
