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

  using Addresses = std::vector<std::uintptr_t>;  // as walk_stack gives them

  // The number of that stack. Not safe from many threads: the recorder's lock stands around it.
  std::uint32_t number(const Addresses& addresses);

 private:
  SpoolWriter& out_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // by a hash of the addresses
};

}  // namespace burin
