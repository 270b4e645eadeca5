// A kernel without tunable parameters has one all the same: the shape of its blocks, where the
// reshape proof (analyze/reshape.h) or the user allows another one.
//
//   Result<tune::Space> shapes = block_shapes(kernel, launch, ShapeTrust::kProof);
//   ShapeBuilder builder(*shapes, kernel, launch, "a.cubin", settings);
//
// The grid follows from the block: as many blocks as cover the threads of the given launch along
// each axis.
#pragma once

#include <string>
#include <vector>

#include "analyze/reshape/reshape.h"
#include "base/result.h"
#include "launch/launch.h"
#include "read/program/kernel.h"
#include "tune/builder.h"
#include "tune/space/space.h"

namespace burin::model {

enum class ShapeTrust : std::uint8_t {
  kProof,  // only shapes that are proved to give the same results
  kUser,   // any shape: the user knows the kernel
};

// The shapes worth trying: along each axis powers of two, multiples of 32 along x, and the size
// that the launch has; at most 1024 threads and what the kernel was compiled for. The parameters
// are block_size_x, block_size_y, block_size_z. An Error says what fixes the shape if there is only
// one. `kernel` needs dependences.
Result<tune::Space> block_shapes(const read::Kernel& kernel, const launch::Launch& launch,
                                 ShapeTrust trust);

// The launch's own shape alone, where another one is not wanted or not proved.
tune::Space own_shape(const launch::Launch& launch);

// As many blocks as cover the threads of the launch along each axis.
launch::Dims covering_grid(const launch::Launch& launch, launch::Dims block);

class ShapeBuilder : public tune::Builder {
 public:
  // `cubin` is the path of the file with the kernel. The references must outlive the builder.
  ShapeBuilder(const tune::Space& shapes, const read::Kernel& kernel, const launch::Launch& launch,
               std::string cubin, std::vector<std::string> settings)
      : shapes_(shapes),
        kernel_(kernel),
        launch_(launch),
        cubin_(std::move(cubin)),
        settings_(std::move(settings)) {}

  void start(const tune::Point&) override {}
  Result<tune::Built> finish(const tune::Point& point) override;
  Result<std::optional<tune::Built>> reference(const tune::Point& point) override;
  std::vector<measure::ExpectedOutput> outputs(const measure::DeviceRequest&) const override {
    return {};
  }
  bool verifies() const override { return true; }
  Result<double> objective(const tune::Built&, double time_us) const override { return time_us; }

 private:
  tune::Built built(launch::Dims grid, launch::Dims block) const;

  const tune::Space& shapes_;
  const read::Kernel& kernel_;
  const launch::Launch& launch_;
  std::string cubin_;
  std::vector<std::string> settings_;
};

}  // namespace burin::model
