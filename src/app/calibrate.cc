// `burin calibrate`: microbenchmarks on a GPU become a machine file.
#include <CLI/CLI.hpp>
#include <ctime>
#include <memory>

#include "app/cli.h"
#include "app/options/output_option.h"
#include "base/format.h"
#include "jobs/calibrate_gpu.h"
#include "machine/entries.h"
#include "measure/sample.h"
#include "report/computer/calibration.h"

namespace burin::app {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  ::gmtime_r(&now, &day);
  return fmt::format("{}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

report::CalibrationReport report_of(const gpu::Calibration& done, const machine::Machine& before) {
  report::CalibrationReport report{.gpu = done.gpu,
                                   .architecture = done.architecture,
                                   .driver = done.driver,
                                   .toolkit = done.toolkit,
                                   .date = today(),
                                   .clock_mhz = done.machine.sm.clock_mhz};
  for (const gpu::MicroResult& result : done.results) {
    if (!result.refused.empty()) report.refused.push_back({result.name, result.refused});
    for (const gpu::Settled& settled : result.settled) {
      for (const auto& entry : machine::machine_entries()) {
        if (entry.name != settled.entry) continue;
        report.values.push_back({entry.name, std::string(entry.unit), result.name, entry.in(before),
                                 settled.value, settled.spread});
      }
    }
    for (const gpu::MicroLaunch& launch : result.launches) {
      const auto found = result.readings.find(launch.label);
      if (found == result.readings.end() || found->second.values.empty()) continue;
      const measure::Sample sample = measure::summarize(found->second.values);
      report.readings.push_back(
          {result.name, launch.label, launch.output == gpu::MicroOutput::kTimes ? "us" : "cycles",
           sample.count, sample.median, sample.spread(), found->second.clock_mhz});
    }
  }
  return report;
}

Result<Exit> run_calibrate(Context& context, const jobs::CalibrateGpuRequest& request) {
  const Result<jobs::CalibratedGpu> calibrated = jobs::calibrate_gpu(request, context.progress());
  if (!calibrated) return calibrated.error();
  const report::CalibrationReport report = report_of(calibrated->done, calibrated->before);
  if (context.json) {
    report::write_calibration_json(context.out, report);
  } else {
    report::write_calibration(context.out, report);
  }
  if (Result<void> kept = jobs::keep_calibration(*calibrated, request); !kept) return kept.error();
  if (!request.out.empty() && !context.json) context.out.put("\nwritten to ", request.out, '\n');
  return report.values.empty() ? Exit::kDevice : Exit::kDone;
}

}  // namespace

void add_calibrate(Commands& commands) {
  const auto options = std::make_shared<jobs::CalibrateGpuRequest>();
  CLI::App& app = commands.add(
      "calibrate", "Measures a GPU with microbenchmarks and writes its machine file",
      "  burin calibrate --out mine.json            measure everything, start from h200\n  burin "
      "calibrate --only 'dram.*' 'l2.*'     show old and new values\n  burin calibrate --from a100 "
      "--name a100_pcie --out a100_pcie.json\n  burin predict kernel.cubin … --machine ./mine.json",
      [options](Context& context) { return run_calibrate(context, *options); });
  app.add_option("--device", options->device, "GPU to measure, cuda:N (default: cuda:0)");
  app.add_option("--out", options->out, "Machine file to write (default: print the table only)")
      ->check(output_file());
  app.add_flag("--force", options->force, "Overwrite an existing file of any kind");
  app.add_option("--only", options->only,
                 "Entries or microbenchmarks to measure; * matches any characters (default: all)");
  app.add_option("--from", options->from,
                 "Machine that supplies the values not measured (default: h200)");
  app.add_option("--name", options->name, "Name of the new machine (default: that of --from)")
      ->type_name("NAME");
  app.add_option("--keep", options->keep, "Folder for the raw clock readings of the kernels");
}

}  // namespace burin::app
