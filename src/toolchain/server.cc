#include "toolchain/server.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <thread>

#include "base/child.h"
#include "toolchain/compilers.h"
#include "toolchain/message.h"

namespace burin::toolchain {
namespace {

constexpr int kInput = 0;
constexpr unsigned kEndMicroseconds = 1'000'000;

// Exactly `size` bytes of the input; nullopt if it ends before.
std::optional<std::string> read_exactly(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t have = 0; have < size;) {
    const ssize_t got = ::read(kInput, text.data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    have += static_cast<std::size_t>(got);
  }
  return text;
}

std::optional<std::string> read_message() {
  std::string line;
  for (;;) {
    const std::optional<std::string> next = read_exactly(1);
    if (!next) return std::nullopt;
    if (*next == "\n") break;
    line += *next;
    if (line.size() > 20) return std::nullopt;
  }
  const std::optional<std::size_t> length = frame_length(line);
  return length ? read_exactly(*length) : std::nullopt;
}

bool write_fully(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Ends this process when nobody waits for it any more. The compilation that runs gets the time to
// remove its files.
void end_with_requester() {
  std::thread([] {
    for (;;) {
      pollfd closed{kInput, 0, 0};  // POLLHUP is always reported
      const int ready = ::poll(&closed, 1, -1);
      if (ready < 0 && errno == EINTR) continue;
      if (ready < 0) return;
      if ((closed.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) break;
    }
    end_children();
    ::usleep(kEndMicroseconds);
    ::_exit(0);
  }).detach();
}

}  // namespace

Result<void> serve_compilations() {
  // Answers go where standard output went. What NVRTC or another library prints must not get among
  // them.
  const int answers = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (answers < 0 || nowhere < 0) return Error{"burin compiler: no standard output"};
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  end_with_requester();
  while (const std::optional<std::string> message = read_message()) {
    const std::optional<CompileOrder> order = unpack_order(*message);
    const CompileResult made =
        order ? compile_with(NvrtcPlace::kThisProcess, order->request,
                             CompileCache(order->cache_folder, order->cache_bytes))
              : CompileResult(Error{"burin compiler: not an order of this version of burin"});
    if (!write_fully(answers, framed(pack(made)))) break;
  }
  return {};
}

}  // namespace burin::toolchain
