// `burin calibrate`: microbenchmarks on a GPU become a machine file.
#include "gpu/calibrate.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <memory>

#include "app/cli.h"
#include "base/format.h"
#include "base/new_file.h"
#include "base/text.h"
#include "gpu/cuda_device.h"
#include "machine/check.h"
#include "machine/entries.h"
#include "machine/load.h"
#include "machine/write.h"
#include "report/calibration.h"

namespace burin {
namespace {

struct Options {
  std::string device = "cuda:0";
  std::string out;
  std::vector<std::string> only;
  std::string from = "h200";
  std::string name;
  std::string keep;
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  ::gmtime_r(&now, &day);
  return fmt::format("{}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

CalibrationReport report_of(const Calibration& done, const Machine& before) {
  CalibrationReport report{.gpu = done.gpu,
                           .architecture = done.architecture,
                           .driver = done.driver,
                           .toolkit = done.toolkit,
                           .date = today(),
                           .clock_mhz = done.machine.sm.clock_mhz};
  for (const MicroResult& result : done.results) {
    if (!result.refused.empty()) report.refused.push_back({result.name, result.refused});
    for (const Settled& settled : result.settled) {
      for (const auto& entry : machine_entries()) {
        if (entry.name != settled.entry) continue;
        report.values.push_back({entry.name, std::string(entry.unit), result.name, entry.in(before),
                                 settled.value, settled.spread});
      }
    }
    for (const MicroLaunch& launch : result.launches) {
      const auto found = result.readings.find(launch.label);
      if (found == result.readings.end() || found->second.values.empty()) continue;
      const Sample sample = summarize(found->second.values);
      report.readings.push_back(
          {result.name, launch.label, launch.output == MicroOutput::kTimes ? "us" : "cycles",
           sample.count, sample.median, sample.spread(), found->second.clock_mhz});
    }
  }
  return report;
}

Result<void> write_file(const std::string& path, std::string_view text) {
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  if (Result<void> written = file->write({bytes, text.size()}); !written) return written;
  return file->finish();
}

// What is inside no machine file of this name would be read back: the file's sanity is asked first.
Result<void> write(Machine machine, const Options& options, const Calibration& done) {
  if (options.out.empty()) return {};
  if (!options.name.empty()) machine.name = options.name;
  if (!options.name.empty() || machine.title.empty()) machine.title = done.gpu;
  const MachineCheck check = check_machine(machine);
  if (!check.ok()) {
    return Error{options.out + " is not written: " + check.sentence(), Exit::kDevice};
  }
  return write_file(options.out, write_machine(machine));
}

// The words that kernels wrote, a file for each launch, for those who want to look for themselves.
Result<void> keep_words(const Calibration& done, const std::string& folder) {
  for (const MicroResult& result : done.results) {
    for (const auto& [label, reading] : result.readings) {
      if (reading.words.empty()) continue;
      std::string name = result.name + "." + label + ".bin";
      std::ranges::replace(name, ' ', '_');
      const std::string_view words(reinterpret_cast<const char*>(reading.words.data()),
                                   reading.words.size() * sizeof(std::uint32_t));
      if (Result<void> kept = write_file(folder + "/" + name, words); !kept) return kept;
    }
  }
  return {};
}

Result<Exit> run_calibrate(Context& context, const Options& options) {
  const Result<unsigned> number = parse_device(options.device);
  if (!number) return number.error().within("--device");
  const Result<Machine> before = load_machine(options.from);
  if (!before) return before.error().within("--from");
  const Result<GpuShape> gpu = describe_gpu(*number);
  if (!gpu) return gpu.error();
  CudaDevice device(path_of_this_program());
  CalibrateRequest request{
      .device = *number, .gpu = *gpu, .machine = *before, .only = options.only};
  request.machine.arch = gpu->arch;
  request.machine.sm.count = gpu->sms;
  request.progress = [&](std::string_view doing, std::size_t done, std::size_t all) {
    context.progress(doing, done, all);
  };
  const Result<Calibration> done = calibrate(device, request);
  context.clear_progress();
  if (!done) return done.error();
  const CalibrationReport report = report_of(*done, *before);
  if (context.json) {
    write_calibration_json(context.out, report);
  } else {
    write_calibration(context.out, report);
  }
  if (!options.keep.empty()) {
    if (Result<void> kept = keep_words(*done, options.keep); !kept) return kept.error();
  }
  if (Result<void> kept = write(done->machine, options, *done); !kept) return kept.error();
  if (!options.out.empty() && !context.json) context.out.put("\nwritten to ", options.out, '\n');
  return report.values.empty() ? Exit::kDevice : Exit::kDone;
}

}  // namespace

void add_calibrate(Commands& commands) {
  const auto options = std::make_shared<Options>();
  CLI::App& app = commands.add(
      "calibrate", "Measures a GPU with microbenchmarks and writes its machine file",
      "  burin calibrate --out mine.json            measure everything, start from h200\n  burin "
      "calibrate --only 'dram.*' 'l2.*'     show old and new values\n  burin calibrate --from a100 "
      "--name a100_pcie --out a100_pcie.json\n  burin predict kernel.cubin … --machine ./mine.json",
      [options](Context& context) { return run_calibrate(context, *options); });
  app.add_option("--device", options->device, "GPU to measure, cuda:N (default: cuda:0)");
  app.add_option("--out", options->out, "Machine file to write (default: print the table only)");
  app.add_option("--only", options->only,
                 "Entries or microbenchmarks to measure; * matches any characters (default: all)");
  app.add_option("--from", options->from,
                 "Machine that supplies the values not measured (default: h200)");
  app.add_option("--name", options->name, "Name of the new machine (default: that of --from)");
  app.add_option("--keep", options->keep, "Folder for the raw clock readings of the kernels");
}

}  // namespace burin
