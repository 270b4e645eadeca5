// A command of burin's own, run in a fork of this process: it starts at once, and a crash, an
// endless loop or a lack of memory costs one answer.
//
//   Result<std::unique_ptr<Call>> call = Call::start([] { return run_command(words); }, 120);
//   poll() on (*call)->descriptors(), then (*call)->receive(), until (*call)->has_ended()
//   (*call)->ending().status, (*call)->ending().out
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace burin::mcp {

class Call {
 public:
  struct Ending {
    int status = 0;  // exit status, or minus the signal that ended it
    bool timed_out = false;
    bool cut = false;  // ended because it printed more than kMaxOutput
    std::string out;
    std::string err;
  };

  // `body` prints to standard output and error and returns the exit status. Standard input is
  // empty.
  static Result<std::unique_ptr<Call>> start(const std::function<int()>& body,
                                             double limit_seconds);

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();  // kills the child and what it has started

  std::vector<pollfd> descriptors() const;
  int wait_milliseconds() const;  // until the limit, for poll()
  void receive();                 // reads what there is, without waiting
  bool has_ended() const { return child_ < 0; }
  const Ending& ending() const { return ending_; }

 private:
  static constexpr std::size_t kMaxOutput = 8 << 20;  // bytes

  Call() = default;
  void read_from(int& descriptor, std::string& text);
  void end(bool kill_it);

  pid_t child_ = -1;
  int out_ = -1, err_ = -1;
  std::chrono::steady_clock::time_point limit_{};
  Ending ending_;
};

}  // namespace burin::mcp
