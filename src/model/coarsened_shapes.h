// A kernel without tunable parameters, coarsened: the shape of its blocks, where it may change, and
// how many threads and blocks become one along each axis.
//
//   CoarsenedShapes shapes(kernel, launch, block_shapes, ptx, "saxpy");
//   shapes.space()   block_size_x, …, coarsen_thread_x, coarsen_stride_x, coarsen_block_x, …
//
// Axes along which the kernel cannot be coarsened are left out.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "coarsen/coarsen.h"
#include "launch/launch.h"
#include "measure/scratch_folder.h"
#include "read/program/kernel.h"
#include "toolchain/pool.h"
#include "tune/builder.h"
#include "tune/space/space.h"

namespace burin::model {

// The configurations: `shapes` has block_size_x, _y and _z. None: no axis can be coarsened.
std::optional<tune::Space> coarsened_space(const tune::Space& shapes, const launch::Launch& launch,
                                           const std::string& ptx, const std::string& kernel);

class CoarsenedShapeBuilder : public tune::Builder {
 public:
  struct Source {
    std::string ptx{};
    std::string kernel{};  // in the PTX
    std::string arch{};
    std::vector<std::string> settings{};  // as --set takes them
  };
  // The references must outlive the builder.
  CoarsenedShapeBuilder(const tune::Space& space, const launch::Launch& launch, Source source,
                        toolchain::CompilePool& pool,
                        std::shared_ptr<measure::ScratchFolder> folder)
      : space_(space),
        launch_(launch),
        source_(std::move(source)),
        pool_(pool),
        folder_(std::move(folder)) {}

  void start(const tune::Point& point) override;
  Result<tune::Built> finish(const tune::Point& point) override;
  Result<std::optional<tune::Built>> reference(const tune::Point& point) override;
  std::vector<measure::ExpectedOutput> outputs(const measure::DeviceRequest&) const override {
    return {};
  }
  bool verifies() const override { return true; }
  Result<double> objective(const tune::Built&, double time_us) const override { return time_us; }

 private:
  struct Started {
    Result<coarsen::Coarsened> coarsened = Error{};
    std::optional<toolchain::CompilePool::Ticket> ticket{};
  };

  Started started(const coarsen::LaunchShape& launch,
                  const std::vector<coarsen::Coarsening>& coarsenings, const std::string& name);
  Result<tune::Built> built(Started& started, const std::string& name);

  const tune::Space& space_;
  const launch::Launch& launch_;
  Source source_;
  toolchain::CompilePool& pool_;
  std::shared_ptr<measure::ScratchFolder> folder_;
  std::map<tune::Point, Started> started_;
};

}  // namespace burin::model
