// Examines one compiled configuration: predicts its launches, and finds its bottleneck without
// further replays.
//
//   Result<Examined> examined = examine(built.request, machine, {});
//
// The paper finds bottlenecks by sensitivity analysis, a replay for each parameter of the machine.
// Here they follow from one replay: the lower bounds of analyze/bounds.h say what each resource has
// to do, and the stalls what warps wait for.
#pragma once

#include <span>
#include <vector>

#include "machine/machine.h"
#include "measure/device.h"
#include "model/guided/examined.h"
#include "tune/builder.h"

namespace burin::model {

struct ExamineOptions {
  bool warm = false;     // caches hold the buffers when a launch begins
  unsigned threads = 0;  // host threads; 0: one per core
};

// A launch that faults or does not fit is an Examined with a failure.
Examined examine(const measure::DeviceRequest& request, const machine::Machine& machine,
                 const ExamineOptions& options);

// Compiles configurations and examines them, several at once.
class BuiltExaminer : public Examiner {
 public:
  // The builder must outlive it.
  BuiltExaminer(tune::Builder& builder, machine::Machine machine, ExamineOptions options)
      : builder_(builder), machine_(std::move(machine)), options_(options) {}

  Result<std::vector<Examined>> examine(std::span<const tune::Point> points) override;

 private:
  tune::Builder& builder_;
  machine::Machine machine_;
  ExamineOptions options_;
};

}  // namespace burin::model
