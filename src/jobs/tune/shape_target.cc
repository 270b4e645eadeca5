#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "gpu/worker/worker_device.h"
#include "jobs/coarsen/ptx_source.h"
#include "jobs/tune/device.h"
#include "jobs/tune/guided.h"
#include "jobs/tune/target.h"
#include "measure/scratch_folder.h"
#include "model/block_shapes.h"
#include "model/coarsened_shapes.h"
#include "toolchain/pool.h"
#include "toolchain/tools.h"

namespace burin::jobs {
namespace {

class ShapeTarget : public TuneTarget {
 public:
  explicit ShapeTarget(const TuneRequest& request) : request_(request) {}

  // The code is compiled for, or chosen for, the device: so the device comes first.
  Result<void> load(const Progress& progress) {
    if (Result<void> opened = open_device(request_.device); !opened) return opened;
    LaunchRequest launch = request_.launch;
    if (launch.source.arch.empty()) launch.source.gpu = read::parse_architecture(device_->arch);
    Result<LoadedLaunch> loaded = load_launch(launch, progress);
    if (!loaded) return loaded.error();
    if (loaded->captured) {
      return Error{
          "a captured launch cannot be launched again with another block shape; name the "
          "program and its arguments",
          Exit::kUsage};
    }
    loaded_ = std::move(*loaded);
    ChosenKernel& chosen = *loaded_.loaded;
    Result<read::Kernel> kernel = read::build_kernel(chosen.image, chosen.function());
    if (!kernel) return kernel.error();
    kernel_ = std::move(*kernel);
    Result<tune::Space> shapes = model::block_shapes(
        kernel_, loaded_.launch,
        request_.any_block ? model::ShapeTrust::kUser : model::ShapeTrust::kProof);
    Result<std::shared_ptr<measure::ScratchFolder>> folder = measure::ScratchFolder::make();
    if (!folder) return folder.error();
    folder_ = std::move(*folder);
    if (request_.coarsen && coarsened(launch.source, shapes, progress)) return {};
    if (!shapes) return shapes.error();
    space_ = std::move(*shapes);
    Result<std::string> cubin = folder_->write("kernel.cubin", chosen.cubin);
    if (!cubin) return cubin.error();
    builder_ = std::make_unique<model::ShapeBuilder>(space_, kernel_, loaded_.launch,
                                                     std::move(*cubin), request_.launch.settings);
    return {};
  }

  const std::string& kernel_name() const { return kernel_.function->demangled; }

  std::size_t runs() const override { return 1; }

  Result<TunedRun> begin(std::size_t) override {
    return TunedRun{.seed = request_.seed, .space = space_, .device = device_->name};
  }

  Result<void> open(const std::string& name) override {
    return name == request_.device ? Result<void>{} : open_device(name);
  }

  Result<tune::Lab*> lab(std::size_t, const std::vector<tune::Trial>& known,
                         std::size_t ahead) override {
    lab_.emplace(*builder_, *device_->device, lab_options(request_, *device_, known, ahead));
    return &*lab_;
  }

  Result<Guide> guide(std::size_t) override {
    Result<Guide> guide = make_guide(request_, *device_, *builder_);
    if (guide) guide->block_sizes = {"block_size_x", "block_size_y", "block_size_z"};
    return guide;
  }
  double guided_seconds_per_trial() const override {
    return device_->is_exact() ? 0 : kGuidedSecondsPerTrial;
  }

  std::size_t width() const override { return pool_ == nullptr ? 1 : processes_ + 1; }
  bool is_noisy() const override { return !device_->is_exact(); }
  std::string model() const override { return device_->model; }
  std::string bus_id() const override { return device_->bus_id; }
  std::string note() const override { return device_->note; }

 private:
  Result<void> open_device(const std::string& name) {
    Result<TuneDevice> device = open_tune_device(name, nullptr, path_of_burin(request_));
    if (!device) return device.error();
    if (device->kind == TuneDevice::Kind::kOpencl) {
      return Error{
          "--device: a kernel without a spec is tuned on a GPU or on the emulator; for "
          "OpenCL write a spec",
          Exit::kUsage};
    }
    device_.emplace(std::move(*device));
    return {};
  }

  // Coarsening multiplies the shapes, if there is PTX to coarsen and ptxas to compile it. If not,
  // shapes alone are tuned.
  bool coarsened(const KernelSource& source, const Result<tune::Space>& shapes,
                 const Progress& progress) {
    if (!toolchain::find_tool("ptxas")) return false;
    Result<PtxSource> ptx = load_ptx(source, progress);
    if (!ptx) return false;
    std::optional<tune::Space> space =
        model::coarsened_space(shapes ? *shapes : model::own_shape(loaded_.launch), loaded_.launch,
                               ptx->text, ptx->kernel);
    if (!space) return false;
    space_ = std::move(*space);
    processes_ = request_.compilers > 0 ? request_.compilers
                                        : std::max(1u, std::thread::hardware_concurrency());
    pool_ = std::make_unique<toolchain::CompilePool>(
        gpu::path_of_this_program(), processes_,
        toolchain::CompileCache(toolchain::CompileCache::default_folder()));
    builder_ = std::make_unique<model::CoarsenedShapeBuilder>(
        space_, loaded_.launch,
        model::CoarsenedShapeBuilder::Source{.ptx = std::move(ptx->text),
                                             .kernel = std::move(ptx->kernel),
                                             .arch = device_->arch,
                                             .settings = request_.launch.settings},
        *pool_, folder_);
    return true;
  }

  const TuneRequest& request_;
  std::optional<TuneDevice> device_;
  LoadedLaunch loaded_;
  read::Kernel kernel_;
  tune::Space space_;
  std::shared_ptr<measure::ScratchFolder> folder_;
  std::unique_ptr<toolchain::CompilePool> pool_;  // null: nothing is compiled
  unsigned processes_ = 0;
  std::unique_ptr<tune::Builder> builder_;
  std::optional<tune::DeviceLab> lab_;
};

}  // namespace

Result<std::unique_ptr<TuneTarget>> make_shape_target(const TuneRequest& request,
                                                      const Progress& progress,
                                                      std::string& kernel) {
  if (Result<void> all = complete(request.launch, "tune"); !all) return all.error();
  auto target = std::make_unique<ShapeTarget>(request);
  if (Result<void> loaded = target->load(progress); !loaded) return loaded.error();
  kernel = target->kernel_name();
  return std::unique_ptr<TuneTarget>(std::move(target));
}

}  // namespace burin::jobs
