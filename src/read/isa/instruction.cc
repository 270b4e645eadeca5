#include "read/isa/instruction.h"

namespace burin::read {

std::string_view name(Pipe pipe) {
  static constexpr std::string_view kNames[] = {"fma",     "alu",      "half", "fp64",    "xu",
                                                "tensor",  "uniform",  "lsu",  "texture", "bulk",
                                                "control", "constant", "misc"};
  return kNames[static_cast<std::size_t>(pipe)];
}

}  // namespace burin::read
