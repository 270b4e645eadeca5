#include "launch/stall.h"

namespace burin::launch {

namespace {

constexpr std::string_view kNames[kStalls] = {
    "long_scoreboard",
    "short_scoreboard",
    "wait",
    "barrier",
    "math_pipe_throttle",
    "mio_throttle",
    "lg_throttle",
    "not_selected",
    "no_instruction",
    "branch_resolving",
    "dispatch_stall",
    "imc_miss",
    "membar",
    "sleeping",
    "drain",
    "gmma",
    "misc",
};

}  // namespace

std::string_view name(Stall stall) {
  return kNames[static_cast<std::size_t>(stall)];
}

}  // namespace burin::launch
