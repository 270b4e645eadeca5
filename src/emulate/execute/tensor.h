// The lowering functions of the tensor core instructions, which execute/tensor.cc collects in one
// table. The comment after each function names the file that defines it.
#pragma once

#include <optional>

#include "emulate/state/lower.h"

namespace burin::emulate {

bool lower_imma(Lowering& l, const read::Instruction& i, Op& op);  // execute/tensor_integer.cc
bool lower_bmma(Lowering& l, const read::Instruction& i, Op& op);
bool lower_dmma(Lowering& l, const read::Instruction& i, Op& op);  // execute/tensor_double.cc
bool lower_ldsm(Lowering& l, const read::Instruction& i, Op& op);  // execute/matrix.cc
bool lower_stsm(Lowering& l, const read::Instruction& i, Op& op);
bool lower_movm(Lowering& l, const read::Instruction& i, Op& op);

// Lowers the operands common to all warp-wide products: D, A, B, C in this order, then a uniform
// predicate that must be true, then, for a sparse product, the metadata and its selector. Returns
// false if an operand does not have this form.
bool lower_product(Lowering& l, const read::Instruction& i, Op& op);

// Indices into Op::mode for warp-wide products.
enum ProductMode : unsigned {
  // Set by lower_product.
  kRegistersA,
  kRegistersB,
  kTall,
  kSparse,
  kSelector,
  // Set by the instruction itself: for floats, for doubles, for integers.
  kFormatA,
  kFormatB,
  kDirection = kFormatA,
  kBits = kFormatA,
  kSignedness,
};

}  // namespace burin::emulate
