// Converts the traces of blocks to the input of abstract_emulation.h. Used only by predict_saake.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "machine/timing_class.h"
#include "read/program/kernel.h"
#include "timing/result/predict_options.h"
#include "timing/result/prediction.h"
#include "timing/saake/abstract_emulation.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// The memory resources of the model; they follow the resources of the instruction classes, one per
// class.
enum class SaakeMemory : std::uint8_t { kShared, kSharedAtomic, kGlobal, kL2, kL2Atomic };
inline constexpr std::size_t kSaakeMemories = static_cast<std::size_t>(SaakeMemory::kL2Atomic) + 1;

constexpr std::uint32_t saake_index(machine::TimingClass c) {
  return static_cast<std::uint32_t>(c);
}
constexpr std::uint32_t saake_index(SaakeMemory memory) {
  return static_cast<std::uint32_t>(machine::kTimingClasses) + static_cast<std::uint32_t>(memory);
}

// Returns the resources in the order of saake_index. Their units are numbered like Resource, plus
// one more: kSaakeUnits in all.
inline constexpr auto kSaakeUnits = static_cast<std::uint32_t>(machine::kResources + 1);
std::vector<AbstractResource> saake_resources(const machine::Machine& machine);

// Returns the row of burin's tables to which a resource belongs.
machine::Resource saake_row(std::uint32_t resource);

// Returns the stall reason of a warp that waits for a result of the resource.
launch::Stall saake_stall(std::uint32_t resource);

struct SaakeProgram {
  AbstractProgram abstract;
  // The traced warp behind each abstract warp: instruction i is step i of the traced warp.
  struct Source {
    const BlockTrace* trace = nullptr;
    std::uint32_t warp = 0;
  };
  std::vector<Source> sources;
  double share = 1;  // share of the traces' steps that the program contains

  std::vector<InstructionCost> costs;  // issued, sectors, hits and passes of its steps
  double dram_read_bytes = 0;          // DRAM bytes read by its steps
  double dram_write_bytes = 0;
};

// `dependences` is the kernel built with dependences. The program has one block for each entry of
// `blocks`; several entries may be the same trace.
SaakeProgram make_saake_program(const read::Kernel& dependences,
                                std::span<const std::shared_ptr<const BlockTrace>> blocks,
                                const machine::Machine& machine, const PredictOptions& options);

}  // namespace burin::timing
