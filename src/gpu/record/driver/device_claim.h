// Ensures that only one process at a time samples a GPU. CUPTI lets several processes start
// sampling, but then callbacks and records silently stop in some of them (seen with CUDA 13.0: two
// of six processes were recorded). Recorded processes therefore claim the GPU first: the process
// that has bound the socket name of the GPU owns it, until it ends or gives the claim back.
//
//   const DeviceClaim claim = DeviceClaim::take("0000:18:00.0");
//   if (!claim) …  // another recorded process is sampling that GPU
#pragma once

#include <string>
#include <utility>

namespace burin::gpu {

class DeviceClaim {
 public:
  // `bus` is the GPU's PCI bus id. If the claim cannot be checked, the GPU is assumed to be free.
  static DeviceClaim take(const std::string& bus);

  ~DeviceClaim() { give_back(); }
  DeviceClaim(DeviceClaim&& other) noexcept
      : socket_(std::exchange(other.socket_, kNone)), is_taken_(other.is_taken_) {}
  DeviceClaim& operator=(DeviceClaim&&) = delete;

  explicit operator bool() const { return is_taken_; }

  // Also called in the child after a fork, which inherits the claim and must not keep it.
  void give_back();

 private:
  static constexpr int kNone = -1;
  DeviceClaim(int socket, bool is_taken) : socket_(socket), is_taken_(is_taken) {}

  int socket_;
  bool is_taken_;
};

}  // namespace burin::gpu
