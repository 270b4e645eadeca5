// PTX as text again.
//
//   print(module)                                      the text that was parsed, byte for byte
//   print(module, {{function.span, new_text}})         the same with a function replaced
#pragma once

#include <span>
#include <string>

#include "read/ptx/module.h"

namespace burin::read::ptx {

struct Replacement {
  Span span{};
  std::string text{};
};

// The module put together from its items and, in functions, their statements; the replacements must
// be in order and must not overlap.
std::string print(const Module& module, std::span<const Replacement> replacements = {});

}  // namespace burin::read::ptx
