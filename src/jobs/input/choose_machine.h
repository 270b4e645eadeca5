// Chooses the machine for a GPU, and checks that code runs on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "machine/machine.h"
#include "read/architecture.h"
#include "read/program/kernel.h"

namespace burin::jobs {

// Returns the default machine for an architecture.
Result<machine::Machine> default_machine(read::Architecture arch);

// Returns the machine for a GPU with the driver's name ("NVIDIA H200") and number of SMs. If none
// is known, sets `is_assumed` and returns the default machine for the architecture.
Result<machine::Machine> machine_of_gpu(const std::string& name, read::Architecture arch,
                                        std::uint32_t multiprocessors, bool& is_assumed);

// Returns the machine whose name is in that of a GPU ("NVIDIA H200"); none if none is.
std::optional<machine::Machine> machine_named(const std::string& gpu);

// Returns an Error if the kernel's code does not run on this machine; the Error names machines that
// it does run on.
Result<void> check_architecture(const read::Kernel& kernel, const machine::Machine& machine);

}  // namespace burin::jobs
