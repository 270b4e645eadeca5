// Who made a cubin and for which architecture: from its ELF header and from .note.nv.tkinfo, where
// the toolkit leaves its name, version and options.
#pragma once

#include <optional>
#include <string>

#include "read/architecture.h"
#include "read/binary/elf.h"

namespace burin::read {

struct ToolkitNote {
  std::string toolkit;               // "ptxas 13.0"; empty when not said
  std::optional<Architecture> arch;  // the -arch it was given
};

ToolkitNote read_toolkit_note(const Elf& cubin);

// The header tells the number, only the note tells sm_90 from sm_90a.
Architecture cubin_architecture(const Elf& cubin, const ToolkitNote& note);

}  // namespace burin::read
