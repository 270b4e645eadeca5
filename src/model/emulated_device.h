// A GPU that is not there: launches are predicted instead of measured, from the same cubins and the
// same requests as for a real one.
//
//   EmulatedDevice device(*machine::load_machine("h200"));
//   measure::DeviceAnswer answer = device.run(request);   // answer->times_us has one entry
//
// Outputs are not computed: a prediction executes a few blocks only.
#pragma once

#include "machine/machine.h"
#include "measure/device.h"

namespace burin::model {

class EmulatedDevice : public measure::Device {
 public:
  // `threads`: host threads of a prediction; 0: one per core.
  explicit EmulatedDevice(machine::Machine machine, unsigned threads = 0)
      : machine_(std::move(machine)), threads_(threads) {}

  measure::DeviceAnswer run(const measure::DeviceRequest& request) override;

  const machine::Machine& machine() const { return machine_; }

 private:
  machine::Machine machine_;
  unsigned threads_;
};

}  // namespace burin::model
