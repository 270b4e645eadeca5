// What a rule found in a launch, estimated and placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "read/program/kernel.h"

namespace burin::advise {

struct Hotspot {
  double share = 0;            // of all warp-cycles or samples
  double speedup = 1;          // were this one alone removed, by the rule's equation
  std::uint32_t distance = 0;  // instructions from cause to waits
  std::uint32_t cause = 0;     // instructions
  std::uint32_t waits = 0;
  std::string loop{};      // "loop at a.cu:41-44", the innermost with both; "": none
  std::string function{};  // that waits: inlined or called, or the kernel
};

struct Finding {
  std::string rule;                          // its id
  double speedup = 1;                        // the one to believe; `trust` says which it is
  double speedup_paper = 1;                  // by the equations of estimate.h
  std::optional<double> speedup_emulated{};  // the cause removed, emulated again
  double share = 0;                          // of T that is matched
  std::uint32_t where =
      read::kNoIndex;  // the instruction that waits most; kNoIndex: the whole launch
  std::uint32_t cause = read::kNoIndex;  // … and the one that it waits for
  std::vector<Hotspot> hotspots{};       // the largest five at most
  double coverage = 0;                   // share of what is matched that the hotspots hold
  std::size_t spread = 0;                // places (cause and waits) that are matched
  std::string text{};
  std::string hint{};
  double confidence = 0;                // 0 … 1
  std::string trust{};                  // which estimate is the speedup, and why
  std::vector<std::string> overlaps{};  // ids of findings with half of these stalls in common
};

}  // namespace burin::advise
