// Result<T>: a value, or an Error with a sentence that tells the user what is wrong.
//
//   Result<Image> image = read_image(bytes);
//   if (!image) return image.error();
//   use(*image);
//
// The library never throws across folder boundaries and never prints. `app/` prints an Error as one
// line on stderr and uses its Exit as the exit status of the process.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace burin {

// Exit statuses, the same for every command.
enum class Exit : int {
  kDone = 0,
  kGate = 1,    // a threshold set by the user was exceeded
  kUsage = 2,   // wrong options
  kInput = 3,   // a file, kernel or launch that cannot be processed
  kDevice = 4,  // the GPU or its driver reported an error
};

struct Error {
  std::string message;  // one sentence: the subject, what is wrong with it, the remedy
  Exit exit = Exit::kInput;

  // The same error with its context in front: "libfoo.so: <message>".
  Error within(const std::string& where) const { return {where + ": " + message, exit}; }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& value() {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& value() const {
    assert(ok());
    return std::get<0>(state_);
  }
  const Error& error() const {
    assert(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace burin
