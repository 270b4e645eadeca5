// Variants of a kernel: its source, flags and launch with some changes made, compiled several at
// once and predicted with the same arguments.
//
//   Result<std::unique_ptr<Variants>> variants = Variants::open(request, source, base);
//   std::vector<PredictedVariant> found = (*variants)->predict({{&unroll}, {&unroll, &fast_math}},
//   …); found[0].time_us
//
// Edited sources lie in the compile cache's folder under names of their contents, so that the same
// variant is compiled once, also by later runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "advise/changes/change.h"
#include "advise/changes/cuda_text.h"
#include "base/result.h"
#include "base/temporary_folder.h"
#include "jobs/coarsen/ptx_source.h"
#include "jobs/input/predict_request.h"
#include "jobs/input/progress.h"
#include "machine/machine.h"
#include "timing/predict.h"
#include "toolchain/pool.h"

namespace burin::jobs {

// Changes made together; they can be combined (advise::combine).
using Variant = std::vector<const advise::Change*>;

struct PredictedVariant {
  std::optional<double> time_us{};  // empty: `refused` says why, or there was no time left
  std::string refused{};
  bool same_code = false;  // the compiler made the same code as without the changes
  std::uint32_t registers = 0;
  std::uint32_t local_bytes = 0;  // per thread: spills and local arrays
};

// What the variants are made of. All must outlive the variants.
struct VariantBase {
  const PredictRequest& request;
  const advise::CudaText& source;
  const ChosenKernel& code;  // the unchanged kernel
  const launch::Launch& launch;
  const machine::Machine& machine;
  const timing::PredictOptions& options;
  const timing::Prediction& prediction;  // of the unchanged launch
};

class Variants {
 public:
  using Clock = std::chrono::steady_clock;

  // Error: no compiler on this computer.
  static Result<std::unique_ptr<Variants>> open(const VariantBase& base);
  ~Variants();

  // In the order of `wanted`. What is not begun at `deadline` stays without a time.
  std::vector<PredictedVariant> predict(std::span<const Variant> wanted, Clock::time_point deadline,
                                        const Progress& progress);

  // The variant as a launch that other jobs take. Error: it cannot be made.
  Result<LaunchRequest> request_of(const Variant& variant);

  std::size_t compiled() const { return compiled_; }  // variants given to a compiler
  const VariantBase& base() const { return base_; }

 private:
  Variants(const VariantBase& base, TemporaryFolder folder);
  Result<std::string> written(const std::string& text);
  Result<LaunchRequest> coarsened_request(const std::vector<coarsen::Coarsening>& coarsenings);
  PredictedVariant predict_one(const LaunchRequest& request);

  const VariantBase base_;
  TemporaryFolder folder_;
  std::unique_ptr<toolchain::CompilePool> pool_;
  std::optional<Result<PtxSource>> ptx_{};         // made on first use
  std::map<std::string, PredictedVariant> known_;  // by code and launch
  std::mutex mutex_;                               // of `known_`
  const unsigned threads_ = std::max(1u, std::thread::hardware_concurrency());
  std::size_t compiled_ = 0;
};

}  // namespace burin::jobs
