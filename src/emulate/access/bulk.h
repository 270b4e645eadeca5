// What the asynchronous instructions of sm_90 share: where an address of shared memory is in the
// cluster, and how a copy tells an mbarrier of its bytes.
//
// Copies take effect when they are issued: the bytes are there at once, and the mbarrier knows. The
// hardware may be as quick, so whatever a kernel computes here is something that it may compute on
// a GPU. What it hides is the mistake of not waiting: bytes used before their barrier's phase is
// over, a source changed before it has been read (cp.async.bulk.wait_group.read), a missing proxy
// fence. The watch over shared memory finds such uses where they are another warp's.
#pragma once

#include <cstdint>

#include "emulate/memory/mbarrier.h"
#include "emulate/state/block.h"
#include "emulate/state/lower.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

// A byte of some block's shared memory.
struct SharedPlace {
  Block* block = nullptr;
  std::uint32_t address = 0;  // in the block's window
};
// Where a 32-bit shared address of the warp points: its upper bits name the block by its rank in
// the cluster. `block` is null where the cluster has no such block.
SharedPlace place_of(const Warp& warp, std::uint32_t address);

inline constexpr unsigned kBarrierBytes = 8;

// The barrier's bytes, and the barrier; false, and the run is ended, where no barrier is there.
bool read_barrier_bytes(Warp& warp, const SharedPlace& place, Datum& d);
bool read_barrier(Warp& warp, const SharedPlace& place, Mbarrier& barrier);
std::uint64_t barrier_word(const Datum& d);
void write_barrier_word(const SharedPlace& place, std::uint64_t word);

// Changes the barrier and lets whoever waits for the phase see what the warp has done so far. False
// where it cannot be; the run is ended then.
bool change_barrier(Warp& warp, const SharedPlace& place, const BarrierChange& how);

// A memory operand [R + UR + offset] as source[0], source[1] and Op::offset.
void lower_shared_address(const read::Operand& operand, Op& op);

// The uniform register of a memory operand [UR].
Source uniform_source(const read::Operand& operand);

// Rows, by file: execute_mbarrier.cc, execute_cluster.cc, execute_tensor_copy.cc.
bool lower_syncs(Lowering& l, const read::Instruction& i, Op& op);
bool lower_arrives(Lowering& l, const read::Instruction& i, Op& op);
bool lower_atoms_arrive(Lowering& l, const read::Instruction& i, Op& op);  // for the rows of ATOMS
bool lower_cluster_barrier(Lowering& l, const read::Instruction& i, Op& op);
bool lower_tensor_load(Lowering& l, const read::Instruction& i, Op& op);
bool lower_tensor_store(Lowering& l, const read::Instruction& i, Op& op);

}  // namespace burin::emulate
