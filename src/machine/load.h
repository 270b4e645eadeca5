// A machine file to a Machine. The files of data/machines/ are inside the binary, under their
// names; any other is given by its path.
//
//   Result<Machine> h200 = load_machine("h200");
//   Result<Machine> mine = load_machine("./mine.json");
//
// The format, which write.h writes too:
//
//   {"schema": "burin.machine/1", "name": "h200", "title": "NVIDIA H200 SXM",
//    "architecture": "sm_90", "policy": "greedy_oldest_block", "carve_outs": [0, 8192, …],
//    "sources": {"guide": "CUDA C++ Programming Guide 13.0, compute capabilities"},
//    "entries": {"sm.count": {"value": 132, "source": "guide"},
//                "l1.latency": {"value": 32.1, "source": "l1_chase", "spread": 0.01}, …}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace burin::machine {

// Refuses, in one sentence: a name that is not known (it lists those that are), a file that cannot
// be read, and whatever parse_machine refuses.
Result<Machine> load_machine(std::string_view name_or_path);

// The names inside the binary, in alphabetical order.
std::vector<std::string> known_machines();

// The text of a machine file. Refuses what is not of the format, an entry that entries.h does not
// list or whose source is not among `sources`, and entries that are missing, by name.
Result<Machine> parse_machine(std::string_view text);

}  // namespace burin::machine
