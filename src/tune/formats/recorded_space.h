// Reads recorded spaces: T4 results and Kernel Tuner's cache files, plain or compressed by gzip.
//
//   Result<RecordedSpace> recorded = read_recorded_space("gemm_RTX3090.json.gz");
//
// T4:          {"results": [{"configuration": {"tile": 4, …}, "times": {…}, "invalidity":
// "correct",
//               "measurements": [{"name": "time", "value": 5.9, "unit": "ms"}], …}, …]}
// cache file:  {"tune_params_keys": ["tile", …], "cache": {"4,…": {"tile": 4, "time": 5.9,
//               "compile_time": 892.9, …}, …}}
//
// T4's metadata may have `space_size`, the number of valid configurations: if there are more than
// are recorded, the space is not fully recorded.
//
// Times without a unit are in milliseconds in both. A cache file that lacks its end, as a killed
// tuner leaves it, is read up to the last complete configuration. Failures are T4's `invalidity`,
// or a text in place of the time. A configuration that is recorded twice counts once, as it was
// last. Numbers of a parameter are sorted; texts keep the order in which they appear, after the
// numbers.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tune/replay.h"

namespace burin::tune {

// Errors name the file, and the line and column or the configuration in it.
Result<RecordedSpace> read_recorded_space(const std::string& path);

// The same for the text of a file.
Result<RecordedSpace> parse_recorded_space(std::string_view text);

}  // namespace burin::tune
