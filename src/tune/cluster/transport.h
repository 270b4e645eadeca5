// How the processes of one tuning run talk to each other: MPI (mpi.h), or pipes in tests. Messages
// are texts between two ranks; nothing is collective, so that a dead rank holds up nobody.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace burin::tune {

struct Message {
  int from = 0;
  std::string text;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Returns at once, whether or not the other rank is alive.
  virtual void send(int to, std::string_view text) = 0;

  // The next message, if one has arrived.
  virtual std::optional<Message> poll() = 0;
};

}  // namespace burin::tune
