#include "app/device_run.h"

namespace burin {

Result<DeviceRun> run_on_device(Bytes, const Function&, const Launch&, const Run&,
                                std::span<const ExpectedFile>, const DeviceRunOptions& options) {
  return Error{"--device " + options.device + ": this build of burin has no GPU part",
               Exit::kDevice};
}

void write_device_run(Output&, const DeviceRun&) {}
void write_device_run_json(Json& json, const DeviceRun&) {
  json.field("device", nullptr);
}

}  // namespace burin
