// Classes of instructions with the same timing, and the resource of the SM that each class
// occupies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "read/isa/instruction.h"

namespace burin::machine {

// Machine files use the names `class.NAME.gap` and `class.NAME.latency`.
enum class TimingClass : std::uint8_t {
  kFma,        // FFMA FADD FMUL
  kFmaHeavy,   // IMAD and similar: only one of the two FP32 units multiplies integers
  kFmaWide,    // IMAD.WIDE
  kFmaHigh,    // IMAD.HI
  kHalf,       // HFMA2 HADD2 HMUL2: occupy both FP32 units at once
  kHalfMma,    // HFMA2.MMA: packed halves on the tensor unit, in parallel with the FP32 units
  kAlu,        // IADD3 LOP3 SHF SEL ISETP FSETP FMNMX MOV …
  kAluCarry,   // IADD3.X
  kFp64,       // DFMA DADD DMUL DSETP
  kMufu,       // MUFU
  kConvert,    // F2F F2I I2F FRND
  kConvert64,  // F2F F2I I2F FRND to or from a 64-bit type
  kBits,       // POPC FLO BREV
  kUniform,    // the uniform datapath
  kMove,       // R2UR S2UR and other moves between register files, without memory
  kSpecial,    // S2R
  kClock,      // CS2R
  kBranch,     // BRA EXIT BSSY …
  kVote,       // VOTE ELECT; REDUX and MATCH are kRedux
  kRedux,
  kShuffle,       // SHFL
  kConstantLoad,  // LDC
  kHmma16,        // HMMA.16816 with FP16 accumulators
  kHmma32,        // HMMA.16816 with FP32 accumulators
  kHmma32Short,   // HMMA.1688 and 884
  kTf32,          // HMMA on TF32 operands, 1688
  kImma,          // IMMA.16832
  kImmaShort,     // IMMA.16816 and 8816
  kDmma,          // DMMA.884
  kWgmma,         // HGMMA, IGMMA: the gap is for 64×8×16, that is, for 8 columns
  kMatrixLoad,    // LDSM, STSM, MOVM: the gap is for one 8×8 matrix
  kMemory,        // loads, stores and atomics: timed by lsu, shared, l1, l2, dram
  kBulk,          // TMA
  kBarrier,       // BAR, DEPBAR, WARPSYNC, mbarriers
  kOther,         // NOP and all other instructions
};
inline constexpr std::size_t kTimingClasses = static_cast<std::size_t>(TimingClass::kOther) + 1;

std::string_view name(TimingClass c);  // "fma", "fma_heavy" …

TimingClass timing_class(const read::Instruction& instruction);

// The resources listed separately in every table: issue, fma, alu, fp64, xu, tensor, uniform, lsu,
// shared, l1, l2, dram, constant, fetch, barrier, dispatch.
enum class Resource : std::uint8_t {
  kIssue,
  kFma,
  kAlu,
  kFp64,
  kXu,
  kTensor,
  kUniform,
  kLsu,
  kShared,
  kL1,
  kL2,
  kDram,
  kConstant,
  kFetch,
  kBarrier,
  kDispatch,
};
inline constexpr std::size_t kResources = static_cast<std::size_t>(Resource::kDispatch) + 1;
std::string_view name(Resource resource);

Resource resource_of(TimingClass c);

}  // namespace burin::machine
