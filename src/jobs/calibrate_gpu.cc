#include "jobs/calibrate_gpu.h"

#include <algorithm>
#include <filesystem>

#include "base/new_file.h"
#include "base/text.h"
#include "gpu/worker/worker_device.h"
#include "jobs/input/output_file.h"
#include "machine/check.h"
#include "machine/load.h"
#include "machine/write.h"

namespace burin::jobs {
namespace {

Result<void> write_file(const std::string& path, std::string_view text) {
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  if (Result<void> written = file->write({bytes, text.size()}); !written) return written;
  return file->finish();
}

// What is inside no machine file of this name would be read back: the file's sanity is asked first.
Result<void> write(machine::Machine machine, const CalibrateGpuRequest& options,
                   const gpu::Calibration& done) {
  if (options.out.empty()) return {};
  if (!options.name.empty()) machine.name = options.name;
  if (!options.name.empty() || machine.title.empty()) machine.title = done.gpu;
  const machine::MachineCheck check = machine::check_machine(machine);
  if (!check.ok()) {
    return Error{options.out + " is not written: " + check.sentence(), Exit::kDevice};
  }
  return write_file(options.out, machine::write_machine(machine));
}

// The words that kernels wrote, a file for each launch, for those who want to look for themselves.
Result<void> keep_words(const gpu::Calibration& done, const std::string& folder, bool force) {
  for (const gpu::MicroResult& result : done.results) {
    for (const auto& [label, reading] : result.readings) {
      if (reading.words.empty()) continue;
      std::string name = result.name + "." + label + ".bin";
      std::ranges::replace(name, ' ', '_');
      const std::string_view words(reinterpret_cast<const char*>(reading.words.data()),
                                   reading.words.size() * sizeof(std::uint32_t));
      const std::string path = folder + "/" + name;
      if (Result<void> fine = check_output({"--keep", path}, {}, force); !fine) return fine;
      if (Result<void> kept = write_file(path, words); !kept) return kept;
    }
  }
  return {};
}

}  // namespace

Result<CalibratedGpu> calibrate_gpu(const CalibrateGpuRequest& options, const Progress& progress) {
  const Result<unsigned> number = gpu::parse_device(options.device);
  if (!number) return number.error().within("--device");
  if (!options.out.empty()) {
    if (Result<void> fine =
            check_output({"--out", options.out, FileContent::kJson}, {options.from}, options.force);
        !fine) {
      return fine.error();
    }
  }
  std::error_code ignored;
  if (!options.keep.empty() && !std::filesystem::is_directory(options.keep, ignored)) {
    return Error{"--keep: " + options.keep + " is not a folder; create it first", Exit::kUsage};
  }
  Result<machine::Machine> before = machine::load_machine(options.from);
  if (!before) return before.error().within("--from");
  const Result<gpu::GpuShape> gpu = gpu::describe_gpu(*number);
  if (!gpu) return gpu.error();
  gpu::WorkerDevice device(gpu::path_of_this_program());
  gpu::CalibrateRequest request{
      .device = *number, .gpu = *gpu, .machine = *before, .only = options.only};
  request.machine.base.clear();  // what is written stands alone
  request.machine.arch = gpu->arch;
  request.machine.sm.count = gpu->sms;
  request.progress = progress.on_step;
  Result<gpu::Calibration> done = gpu::calibrate(device, request);
  progress.done();
  if (!done) return done.error();
  return CalibratedGpu{std::move(*before), std::move(*done)};
}

Result<void> keep_calibration(const CalibratedGpu& calibrated, const CalibrateGpuRequest& request) {
  if (!request.keep.empty()) {
    if (Result<void> kept = keep_words(calibrated.done, request.keep, request.force); !kept) {
      return kept;
    }
  }
  return write(calibrated.done.machine, request, calibrated.done);
}

}  // namespace burin::jobs
