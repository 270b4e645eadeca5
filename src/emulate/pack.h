// Conversions that pack several results into a register, and those whose results are words. Their
// rows stand in execute_convert.cc.
#pragma once

#include "emulate/lower.h"

namespace burin {

bool lower_f2fp(Lowering& l, const Instruction& i, Op& op);
bool lower_i2fp(Lowering& l, const Instruction& i, Op& op);  // also I2F from 32 bits to F32
bool lower_f2ip(Lowering& l, const Instruction& i, Op& op);
bool lower_i2i(Lowering& l, const Instruction& i, Op& op);
bool lower_i2ip(Lowering& l, const Instruction& i, Op& op);

}  // namespace burin
