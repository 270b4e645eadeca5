// A Result of work that has a time limit: whether the limit ended it, or something else.
//
//   TimedResult<Compiled> made = compile(request, cache);
//   if (made.timed_out()) …                            // made.error() names the compiler
//   if (!made) return made.failure<NvccOutput>();      // the same failure, of another type
#pragma once

#include <utility>

#include "base/result.h"

namespace burin::toolchain {

template <typename T>
class [[nodiscard]] TimedResult : public Result<T> {
 public:
  TimedResult(T value) : Result<T>(std::move(value)) {}
  TimedResult(Error error, bool timed_out = false)
      : Result<T>(std::move(error)), timed_out_(timed_out) {}

  bool timed_out() const { return timed_out_; }

  // Only if there is no value.
  template <typename U>
  TimedResult<U> failure() const {
    return {this->error(), timed_out_};
  }

 private:
  bool timed_out_ = false;
};

}  // namespace burin::toolchain
