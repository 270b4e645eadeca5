// What `burin diff` compares of a kernel: what it asks for, what its code is made of, and, where it
// was launched, how long it takes and where its warps wait.
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

namespace burin::advise {

// Loads and stores of registers that did not fit: those of local memory at a fixed place of the
// frame. An array that is indexed at run time is no spill; one that is indexed by constants cannot
// be told from one.
std::uint64_t spills_of(const read::Kernel& kernel);

struct LineKey {
  std::string file;  // its path; "": no line is known
  std::uint32_t line = 0;

  auto operator<=>(const LineKey&) const = default;
};

struct LineFacts {
  std::uint64_t instructions = 0;
  double share = 0;                              // of the warps' time, waiting and issuing
  std::array<double, launch::kStalls> stalls{};  // shares of the warps' time
};

// A piece of advice, as far as two are compared.
struct AdviceFacts {
  std::string rule;
  double speedup = 1;
  LineKey where{};
};

struct KernelFacts {
  std::string name;
  std::string demangled;
  std::string digest{};         // of the code: equal where it is the same to the bit
  std::uint64_t registers = 0;  // of a thread
  std::uint64_t shared = 0;     // bytes, static
  std::uint64_t local = 0;      // bytes of the frame
  std::uint64_t constant = 0;   // bytes of its own banks, the parameters among them
  std::uint64_t barriers = 0;
  std::uint64_t spills = 0;              // instructions
  std::uint64_t code = 0;                // bytes, with padding
  std::uint64_t instructions = 0;        // without padding
  std::vector<std::uint64_t> classes{};  // by instruction_classes()
  std::map<LineKey, LineFacts> lines{};

  std::uint64_t launches = 0;  // in a capture
  std::optional<double> measured_us{};
  std::optional<double> predicted_us{};
  double profiled = 0;                               // samples or warp-cycles; 0: there are none
  double issued = 0;                                 // share
  std::array<double, launch::kStalls> stalls{};      // shares
  std::optional<std::vector<AdviceFacts>> advice{};  // none: nobody could say
};

KernelFacts facts_of(const read::Kernel& kernel);

// Its stalls, as shares of the whole.
void add_profile(KernelFacts& facts, const read::Kernel& kernel,
                 const launch::StallProfile& profile);

}  // namespace burin::advise
