// The facts about a kernel that `burin diff` compares: resource use, instruction mix and, if the
// kernel was launched, its time and its stalls.
//
//   KernelFacts facts = facts_of(kernel);
//   facts.registers, facts.classes[class_of(…)], facts.lines[{"transpose.cu", 14}].instructions
//   add_profile(facts, kernel, profile);     // stalls, by reason and by line
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/stall_profile.h"
#include "read/program/kernel.h"
#include "timing/result/prediction.h"

namespace burin::advise {

// Returns the number of loads and stores of spilled registers: local memory accesses at a fixed
// frame offset. An array indexed at run time is not a spill; an array indexed by constants cannot
// be distinguished from one.
std::uint64_t spills_of(const read::Kernel& kernel);

struct LineKey {
  std::string file;  // path; "": no line information
  std::uint32_t line = 0;

  auto operator<=>(const LineKey&) const = default;
};

struct LineFacts {
  std::uint64_t instructions = 0;
  double share = 0;                              // fraction of all warp-cycles, issuing or stalled
  std::array<double, launch::kStalls> stalls{};  // fractions of all warp-cycles
};

// The part of a finding that is compared.
struct AdviceFacts {
  std::string rule;
  double speedup = 1;
  LineKey where{};
};

struct KernelFacts {
  std::string name;
  std::string demangled;
  std::string digest{};         // of the code: equal if the code is bit-identical
  std::uint64_t registers = 0;  // per thread
  std::uint64_t shared = 0;     // static shared memory, bytes
  std::uint64_t local = 0;      // stack frame, bytes
  std::uint64_t constant = 0;   // bytes of its own constant banks, including parameters
  std::uint64_t barriers = 0;
  std::uint64_t spills = 0;              // instructions
  std::uint64_t code = 0;                // bytes, including padding
  std::uint64_t instructions = 0;        // excluding padding
  std::vector<std::uint64_t> classes{};  // counts, indexed like instruction_classes()
  std::map<LineKey, LineFacts> lines{};

  std::uint64_t launches = 0;  // in a capture
  std::optional<double> measured_us{};
  std::optional<double> predicted_us{};
  timing::Certainty certainty{};                     // of predicted_us
  std::string machine{};                             // that it was predicted for
  double profiled = 0;                               // samples or warp-cycles; 0: no profile
  double issued = 0;                                 // fraction
  std::array<double, launch::kStalls> stalls{};      // fractions
  std::optional<std::vector<AdviceFacts>> advice{};  // empty: could not be determined
};

KernelFacts facts_of(const read::Kernel& kernel);

// Adds the profile's stalls as fractions of its total.
void add_profile(KernelFacts& facts, const read::Kernel& kernel,
                 const launch::StallProfile& profile);

}  // namespace burin::advise
