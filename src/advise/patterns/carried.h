// Values that a loop carries from one iteration to the next, other than counters.
//
//   const CarriedValues carried(c, loop);
//   carried.any()                 there are such values
//   carried.only_reductions()     sums, products' sums, minima, maxima: iterations may be done in
//                                 any order, by different threads, and combined afterwards
//   carried.values[i]             instruction i computes one
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

class CarriedValues {
 public:
  CarriedValues(const Case& c, std::uint32_t loop);

  read::InstructionSet values;
  bool any() const { return any_; }
  // Also true if there are none.
  bool only_reductions() const { return only_reductions_; }

 private:
  bool any_ = false;
  bool only_reductions_ = true;
};

}  // namespace burin::advise
