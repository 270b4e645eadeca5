#include <algorithm>
#include <optional>
#include <thread>

#include "jobs/tune/device.h"
#include "jobs/tune/target.h"
#include "model/coarsener.h"
#include "toolchain/pool.h"
#include "tune/space/build_space.h"
#include "tune/spec_builder.h"

namespace burin::jobs {
namespace {

class SpecTarget : public TuneTarget {
 public:
  SpecTarget(const TuneRequest& request, const tune::Spec& spec)
      : request_(request),
        spec_(spec),
        processes_(request.compilers > 0 ? request.compilers
                                         : std::max(1u, std::thread::hardware_concurrency())) {}

  std::size_t runs() const override { return spec_.sizes.size(); }

  Result<TunedRun> begin(std::size_t run) override {
    Result<tune::Space> space = tune::build_space(spec_.tunables, tune::space_restrictions(spec_),
                                                  spec_.sizes[run], spec_.derived);
    if (!space) return space.error().within(spec_.path);
    return TunedRun{.size = spec_.sizes[run],
                    .seed = request_.seed,
                    .space = std::move(*space),
                    .device = device_ ? device_->name : request_.device};
  }

  Result<void> open(const std::string& name) override {
    Result<TuneDevice> device = open_tune_device(name, &spec_, path_of_burin(request_));
    if (!device) return device.error();
    device_.emplace(std::move(*device));
    if (device_->language() == tune::Language::kCuda) {
      pool_ = std::make_unique<toolchain::CompilePool>(
          path_of_burin(request_), processes_,
          toolchain::CompileCache(toolchain::CompileCache::default_folder()));
    }
    return {};
  }

  Result<tune::Lab*> lab(std::size_t run, const std::vector<tune::Trial>& known,
                         std::size_t ahead) override {
    Result<TunedRun> begun = begin(run);
    if (!begun) return begun.error();
    lab_.reset();
    builder_.reset();
    space_ = std::move(begun->space);
    Result<std::unique_ptr<tune::SpecBuilder>> builder =
        tune::SpecBuilder::make(spec_, spec_.sizes[run], space_, pool_.get(),
                                {.language = device_->language(),
                                 .arch = device_->arch,
                                 .compiler = compiler_of(request_),
                                 .limit_seconds = request_.compile_limit_seconds,
                                 .max_spill_bytes = request_.max_spill_bytes,
                                 .max_shared_bytes = device_->max_shared_bytes,
                                 .changer = &coarsener_});
    if (!builder) return builder.error();
    builder_ = std::move(*builder);
    lab_.emplace(*builder_, *device_->device, lab_options(request_, *device_, known, ahead));
    return &*lab_;
  }

  // OpenCL compiles on the device, one configuration after the other.
  std::size_t width() const override { return pool_ == nullptr ? 1 : processes_ + 1; }
  bool is_noisy() const override { return !device_ || !device_->is_exact(); }
  std::string model() const override { return device_ ? device_->model : request_.device; }
  std::string bus_id() const override { return device_ ? device_->bus_id : ""; }
  bool is_cpu() const override { return device_ && device_->is_cpu; }
  std::string note() const override { return device_ ? device_->note : ""; }

 private:
  const TuneRequest& request_;
  const tune::Spec& spec_;
  unsigned processes_;
  std::optional<TuneDevice> device_;
  std::unique_ptr<toolchain::CompilePool> pool_;
  tune::Space space_;
  model::Coarsener coarsener_;
  std::unique_ptr<tune::SpecBuilder> builder_;
  std::optional<tune::DeviceLab> lab_;
};

}  // namespace

Result<std::unique_ptr<TuneTarget>> make_spec_target(const TuneRequest& request,
                                                     const tune::Spec& spec) {
  return std::unique_ptr<TuneTarget>(new SpecTarget(request, spec));
}

}  // namespace burin::jobs
