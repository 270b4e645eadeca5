// The lowering functions of the tensor cores' instructions, which execute_tensor.cc joins in one
// table; each stands in the file named behind it.
#pragma once

#include <optional>

#include "emulate/state/lower.h"

namespace burin::emulate {

bool lower_imma(Lowering& l, const read::Instruction& i, Op& op);  // execute_tensor_integer.cc
bool lower_bmma(Lowering& l, const read::Instruction& i, Op& op);
bool lower_dmma(Lowering& l, const read::Instruction& i, Op& op);  // execute_tensor_double.cc
bool lower_ldsm(Lowering& l, const read::Instruction& i, Op& op);  // execute_matrix.cc
bool lower_stsm(Lowering& l, const read::Instruction& i, Op& op);
bool lower_movm(Lowering& l, const read::Instruction& i, Op& op);

// The operands that all warp-wide products share: D, A, B, C in this order, then a uniform
// predicate that must be true, then, of a sparse product, the metadata and its selector. False
// where an operand is not of this form.
bool lower_product(Lowering& l, const read::Instruction& i, Op& op);

// Op::mode of these products.
enum ProductMode : unsigned {
  // What lower_product puts there.
  kRegistersA,
  kRegistersB,
  kTall,
  kSparse,
  kSelector,
  // And what is the instruction's own: of floats, of doubles, of integers.
  kFormatA,
  kFormatB,
  kDirection = kFormatA,
  kBits = kFormatA,
  kSignedness,
};

}  // namespace burin::emulate
