// Blocks all signals while it exists. Signals belong to the program, so threads of the recorder
// must not receive them: a SignalsBlocked is created before a thread is started, and the new thread
// inherits the signal mask.
#pragma once

#include <csignal>

namespace burin::gpu {

class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace burin::gpu
