// The parameters of a kernel in its source text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "advise/changes/cuda_text.h"

namespace burin::advise {

struct ParameterText {
  std::size_t first = 0, last = 0;     // tokens
  std::size_t star = CudaText::kNone;  // the last * of a pointer; kNone: no pointer
  bool is_const = false;               // what it points to
  bool is_restrict = false;
  bool is_plain = true;   // a type, at most one * and a name: nothing that is not understood
  std::string pointee{};  // last word of the type that it points to: "float"
};
std::vector<ParameterText> parameters_of(const CudaText& source, const FunctionText& function);

}  // namespace burin::advise
