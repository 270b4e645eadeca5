#include "report/computer/calibration.h"

#include "base/format.h"
#include "report/write/json.h"

namespace burin::report {

void write_calibration(Output& out, const CalibrationReport& report) {
  out.put(fmt::format("{} ({}, driver {}, {}), {:.0f} MHz\n\n", report.gpu, report.architecture,
                      report.driver, report.toolkit, report.clock_mhz));
  out.put(fmt::format("{:<28}{:>10} {:>10} {:>8}  {}\n", "entry", "old", "new", "spread",
                      "microbenchmark"));
  for (const CalibrationReport::Value& value : report.values) {
    out.put(fmt::format("{:<28}{:>10.4g} {:>10.4g} {:>6.1f} %  {}\n", value.entry, value.before,
                        value.after, value.spread * 100, value.source));
  }
  for (const CalibrationReport::Refused& refused : report.refused) {
    out.put(fmt::format("not measured: {}: {}\n", refused.source, refused.why));
  }
}

void write_calibration_json(Output& out, const CalibrationReport& report) {
  Json json(out);
  json.open('{');
  json.field("schema", "burin.calibrate/1");
  json.field("gpu", report.gpu);
  json.field("architecture", report.architecture);
  json.field("driver", report.driver);
  json.field("toolkit", report.toolkit);
  json.field("date", report.date);
  json.field("clock_mhz", report.clock_mhz);
  json.open("values", '[');
  for (const CalibrationReport::Value& value : report.values) {
    json.open('{');
    json.field("entry", value.entry);
    json.field("unit", value.unit);
    json.field("before", value.before);
    json.field("after", value.after);
    json.field("spread", value.spread);
    json.field("source", value.source);
    json.close();
  }
  json.close();
  json.open("refused", '[');
  for (const CalibrationReport::Refused& refused : report.refused) {
    json.open('{');
    json.field("source", refused.source);
    json.field("why", refused.why);
    json.close();
  }
  json.close();
  json.open("readings", '[');
  for (const CalibrationReport::Reading& reading : report.readings) {
    json.open('{');
    json.field("source", reading.source);
    json.field("label", reading.label);
    json.field("unit", reading.unit);
    json.field("count", reading.count);
    json.field("median", reading.median);
    json.field("spread", reading.spread);
    if (reading.clock_mhz > 0) json.field("clock_mhz", reading.clock_mhz);
    json.close();
  }
  json.close();
  json.close();
  out.put('\n');
}

}  // namespace burin::report
