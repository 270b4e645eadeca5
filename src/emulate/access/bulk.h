// Common parts of the asynchronous instructions of sm_90: resolving a shared address within the
// cluster, and signalling a copy's bytes to an mbarrier.
//
// Copies take effect at issue: the bytes arrive immediately and the mbarrier is updated. The
// hardware may be as fast, so every result of the emulator is also possible on a GPU. This hides
// missing synchronisation: data used before the phase of its barrier completes, a source
// overwritten before it has been read (cp.async.bulk.wait_group.read), or a missing proxy fence.
// Race detection on shared memory finds such uses if another warp makes them.
#pragma once

#include <cstdint>

#include "emulate/memory/mbarrier.h"
#include "emulate/state/block.h"
#include "emulate/state/lower.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

// A byte of the shared memory of some block in the cluster.
struct SharedPlace {
  Block* block = nullptr;
  std::uint32_t address = 0;  // byte in the block's shared window
};
// Resolves a 32-bit shared address of the warp: its upper bits are the block's rank in the cluster.
// `block` is null if the cluster has no such block.
SharedPlace place_of(const Warp& warp, std::uint32_t address);

inline constexpr unsigned kBarrierBytes = 8;

// Read the raw bytes of an mbarrier, and the decoded mbarrier. If there is no mbarrier at the
// place, they stop the run and return false.
bool read_barrier_bytes(Warp& warp, const SharedPlace& place, Datum& d);
bool read_barrier(Warp& warp, const SharedPlace& place, Mbarrier& barrier);
std::uint64_t barrier_word(const Datum& d);
void write_barrier_word(const SharedPlace& place, std::uint64_t word);

// Applies the change to the barrier and joins the warp's clock into it, so that warps waiting for
// the phase are ordered after what this warp has done so far. If the change is not valid, stops the
// run and returns false.
bool change_barrier(Warp& warp, const SharedPlace& place, const BarrierChange& how);

// Lowers a memory operand [R + UR + offset] to source[0], source[1] and Op::offset.
void lower_shared_address(const read::Operand& operand, Op& op);

// Returns the uniform register of a memory operand [UR] as a source.
Source uniform_source(const read::Operand& operand);

// Lowering functions defined in execute/mbarrier.cc, execute/cluster.cc and execute/tensor_copy.cc.
bool lower_syncs(Lowering& l, const read::Instruction& i, Op& op);
bool lower_arrives(Lowering& l, const read::Instruction& i, Op& op);
bool lower_atoms_arrive(Lowering& l, const read::Instruction& i, Op& op);  // for ATOMS rows
bool lower_cluster_barrier(Lowering& l, const read::Instruction& i, Op& op);
bool lower_tensor_load(Lowering& l, const read::Instruction& i, Op& op);
bool lower_tensor_store(Lowering& l, const read::Instruction& i, Op& op);

}  // namespace burin::emulate
