#include "app/command.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace burin::test {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs `command` with its standard output at `out`, closed here once the child has it.
Ran run_shell(const std::string& command, int out) {
  char err_path[] = "/tmp/burin-test-XXXXXX";
  const int err = ::mkstemp(err_path);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out, 1);
    ::dup2(err, 2);
    if (::chdir(BURIN_SOURCE_DIR) != 0) ::_exit(126);
    ::setenv("BURIN", BURIN_BINARY, 1);
    ::execl("/bin/bash", "bash", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(out);
  ::close(err);
  int status = 0;
  ::waitpid(child, &status, 0);
  Ran ran;
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  ran.err = contents(err_path);
  ::unlink(err_path);
  return ran;
}

}  // namespace

Ran shell(const std::string& command) {
  char out_path[] = "/tmp/burin-test-XXXXXX";
  Ran ran = run_shell(command, ::mkstemp(out_path));
  ran.out = contents(out_path);
  ::unlink(out_path);
  return ran;
}

Ran burin(const std::string& arguments) {
  return shell("exec \"$BURIN\" " + arguments);
}

Ran burin_unread(const std::string& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  ::close(ends[0]);
  return run_shell("exec \"$BURIN\" " + arguments, ends[1]);
}

Ran burin_on_terminal(const std::string& arguments, unsigned short columns) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) return {};
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const winsize size{24, columns, 0, 0};
  ::ioctl(terminal, TIOCSWINSZ, &size);
  // What is written here stays in the terminal's buffer (4 KiB) until it is read below.
  const int kept = ::dup(terminal);
  Ran ran = run_shell("exec \"$BURIN\" " + arguments, terminal);
  ::fcntl(master, F_SETFL, O_NONBLOCK);
  char piece[4096];
  for (ssize_t size_read; (size_read = ::read(master, piece, sizeof piece)) > 0;) {
    ran.out.append(piece, static_cast<std::size_t>(size_read));
  }
  ::close(kept);
  ::close(master);
  return ran;
}

bool is_one_line(const std::string& text) {
  return text.starts_with("burin: ") && text.ends_with('\n') &&
         std::count(text.begin(), text.end(), '\n') == 1;
}

}  // namespace burin::test
