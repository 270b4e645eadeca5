#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/format.h"

namespace burin {
namespace {

using ProcessClock = std::chrono::steady_clock;

ProcessClock::time_point deadline_in(double seconds) {
  return ProcessClock::now() +
         std::chrono::duration_cast<ProcessClock::duration>(std::chrono::duration<double>(seconds));
}

double seconds_until(ProcessClock::time_point end) {
  return std::chrono::duration<double>(end - ProcessClock::now()).count();
}

void close_file(int& file) {
  if (file >= 0) ::close(file);
  file = -1;
}

// A child that no longer reads is an answer of send(), not a signal that ends this process.
void ignore_broken_pipes() {
  static const auto before = std::signal(SIGPIPE, SIG_IGN);
  static_cast<void>(before);
}

}  // namespace

Result<Process> Process::start(const std::string& path, const std::vector<std::string>& arguments,
                               Errors errors) {
  ignore_broken_pipes();
  int to_child[2];
  int from_child[2];
  if (::pipe2(to_child, O_CLOEXEC) != 0) {
    return Error{fmt::format("cannot start {}: {}", path, std::strerror(errno)), Exit::kDevice};
  }
  if (::pipe2(from_child, O_CLOEXEC) != 0) {
    const int reason = errno;
    ::close(to_child[0]);
    ::close(to_child[1]);
    return Error{fmt::format("cannot start {}: {}", path, std::strerror(reason)), Exit::kDevice};
  }
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);

  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);  // so that its own children end with it, and Ctrl-C is for burin alone
    std::signal(SIGPIPE, SIG_DFL);
    ::dup2(to_child[0], 0);
    ::dup2(from_child[1], 1);
    if (errors == Errors::kWithOutput) ::dup2(from_child[1], 2);
    ::execv(path.c_str(), words.data());
    ::_exit(127);
  }
  ::close(to_child[0]);
  ::close(from_child[1]);
  Process process;
  process.child_ = child;
  process.input_ = to_child[1];
  process.output_ = from_child[0];
  if (child < 0) {
    return Error{fmt::format("cannot start {}: {}", path, std::strerror(errno)), Exit::kDevice};
  }
  return process;
}

Process::Process(Process&& other) noexcept
    : child_(std::exchange(other.child_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      buffer_(std::move(other.buffer_)) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    kill();
    child_ = std::exchange(other.child_, -1);
    input_ = std::exchange(other.input_, -1);
    output_ = std::exchange(other.output_, -1);
    buffer_ = std::move(other.buffer_);
  }
  return *this;
}

Process::~Process() {
  kill();
}

void Process::close_input() {
  close_file(input_);
}

void Process::close() {
  close_input();
  close_file(output_);
}

void Process::kill() {
  close();
  if (child_ <= 0) return;
  // Both, as the child may not have made its group yet.
  ::kill(-child_, SIGKILL);
  ::kill(child_, SIGKILL);
  // One that is stuck in the kernel is left behind rather than waited for.
  for (int tries = 0; tries < 500; ++tries) {
    const pid_t ended = ::waitpid(child_, nullptr, WNOHANG);
    if (ended == child_ || (ended < 0 && errno != EINTR)) break;
    ::usleep(2000);
  }
  child_ = -1;
}

bool Process::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(input_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// kLine: something was added to the buffer.
Process::Line::Status Process::receive(double limit_seconds) {
  const auto end = deadline_in(limit_seconds);
  for (;;) {
    if (output_ < 0) return Line::Status::kEnded;
    const double left = seconds_until(end);
    pollfd waiting{output_, POLLIN, 0};
    // At most a minute at a time, so that no limit overflows what poll() takes.
    const int ready =
        ::poll(&waiting, 1, left <= 0 ? 0 : static_cast<int>(left < 60 ? left * 1000 + 1 : 60000));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return Line::Status::kEnded;
    if (ready == 0) {
      if (seconds_until(end) <= 0) return Line::Status::kTimedOut;
      continue;
    }
    char piece[16384];
    const ssize_t size = ::read(output_, piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return Line::Status::kEnded;
    buffer_.append(piece, static_cast<std::size_t>(size));
    return Line::Status::kLine;
  }
}

Process::Line Process::read_line(double limit_seconds) {
  const auto end = deadline_in(limit_seconds);
  for (std::size_t searched = 0;;) {
    const std::size_t newline = buffer_.find('\n', searched);
    if (newline != std::string::npos) {
      Line line{Line::Status::kLine, buffer_.substr(0, newline)};
      buffer_.erase(0, newline + 1);
      return line;
    }
    searched = buffer_.size();
    const Line::Status status = receive(seconds_until(end));
    if (status == Line::Status::kTimedOut) return {status};
    if (status == Line::Status::kEnded) return {status, std::exchange(buffer_, "")};
  }
}

Process::Line Process::read_bytes(std::size_t size, double limit_seconds) {
  const auto end = deadline_in(limit_seconds);
  while (buffer_.size() < size) {
    const Line::Status status = receive(seconds_until(end));
    if (status != Line::Status::kLine) return {status};
  }
  Line bytes{Line::Status::kLine, buffer_.substr(0, size)};
  buffer_.erase(0, size);
  return bytes;
}

void exit_with_parent() {
  struct stat status{};
  if (::fstat(0, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  std::thread([] {
    for (;;) {
      pollfd closed{0, 0, 0};  // POLLHUP is always reported
      const int ready = ::poll(&closed, 1, -1);
      if (ready < 0 && errno == EINTR) continue;
      if (ready > 0 && (closed.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) ::_exit(0);
      if (ready < 0) return;
    }
  }).detach();
}

}  // namespace burin
