// One process at a time takes samples on a GPU. CUPTI lets several begin, and then in some of them
// all callbacks and records end without a word (seen with CUDA 13.0: of six processes, two were
// recorded). So recorded processes ask each other first: whoever listens at the name of the GPU's
// samples has them, until it ends or gives them back.
//
//   const DeviceClaim claim = DeviceClaim::take("0000:18:00.0");
//   if (!claim) …  // another recorded process takes samples there
#pragma once

#include <string>
#include <utility>

namespace burin::gpu {

class DeviceClaim {
 public:
  // `bus` is the GPU's place in the computer. Where nobody can be asked, it is taken as free.
  static DeviceClaim take(const std::string& bus);

  ~DeviceClaim() { give_back(); }
  DeviceClaim(DeviceClaim&& other) noexcept
      : socket_(std::exchange(other.socket_, kNone)), is_taken_(other.is_taken_) {}
  DeviceClaim& operator=(DeviceClaim&&) = delete;

  explicit operator bool() const { return is_taken_; }

  // Also in the child of a fork, which has it from its parent and must not keep it.
  void give_back();

 private:
  static constexpr int kNone = -1;
  DeviceClaim(int socket, bool is_taken) : socket_(socket), is_taken_(is_taken) {}

  int socket_;
  bool is_taken_;
};

}  // namespace burin::gpu
