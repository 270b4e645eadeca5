// The values that `burin calibrate` measured, compared with the previous machine file:
//
//   entry                       old        new   spread  microbenchmark
//   l1.latency                   32      38.02    0.0 %  chase
//   l2.latency                  270      281.4    0.3 %  chase
//   …
//   not measured: atomics: 'same': an illegal address was encountered
//
// The JSON also has every reading, so that a value can be traced back to its launches.
#pragma once

#include <string>
#include <vector>

#include "report/write/output.h"

namespace burin::report {

struct CalibrationReport {
  std::string gpu, architecture, driver, toolkit, date;
  double clock_mhz = 0;

  struct Value {
    std::string entry, unit, source;
    double before = 0, after = 0;
    double spread = 0;  // relative spread
  };
  std::vector<Value> values{};

  struct Refused {
    std::string source, why;
  };
  std::vector<Refused> refused{};

  struct Reading {
    std::string source, label;
    std::string unit;  // "cycles" or "us"
    std::size_t count = 0;
    double median = 0;
    double spread = 0;
    double clock_mhz = 0;  // 0: not queried
  };
  std::vector<Reading> readings{};
};

void write_calibration(Output& out, const CalibrationReport& report);
void write_calibration_json(Output& out, const CalibrationReport& report);

}  // namespace burin::report
