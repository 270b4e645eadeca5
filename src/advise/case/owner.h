// Who can change a kernel's code: the reader, in CUDA or in Triton, or only the authors of the
// library that it comes from. The advice depends on that: callers of a library can choose shapes,
// types and layouts; users of Triton can choose block sizes, warps and stages.
//
//   const Owner owner = owner_of(kernel);
//   owner.kind                                  Owner::Kind::kLibrary
//   owner.library                               "cuBLAS"
//   adapt_to_owner(owner, findings, notes);     advice that a caller can follow
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advise/case/finding.h"
#include "read/program/kernel.h"

namespace burin::advise {

struct Owner {
  enum class Kind : std::uint8_t { kReader, kTriton, kLibrary };
  Kind kind = Kind::kReader;
  std::string_view library{};  // kLibrary: its name
  std::string_view callers{};  // kLibrary: what a caller can do, in one or two sentences
};
// Decides by the name of the kernel (namespaces and prefixes) and the files of its source lines.
Owner owner_of(const read::Kernel& kernel);
Owner library_of(std::string_view demangled);  // kReader: not from a known library

// Rewords the findings for the owner. For a kernel of a library, findings that a caller cannot act
// on are removed, and a note lists what callers can do.
void adapt_to_owner(const Owner& owner, std::vector<Finding>& findings,
                    std::vector<std::string>& notes);

}  // namespace burin::advise
