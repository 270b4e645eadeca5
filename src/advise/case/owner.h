// Who can change a kernel's code: the reader, in CUDA or in Triton, or only the people who make the
// library that it comes from. Advice speaks to the reader: callers of a library choose shapes,
// types and layouts; users of Triton choose block sizes, warps and stages.
//
//   const Owner owner = owner_of(kernel);
//   owner.kind                                  Owner::Kind::kLibrary
//   owner.library                               "cuBLAS"
//   adapt_to_owner(owner, findings, notes);           in the words of a caller
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
// By the name of the kernel (namespaces and prefixes) and the files of its source lines.
Owner owner_of(const read::Kernel& kernel);
Owner library_of(std::string_view demangled);  // kReader: of no library that is known

// Puts the findings into the words of the owner. Of a library's kernel, those that a caller cannot
// act on are left out, and a note says what callers can do.
void adapt_to_owner(const Owner& owner, std::vector<Finding>& findings,
                    std::vector<std::string>& notes);

}  // namespace burin::advise
