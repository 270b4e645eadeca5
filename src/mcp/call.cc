#include "mcp/call.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

namespace burin::mcp {
namespace {

// Standard input from nowhere, output and errors to the two pipes; a process group of its own, so
// that a compiler that it starts ends with it.
[[noreturn]] void run_child(const std::function<int()>& body, int out, int err) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
      ::dup2(err, STDERR_FILENO) < 0) {
    ::_exit(static_cast<int>(Exit::kDevice));
  }
  int status = static_cast<int>(Exit::kInput);
  try {
    status = body();
  } catch (const std::bad_alloc&) {
    std::fputs("burin: out of memory\n", stderr);
  } catch (const std::exception& defect) {
    std::fprintf(stderr, "burin: internal error: %s; please report it\n", defect.what());
  }
  std::fflush(nullptr);
  ::_exit(status);
}

}  // namespace

Result<std::unique_ptr<Call>> Call::start(const std::function<int()>& body, double limit_seconds) {
  int out[2] = {-1, -1}, err[2] = {-1, -1};
  const bool piped = ::pipe2(out, O_CLOEXEC) == 0 && ::pipe2(err, O_CLOEXEC) == 0;
  const pid_t child = piped ? ::fork() : -1;
  if (child == 0) run_child(body, out[1], err[1]);
  const int problem = errno;
  for (const int end : {out[1], err[1]}) {
    if (end >= 0) ::close(end);
  }
  if (child < 0) {
    for (const int end : {out[0], err[0]}) {
      if (end >= 0) ::close(end);
    }
    return Error{std::string("cannot start a process: ") + std::strerror(problem), Exit::kDevice};
  }
  ::setpgid(child, child);  // here too: whichever process comes first
  for (const int end : {out[0], err[0]}) ::fcntl(end, F_SETFL, O_NONBLOCK);
  std::unique_ptr<Call> call(new Call);
  call->child_ = child;
  call->out_ = out[0];
  call->err_ = err[0];
  call->limit_ = std::chrono::steady_clock::now() +
                 std::chrono::milliseconds(static_cast<long long>(limit_seconds * 1000));
  return call;
}

Call::~Call() {
  end(true);
}

std::vector<pollfd> Call::descriptors() const {
  std::vector<pollfd> all;
  for (const int descriptor : {out_, err_}) {
    if (descriptor >= 0) all.push_back({descriptor, POLLIN, 0});
  }
  return all;
}

int Call::wait_milliseconds() const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      limit_ - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<long long>(left.count() + 1, 0, 3'600'000));
}

void Call::read_from(int& descriptor, std::string& text) {
  char buffer[1 << 16];
  while (descriptor >= 0) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      ::close(std::exchange(descriptor, -1));
      return;
    }
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > kMaxOutput) {
      text.resize(kMaxOutput);
      ending_.cut = true;
      return;
    }
  }
}

void Call::receive() {
  if (has_ended()) return;
  read_from(out_, ending_.out);
  read_from(err_, ending_.err);
  if (ending_.cut) {
    end(true);
  } else if (out_ < 0 && err_ < 0) {
    end(false);
  } else if (std::chrono::steady_clock::now() >= limit_) {
    ending_.timed_out = true;
    end(true);
  }
}

void Call::end(bool kill_it) {
  for (int* descriptor : {&out_, &err_}) {
    if (*descriptor >= 0) ::close(std::exchange(*descriptor, -1));
  }
  if (child_ < 0) return;
  if (kill_it) ::kill(-child_, SIGKILL);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  ::kill(-child_, SIGKILL);  // what it may have left
  child_ = -1;
  ending_.status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace burin::mcp
