#include "gpu/record/driver/device_claim.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace burin::gpu {

DeviceClaim DeviceClaim::take(const std::string& bus) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return {kNone, true};
  // A name that begins with a zero stands in no folder, and is gone with its process.
  const std::string name = "burin samples " + bus;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t size = std::min(name.size(), sizeof address.sun_path - 1);
  std::copy_n(name.begin(), size, address.sun_path + 1);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), length) == 0) {
    return {socket, true};
  }
  const bool is_anothers = errno == EADDRINUSE;
  ::close(socket);
  return {kNone, !is_anothers};
}

void DeviceClaim::give_back() {
  if (socket_ != kNone) ::close(std::exchange(socket_, kNone));
}

}  // namespace burin::gpu
