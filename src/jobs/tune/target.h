// What `burin tune` tunes: the configurations of a spec, the block shapes of a kernel, or a
// recorded space; and the labs that measure them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/tune/tune_kernel.h"
#include "model/guided/examined.h"
#include "tune/lab.h"

namespace burin::jobs {

// What the guided search needs to know of a run.
struct Guide {
  std::unique_ptr<model::Examiner> examiner{};
  std::set<std::string> block_sizes{};  // the tunables of which blocks are made
  std::optional<tune::Point> start{};   // the configuration as the user has it
  std::uint32_t registers_per_sm = 65536;
};

class TuneTarget {
 public:
  virtual ~TuneTarget() = default;

  // One run for each problem size; for a recorded space, for each seed.
  virtual std::size_t runs() const = 0;
  virtual Result<TunedRun> begin(std::size_t run) = 0;

  // Opens the device, if there is one. Called once, before lab(), by processes that measure.
  virtual Result<void> open(const std::string& device) = 0;

  // Measures the configurations of a run; valid until the next call. `known` are trials of an
  // earlier part of the session; `ahead` points are open at once.
  virtual Result<tune::Lab*> lab(std::size_t run, const std::vector<tune::Trial>& known,
                                 std::size_t ahead) = 0;

  // Points that a process makes use of at once: one that is measured, and those being compiled.
  virtual std::size_t width() const = 0;
  // Results vary from one measurement to the next, so that finalists are worth a second look.
  virtual bool is_noisy() const = 0;
  // What a trial costs may steer the search. Not on the emulator: there a run repeats exactly,
  // and how long this computer took for a prediction does not.
  virtual bool weighs_cost() const { return is_noisy(); }

  // What other processes must know of the device: its model, and what tells it from others of this
  // computer ("": it may be shared).
  virtual std::string model() const = 0;
  virtual std::string bus_id() const = 0;
  virtual bool is_cpu() const { return false; }
  virtual std::string note() const { return ""; }

  // Under mpirun rank 0 opens no device: the model of that on which all other ranks measure.
  virtual void measured_elsewhere(const std::string&) {}

  // What looks at configurations of a run without measuring; valid until lab() or guide() is
  // called. An Error says why they cannot be predicted. Called after open() or
  // measured_elsewhere().
  virtual Result<Guide> guide(std::size_t run) = 0;
  // How long --seed-with guided may take for each trial to come, where the user does not say; 0: it
  // is not worth its time.
  virtual double guided_seconds_per_trial() const = 0;
};

// By what the request names. Fills in the kernel's name and the spec.
Result<std::unique_ptr<TuneTarget>> make_target(const TuneRequest& request, TunedKernel& tuned,
                                                const Progress& progress);

Result<std::unique_ptr<TuneTarget>> make_spec_target(const TuneRequest& request,
                                                     const tune::Spec& spec);
Result<std::unique_ptr<TuneTarget>> make_shape_target(const TuneRequest& request,
                                                      const Progress& progress,
                                                      std::string& kernel);
// With the spec that was recorded, its configurations can be predicted.
Result<std::unique_ptr<TuneTarget>> make_replay_target(const TuneRequest& request,
                                                       std::optional<tune::Spec> spec,
                                                       std::string& kernel);

}  // namespace burin::jobs
