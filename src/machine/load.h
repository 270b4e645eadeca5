// Loads a Machine from a machine file. The files of data/machines/ are embedded in the binary and
// loaded by name; any other file is loaded by path.
//
//   Result<Machine> h200 = load_machine("h200");
//   Result<Machine> mine = load_machine("./mine.json");
//
// The format, which write.h produces:
//
//   {"schema": "burin.machine/1", "name": "h200", "title": "NVIDIA H200 SXM",
//    "architecture": "sm_90", "policy": "greedy_oldest_block", "carve_outs": [0, 8192, …],
//    "sources": {"guide": "CUDA C++ Programming Guide 13.0, compute capabilities"},
//    "entries": {"sm.count": {"value": 132, "source": "guide"},
//                "l1.latency": {"value": 32.1, "source": "l1_chase", "spread": 0.01}, …}}
//
// A variant of an embedded machine has only what differs; architecture, policy and carve_outs may
// be missing, too. At another SM clock, the base's DRAM keeps its own (Machine::at_clock).
//
//   {"schema": "burin.machine/1", "name": "rtx_a4000", "title": "NVIDIA RTX A4000",
//    "base": "rtx3090", "sources": {…}, "entries": {"sm.count": {"value": 48, "source": …}, …}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace burin::machine {

// Fails with a one-sentence error for an unknown name (the error lists the known names), for a file
// that cannot be read, and for anything parse_machine rejects.
Result<Machine> load_machine(std::string_view name_or_path);

// Returns the names embedded in the binary, in alphabetical order.
std::vector<std::string> known_machines();

// Parses the text of a machine file. Rejects text that does not have the format, an entry that
// entries.h does not list or whose source is not among `sources`, missing entries, which the error
// names, and a base that is not embedded or is a variant itself.
Result<Machine> parse_machine(std::string_view text);

}  // namespace burin::machine
