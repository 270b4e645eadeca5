#include "jobs/saturate/measured_sizes.h"

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "base/text.h"
#include "machine/occupancy.h"
#include "model/opened_request.h"
#include "timing/predict.h"
#include "timing/result/kernel_needs.h"
#include "tune/configuration.h"
#include "tune/device_lab.h"

namespace burin::jobs {
namespace {

// Blocks resident on the whole GPU.
std::uint64_t resident_blocks(const model::OpenedStep& step, const machine::Machine& machine) {
  const Result<machine::Occupancy> fits =
      machine::occupancy(machine, timing::needs_of(step.kernel, step.launch));
  if (!fits) return 0;
  return fits->blocks * static_cast<std::uint64_t>(machine.sm.count);
}

double memory_busy(const timing::Prediction& predicted) {
  using machine::Resource;
  double most = 0;
  for (const Resource unit : {Resource::kLsu, Resource::kL1, Resource::kL2, Resource::kDram}) {
    most = std::max(most, predicted.busy[static_cast<std::size_t>(unit)]);
  }
  return most;
}

}  // namespace

MeasuredSizes::MeasuredSizes(const TuneRequest& request, const tune::Spec& spec, TuneDevice device)
    : request_(request),
      spec_(spec),
      device_(std::move(device)),
      model_(device_.model),
      machine_(device_.machine),
      compiler_(spec, compiler_options(request, device_)) {}

Result<std::unique_ptr<MeasuredSizes>> MeasuredSizes::open(const TuneRequest& request,
                                                           const tune::Spec& spec) {
  Result<TuneDevice> device = open_tune_device(request.device, &spec, path_of_burin(request));
  if (!device) return device.error();
  return std::unique_ptr<MeasuredSizes>(new MeasuredSizes(request, spec, std::move(*device)));
}

Result<double> MeasuredSizes::working_set(std::size_t size, const tune::Point& point) const {
  const Result<tune::Space> space = space_of(spec_, size);
  if (!space) return space.error();
  const Result<tune::Configuration> configured =
      tune::configure(spec_, spec_.sizes[size], *space, point);
  if (!configured) return configured.error();
  double bytes = 0;
  for (const launch::Argument& argument : configured->steps.front().launch.arguments) {
    if (const launch::Buffer* buffer = argument.buffer())
      bytes += static_cast<double>(buffer->size);
  }
  return bytes;
}

Result<void> MeasuredSizes::check_memory(std::size_t size, const tune::Point& point) const {
  const Result<double> bytes = working_set(size, point);
  if (!bytes) return bytes.error();
  if (!machine_ || *bytes <= machine_->dram.size) return {};
  return Error{fmt::format("{} does not fit the device: its buffers take {}, {} has {}",
                           tune::describe(spec_.sizes[size]),
                           human_bytes(static_cast<std::uint64_t>(*bytes)), machine_->name,
                           human_bytes(static_cast<std::uint64_t>(machine_->dram.size))),
               Exit::kInput};
}

Result<tune::Built> MeasuredSizes::built(std::size_t size, const tune::Point& point) {
  const Result<tune::Builder*> builder = compiler_.begin(size);
  if (!builder) return builder.error();
  if (!compiler_.space().contains(point)) {
    return Error{"the configuration violates a restriction at this size", Exit::kInput};
  }
  Result<tune::Built> made = (*builder)->finish(point);
  if (!made) return made;
  if (made->status != tune::Status::kOk) return Error{made->reason, Exit::kInput};
  return made;
}

Result<std::uint64_t> MeasuredSizes::wave_of(std::size_t size, const tune::Point& point) {
  if (!machine_) return std::uint64_t{0};
  const Result<tune::Built> made = built(size, point);
  if (!made) return made.error();
  const Result<model::OpenedRequest> opened =
      model::OpenedRequest::open(made->request, {.dependences = false});
  if (!opened) return opened.error();
  return resident_blocks(opened->steps().front(), *machine_);
}

Result<void> MeasuredSizes::predict(const tune::Built& made, model::SizeSample& sample) {
  const Result<model::OpenedRequest> opened =
      model::OpenedRequest::open(made.request, {.dependences = false});
  if (!opened) return opened.error();
  double longest_us = 0;
  double hits = 0;
  for (const model::OpenedStep& step : opened->steps()) {
    const Result<timing::Prediction> predicted =
        timing::predict(step.kernel, step.launch, *machine_, {.warm = request_.warm});
    if (!predicted) return predicted.error();
    if (!predicted->faults.empty()) {
      const emulate::Fault& fault = predicted->faults.front();
      return Error{fmt::format("{}: {}", emulate::name(fault.kind), fault.detail)};
    }
    const double time_us = predicted->time_us * step.count;
    sample.time_us += time_us;
    hits += predicted->l2_hit_rate * time_us;
    if (time_us <= longest_us) continue;
    longest_us = time_us;
    sample.waves = predicted->waves;
    sample.memory_busy = memory_busy(*predicted);
    const auto busiest = std::ranges::max_element(predicted->busy);
    limit_ = SaturationLimit{
        .busiest = static_cast<machine::Resource>(busiest - predicted->busy.begin()),
        .busy = *busiest,
        .waves = predicted->waves};
  }
  sample.l2_hit_rate = sample.time_us > 0 ? hits / sample.time_us : 0;
  sample.kernel_time_us = sample.time_us;
  return {};
}

Result<std::optional<SaturationLimit>> MeasuredSizes::limit_of(std::size_t size,
                                                               const tune::Point& point) {
  if (!machine_) return std::optional<SaturationLimit>{};
  const Result<tune::Built> made = built(size, point);
  if (!made) return made.error();
  model::SizeSample ignored;
  if (Result<void> done = predict(*made, ignored); !done) return done.error();
  return limit_;
}

Result<model::SizeSample> MeasuredSizes::measure(std::size_t size, const tune::Point& point) {
  model::SizeSample sample;
  const Result<double> bytes = working_set(size, point);
  if (!bytes) return bytes.error();
  sample.working_set_bytes = *bytes;
  if (device_.is_exact()) {
    const Result<tune::Built> made = built(size, point);
    if (!made) return made.error();
    if (Result<void> done = predict(*made, sample); !done) return done.error();
    return sample;
  }
  const Result<tune::Builder*> builder = compiler_.begin(size);
  if (!builder) return builder.error();
  if (!compiler_.space().contains(point)) {
    return Error{"the configuration violates a restriction at this size", Exit::kInput};
  }
  tune::LabOptions options = lab_options(request_, device_, {}, 1);
  options.verify = false;
  tune::DeviceLab lab(**builder, *device_.device, options);
  lab.submit(point, {});
  const Result<tune::Trial> trial = lab.wait();
  if (!trial) return trial.error();
  if (trial->status != tune::Status::kOk) {
    const bool ran =
        trial->status != tune::Status::kCompile && trial->status != tune::Status::kConstraints;
    return Error{trial->reason, ran ? Exit::kDevice : Exit::kInput};
  }
  if (!trial->device.empty()) model_ = trial->device;
  sample.time_us = trial->time_us;
  sample.kernel_time_us = std::accumulate(trial->times_us.begin(), trial->times_us.end(), 0.0);
  if (machine_) {
    const Result<std::uint64_t> wave = wave_of(size, point);
    const Result<tune::Configuration> configured =
        tune::configure(spec_, spec_.sizes[size], compiler_.space(), point);
    if (wave && *wave > 0 && configured) {
      sample.waves = static_cast<double>(configured->steps.front().launch.grid.total()) /
                     static_cast<double>(*wave);
    }
  }
  return sample;
}

}  // namespace burin::jobs
