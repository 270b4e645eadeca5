#include "jobs/predict_launch.h"

#include <algorithm>
#include <iterator>

#include "base/timings.h"
#include "measure/sample.h"
#include "timing/saake/saake.h"

namespace burin::jobs {

double PredictedLaunch::known_us() const {
  if (measured) return measure::summarize(measured->result.times_us).median;
  return on.launch.captured ? on.launch.captured->recorded_us().value_or(0) : 0;
}

double PredictedLaunch::error() const {
  const double ratio = prediction.time_us / known_us();
  return std::max(ratio, 1 / ratio) - 1;
}

Result<std::unique_ptr<PredictedLaunch>> predict_launch(PredictRequest command,
                                                        const Progress& progress) {
  auto predicted = std::make_unique<PredictedLaunch>();
  if (const Result<void> all = complete(command.launch, "predict"); !all) return all.error();
  Result<timing::PredictOptions> options = parse_predict_options(command);
  if (!options) return options.error();
  predicted->options = std::move(*options);
  Result<LaunchOnMachine> loaded = load_on_machine(command, progress);
  if (!loaded) return loaded.error();
  predicted->on = std::move(*loaded);
  const LoadedLaunch& launch = predicted->on.launch;
  if (launch.captured && !command.cold && !command.warm) {
    predicted->options.warm = launch.captured->reuses_buffers;
    predicted->options.in_stream = launch.captured->is_repeated;
    predicted->options.recent = launch.captured->recent;
  }
  const ChosenKernel& chosen = *launch.loaded;
  if (launch.captured && !command.device.device.empty()) {
    return Error{
        "--device: a captured launch contains addresses of the original process and cannot be "
        "relaunched; its recorded time is shown",
        Exit::kUsage};
  }

  predicted->options.heartbeat = heartbeat_of(progress);
  const auto model = predicted->options.model == timing::PredictOptions::Model::kSaake
                         ? timing::predict_saake
                         : timing::predict;
  Result<timing::Prediction> prediction = [&] {
    const Timed timed("predict");
    return model(chosen.kernel, launch.launch, predicted->on.machine, predicted->options);
  }();
  predicted->options.heartbeat = {};  // the caller's function may not outlive this call
  progress.done();
  if (!prediction) return prediction.error().within(chosen.function().demangled);
  predicted->prediction = std::move(*prediction);
  if (const auto& captured = launch.captured) {
    std::ranges::copy(captured->notes, std::back_inserter(predicted->prediction.notes));
  }

  if (!command.device.device.empty()) {
    const Timed timed("device");
    command.device.warm = command.warm;
    Result<DeviceRun> measured =
        time_on_device(chosen.cubin, chosen.function(), launch.launch, command.device);
    if (!measured) return measured.error();
    predicted->measured = std::move(*measured);
  }
  return predicted;
}

}  // namespace burin::jobs
