// MPI, opened at run time: burin is not linked with it, and needs it only under mpirun.
//
//   if (Mpi::is_under_mpirun()) {
//     Result<std::unique_ptr<Mpi>> mpi = Mpi::open();
//     …
//     (*mpi)->leave(Mpi::Leave::kTogether);
//   }
//
// Open MPI 4 and 5 are supported: their handles are addresses of symbols of libmpi.so.40, whose
// binary interface the project keeps stable.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "base/result.h"
#include "tune/cluster/transport.h"

namespace burin::tune {

class Mpi : public Transport {
 public:
  static bool is_under_mpirun();

  // Starts MPI. Errors of MPI calls are returned, not fatal.
  static Result<std::unique_ptr<Mpi>> open();

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(int to, std::string_view text) override;
  std::optional<Message> poll() override;

  // Waits, for at most `seconds`, until what was sent has left this process.
  void flush(double seconds);

  enum class Leave : std::uint8_t {
    kTogether,  // every rank is alive and leaves as well
    kAlone,     // some rank is dead: MPI's own farewell would wait for it for ever
  };
  // Ends MPI. With kAlone the process must end by _exit() afterwards.
  void leave(Leave how);

 private:
  struct Functions;
  struct Sending;

  Mpi();

 public:
  ~Mpi() override;

 private:
  void forget_sent();

  std::unique_ptr<Functions> mpi_;
  std::list<Sending> sending_;  // messages on their way
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace burin::tune
