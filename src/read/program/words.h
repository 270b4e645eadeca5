// Names of enumeration values and registers, the same in text, JSON and dumps.
#pragma once

#include <string>
#include <string_view>

#include "read/binary/container.h"
#include "read/program/kernel.h"

namespace burin::read {

std::string_view name(Entry::Kind value);        // "cubin", "ptx", "lto", "other"
std::string_view name(Entry::Packing value);     // "raw", "zstd", "lz4"
std::string_view name(Container::Format value);  // "cubin", "fatbin", "host", "archive", "ptx"
std::string_view name(Edge::Kind value);         // "fall-through", "branch", "indirect", "return"
std::string_view name(Operand::Kind value);      // "register", "memory" …
std::string_view name(Operand::Format value);    // "hex", "f32" …
std::string_view name(Space value);              // "global" …; "" for none
std::string_view name(Opcode::Flow value);       // "branch" …; "" if it falls through

std::string register_name(RegisterFile file, unsigned index);  // "R4", "UPT"

// "sm_90"; for PTX "compute_90".
std::string arch_name(Entry::Kind kind, Architecture arch);

}  // namespace burin::read
