// Which machine stands for a GPU, and whether code runs on it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "machine/machine.h"
#include "read/architecture.h"
#include "read/program/kernel.h"

namespace burin::jobs {

// The machine that stands for an architecture where none is named.
Result<machine::Machine> default_machine(read::Architecture arch);

// The machine of a GPU as its driver names it ("NVIDIA H200") and with so many SMs; where none is
// known, `is_assumed` is set and it is the one that stands for the architecture.
Result<machine::Machine> machine_of_gpu(const std::string& name, read::Architecture arch,
                                        std::uint32_t multiprocessors, bool& is_assumed);

// An Error that names machines which do where the kernel's code does not run on this one.
Result<void> check_architecture(const read::Kernel& kernel, const machine::Machine& machine);

}  // namespace burin::jobs
