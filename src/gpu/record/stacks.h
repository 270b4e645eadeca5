// The host's call stacks, each told to the spool once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "launch/spool_writer.h"

namespace burin {

class Stacks {
 public:
  explicit Stacks(SpoolWriter& out) : out_(out) {}

  // The return addresses of the calling thread. Takes no lock, and no memory but its own.
  using Addresses = std::vector<void*>;
  static Addresses walk();

  // The number of that stack. Not safe from many threads: the recorder's lock stands around it.
  std::uint32_t number(const Addresses& addresses);

 private:
  SpoolWriter& out_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // by a hash of the addresses
};

}  // namespace burin
