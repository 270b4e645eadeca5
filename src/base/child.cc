#include "base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "base/text.h"

namespace burin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxAnswer = 1 << 20;

int milliseconds_until(Clock::time_point end) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

// Collects what the child writes until it closes its end; false when the time is over.
bool collect(int from, Clock::time_point end, std::string& text) {
  for (;;) {
    pollfd waiting{from, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, milliseconds_until(end));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char piece[4096];
    const ssize_t size = ::read(from, piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return true;
    if (text.size() < kMaxAnswer) text.append(piece, static_cast<std::size_t>(size));
  }
}

// Waits for the child's end; one that is stuck in the kernel is left behind rather than waited for.
bool ended_well(pid_t child, Clock::time_point end) {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR) return false;
    if (milliseconds_until(end) == 0) return false;
    ::usleep(2000);
  }
}

bool write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Open at the beginning of the text. A file in memory, as a pipe would block its writer.
int input_file(const std::string& text) {
  if (text.empty()) return ::open("/dev/null", O_RDONLY);
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  if (file < 0 || !write_all(file, text)) ::_exit(126);
  ::lseek(file, 0, SEEK_SET);
  return file;
}

// The process groups that run now, for end_children(). Without a lock, which a fork might inherit
// locked. Groups beyond the size of the table are not recorded.
std::array<std::atomic<pid_t>, 64> running_groups{};
std::atomic<bool> children_ended = false;

class RunningGroup {
 public:
  explicit RunningGroup(pid_t group) {
    for (std::atomic<pid_t>& place : running_groups) {
      pid_t free = 0;
      if (!place.compare_exchange_strong(free, group)) continue;
      place_ = &place;
      break;
    }
    if (children_ended) ::kill(-group, SIGKILL);
  }
  ~RunningGroup() {
    if (place_ != nullptr) *place_ = 0;
  }
  RunningGroup(const RunningGroup&) = delete;
  RunningGroup& operator=(const RunningGroup&) = delete;

 private:
  std::atomic<pid_t>* place_ = nullptr;
};

Answer with_child(const std::function<void(int to)>& work, double limit_seconds) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);                     // so that its own children end with it
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // and it with burin, who alone would end it if it hangs
    std::signal(SIGPIPE, SIG_DFL);
    work(ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  Answer answer;
  if (child > 0) {
    ::setpgid(child, child);  // also here: whoever is first, the group exists from now on
    const RunningGroup running(child);
    const auto limit =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds));
    const bool in_time = collect(ends[0], Clock::now() + limit, answer.text);
    if (!in_time) ::kill(-child, SIGKILL);
    const bool well = ended_well(child, Clock::now() + std::chrono::seconds(1));
    answer.end = !in_time ? Answer::End::kTimedOut
                 : well   ? Answer::End::kDone
                          : Answer::End::kFailed;
  }
  ::close(ends[0]);
  return answer;
}

}  // namespace

Answer ask(const std::function<std::string()>& question, double limit_seconds) {
  return with_child(
      [&](int to) {
        // Libraries may print; their words are not the answer.
        const int nowhere = ::open("/dev/null", O_RDWR);
        for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);
        if (!write_all(to, question())) ::_exit(1);
      },
      limit_seconds);
}

Answer run_program(const std::string& path, const std::vector<std::string>& arguments,
                   double limit_seconds, const std::string& input,
                   const std::map<std::string, std::string>& environment) {
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  return with_child(
      [&](int to) {
        ::dup2(input_file(input), 0);
        ::dup2(to, 1);
        ::dup2(to, 2);
        for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
        ::execv(path.c_str(), words.data());
        ::_exit(127);
      },
      limit_seconds);
}

void end_children() {
  children_ended = true;
  for (const std::atomic<pid_t>& place : running_groups) {
    if (const pid_t group = place; group > 0) ::kill(-group, SIGKILL);
  }
}

std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  const char* path = std::getenv("PATH");
  std::vector<std::string> all = folders;
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':')) {
    if (!folder.empty()) all.emplace_back(folder);
  }
  for (const std::string& folder : all) {
    const std::string candidate = folder + "/" + name;
    struct stat status{};
    if (::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return "";
}

}  // namespace burin
