// A Result that also tells what kind of failure an Error is, so that a device can report it.
//
//   Attempt<LoadedProgram> program = LoadedProgram::load(…);
//   if (!program) return measure::DeviceAnswer(program.error(), program.kind());
#pragma once

#include <utility>

#include "base/result.h"
#include "measure/device.h"

namespace burin::gpu {

template <typename T>
class [[nodiscard]] Attempt : public Result<T> {
 public:
  using Result<T>::Result;
  Attempt(Error error, measure::FailureKind kind = measure::FailureKind::kDevice)
      : Result<T>(std::move(error)), kind_(kind) {}
  Attempt(Result<T> result, measure::FailureKind kind)
      : Result<T>(std::move(result)), kind_(kind) {}

  measure::FailureKind kind() const { return kind_; }  // only if there is no value

 private:
  measure::FailureKind kind_ = measure::FailureKind::kDevice;
};

// The failure of an attempt, as the answer of a device.
template <typename T>
measure::DeviceAnswer failure(const Attempt<T>& attempt) {
  return {attempt.error(), attempt.kind()};
}

}  // namespace burin::gpu
