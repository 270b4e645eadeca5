// The toolkit that made a cubin and the target architecture: from the ELF header and from
// .note.nv.tkinfo, in which the toolkit records its name, version and options.
#pragma once

#include <optional>
#include <string>

#include "read/architecture.h"
#include "read/binary/elf.h"

namespace burin::read {

struct ToolkitNote {
  std::string toolkit;               // "ptxas 13.0"; "" if the note does not say
  std::optional<Architecture> arch;  // from the -arch option
};

ToolkitNote read_toolkit_note(const Elf& cubin);

// The target architecture. The ELF header gives the number; only the note distinguishes sm_90 from
// sm_90a.
Architecture cubin_architecture(const Elf& cubin, const ToolkitNote& note);

}  // namespace burin::read
