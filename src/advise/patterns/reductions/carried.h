// Values that a loop carries from one iteration to the next, other than counters.
//
//   const CarriedValues carried(c, loop);
//   carried.any()                 there are such values
//   carried.only_reductions()     sums, dot products, minima, maxima: iterations may be done in any
//                                 order, by different threads, and combined afterwards
//   carried.chooses()             the best value so far, with its index, is kept by comparisons
//   carried.in_order()            each iteration needs the whole result of the one before: a
//                                 recurrence, a table that is filled entry by entry
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
  // A comparison keeps the better of two values, for example with its index. Iterations may be done
  // in any order, but the index of equal values then depends on that order.
  bool chooses() const { return chooses_; }
  // A carried value is multiplied, passes through both sums and extrema, is kept in an array of the
  // thread, or goes to other threads through shared memory in each iteration. False for running
  // sums, whose parts can be computed separately.
  bool in_order() const { return in_order_; }

 private:
  bool any_ = false;
  bool chooses_ = false;
  bool only_reductions_ = true;
  bool in_order_ = false;
};

}  // namespace burin::advise
