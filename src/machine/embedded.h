// The files of data/machines/, embedded in the binary by scripts/embed_machines.py.
#pragma once

#include <span>
#include <string_view>

namespace burin::machine {

struct EmbeddedMachine {
  std::string_view name;  // file name without .json
  std::string_view text;
};

std::span<const EmbeddedMachine> embedded_machines();  // sorted by name

}  // namespace burin::machine
