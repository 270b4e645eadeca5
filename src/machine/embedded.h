// The files of data/machines/, compiled in by scripts/embed_machines.py.
#pragma once

#include <span>
#include <string_view>

namespace burin::machine {

struct EmbeddedMachine {
  std::string_view name;  // of the file, without .json
  std::string_view text;
};

std::span<const EmbeddedMachine> embedded_machines();  // by name

}  // namespace burin::machine
