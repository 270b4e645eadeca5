#include "base/foreground.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/format.h"

namespace burin {
namespace {

volatile pid_t running = 0;

void hand_on(int signal) {
  if (running > 0) ::kill(running, signal);
}

// What burin does with a signal while the program runs.
class Handling {
 public:
  Handling(int signal, void (*handler)(int)) : signal_(signal) {
    struct sigaction action{};
    action.sa_handler = handler;
    ::sigaction(signal, &action, &before_);
  }
  ~Handling() { ::sigaction(signal_, &before_, nullptr); }
  Handling(const Handling&) = delete;
  Handling& operator=(const Handling&) = delete;

 private:
  int signal_;
  struct sigaction before_{};
};

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::string words(const Ending& ending) {
  if (ending.signal == 0) return fmt::format("status {}", ending.status);
  return fmt::format("signal {} ({})", ending.signal, ::strsignal(ending.signal));
}

Result<Ending> run_in_foreground(const std::vector<std::string>& command,
                                 const std::map<std::string, std::string>& environment) {
  std::vector<std::string> words = command;
  std::vector<std::string> variables = environment_with(environment);
  // The program starts with the signals as a shell would have left them.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t usual;
  ::sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::sigaddset(&usual, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  const Handling interrupt(SIGINT, SIG_IGN), quit(SIGQUIT, SIG_IGN), end(SIGTERM, hand_on);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, words[0].c_str(), nullptr, &attributes,
                                    pointers(words).data(), pointers(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    return Error{fmt::format("cannot start {}: {}", command[0], std::strerror(failed))};
  }
  running = child;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  Ending ending;
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
  if (WIFEXITED(status)) ending.status = WEXITSTATUS(status);
  return ending;
}

}  // namespace burin
