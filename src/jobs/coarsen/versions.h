// Both versions of a kernel, the original PTX and the coarsened one: compiled, predicted, executed.
// Internal to jobs/coarsen/.
#pragma once

#include <string>

#include "base/result.h"
#include "jobs/coarsen/coarsen_kernel.h"
#include "jobs/coarsen/ptx_source.h"
#include "machine/machine.h"
#include "measure/scratch_folder.h"

namespace burin::jobs {

class Versions {
 public:
  // The machine decides for which architecture PTX is compiled.
  static Result<Versions> open(const CoarsenRequest& request, PtxSource source);

  const PtxSource& source() const { return source_; }
  const std::string& machine() const { return machine_.name; }

  // Registers, memory and, if the request has arguments, predicted time.
  Result<CompiledVersion> compile(const std::string& ptx, const coarsen::LaunchShape& launch,
                                  const Progress& progress) const;

  Result<CoarsenCheck> compare(const coarsen::LaunchShape& launch,
                               const coarsen::Coarsened& coarsened, const Progress& progress) const;

 private:
  Versions(const CoarsenRequest& request, PtxSource source, machine::Machine machine,
           std::shared_ptr<measure::ScratchFolder> folder)
      : request_(request),
        source_(std::move(source)),
        machine_(std::move(machine)),
        folder_(std::move(folder)) {}

  Result<LaunchRequest> request_for(const std::string& ptx, const coarsen::LaunchShape& launch,
                                    const std::vector<std::string>& flags) const;
  Result<std::vector<emulate::CheckedOutput>> compare_with(const coarsen::LaunchShape& launch,
                                                           const coarsen::Coarsened& coarsened,
                                                           const std::vector<std::string>& flags,
                                                           std::optional<double> tolerance,
                                                           const Progress& progress) const;

  const CoarsenRequest& request_;
  PtxSource source_;
  machine::Machine machine_;
  std::shared_ptr<measure::ScratchFolder> folder_;
};

}  // namespace burin::jobs
