// From the traces of blocks to what abstract_emulation.h takes. Of predict_saake alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "timing/result/predict_options.h"
#include "timing/result/prediction.h"
#include "timing/saake/abstract_emulation.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// The resources of the model: one for each class of instructions, then those of memory.
enum class SaakeMemory : std::uint8_t { kShared, kSharedAtomic, kGlobal, kL2, kL2Atomic };
inline constexpr std::size_t kSaakeMemories = static_cast<std::size_t>(SaakeMemory::kL2Atomic) + 1;

constexpr std::uint32_t saake_index(machine::TimingClass c) {
  return static_cast<std::uint32_t>(c);
}
constexpr std::uint32_t saake_index(SaakeMemory memory) {
  return static_cast<std::uint32_t>(machine::kTimingClasses) + static_cast<std::uint32_t>(memory);
}

// In the order of saake_index. Their units are numbered as Resource is, and one more.
std::vector<AbstractResource> saake_resources(const machine::Machine& machine);

// The row of burin's tables that a resource counts for.
machine::Resource saake_row(std::uint32_t resource);

// Why a warp waits for what the resource gives.
launch::Stall saake_stall(std::uint32_t resource);

struct SaakeProgram {
  AbstractProgram abstract;
  // Of each of its warps: instruction i is step i of this warp of the trace.
  struct Source {
    const BlockTrace* trace = nullptr;
    std::uint32_t warp = 0;
  };
  std::vector<Source> sources;
  double share = 1;  // of the traces' steps that it holds

  std::vector<InstructionCost> costs;  // issued, sectors, hits and passes of the steps it holds
  double dram_read_bytes = 0;          // likewise
  double dram_write_bytes = 0;
};

// `dependences` is the kernel built with dependences; one block for each entry of `blocks`, of
// which several may be the same trace.
SaakeProgram make_saake_program(const read::Kernel& dependences,
                                std::span<const std::shared_ptr<const BlockTrace>> blocks,
                                const machine::Machine& machine, const PredictOptions& options);

}  // namespace burin::timing
