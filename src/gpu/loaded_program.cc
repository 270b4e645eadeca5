#include "gpu/loaded_program.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "gpu/link_ptx.h"
#include "read/binary/elf.h"

namespace burin::gpu {
namespace {

using measure::FailureKind;

constexpr std::uint64_t kSharedWithoutAsking = 48 * 1024;
constexpr std::uint64_t kPortableClusterBlocks = 8;

// Sections of variables that a kernel can write; constants are elsewhere.
bool holds_variables(Bytes cubin) {
  const Result<read::Elf> elf = read::read_elf(cubin);
  if (!elf) return false;
  return std::ranges::any_of(elf->sections, [](const read::ElfSection& section) {
    return section.name.starts_with(".nv.global") && section.size > 0;
  });
}

CudaLaunchAttribute attribute(CudaLaunchAttribute::Id id, launch::Dims value) {
  CudaLaunchAttribute result{};
  result.id = id;
  result.value[0] = value.x;
  result.value[1] = value.y;
  result.value[2] = value.z;
  return result;
}

}  // namespace

Attempt<LoadedProgram> LoadedProgram::load(
    const GpuContext& gpu, Bytes bytes, const measure::DeviceRequest& request,
    const std::vector<std::vector<std::uint64_t>>& addresses) {
  LoadedProgram program(gpu);
  if (is_ptx(bytes)) {
    Attempt<std::vector<std::uint8_t>> linked = link_ptx(gpu, bytes);
    if (!linked) return {linked.error().within(request.program), linked.kind()};
    program.cubin_ = std::move(*linked);
  } else {
    program.cubin_.assign(bytes.begin(), bytes.end());
  }
  const Result<read::Image> image = read::read_cubin(program.cubin_, {});
  if (!image) return {image.error().within(request.program), FailureKind::kRequest};
  program.architecture_ = read::to_string(image->arch);
  program.has_variables_ = holds_variables(program.cubin_);
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    Attempt<LoadedStep> step = make_step(*image, request.program, request.steps[i], addresses[i]);
    if (!step) return {step.error(), step.kind()};
    program.kernels_ += (i == 0 ? "" : ", ") + step->demangled;
    program.steps_.push_back(std::move(*step));
  }
  Result<std::vector<launch::Setting>> settings =
      launch::resolve_settings(request.settings, *image);
  if (!settings) return {settings.error(), FailureKind::kRequest};
  program.settings_ = std::move(*settings);
  if (Attempt<void> done = program.load_one(); !done) return {done.error(), done.kind()};
  return program;
}

Attempt<LoadedProgram::LoadedStep> LoadedProgram::make_step(
    const read::Image& image, const std::string& path, const measure::Step& step,
    const std::vector<std::uint64_t>& addresses) {
  const auto found = std::ranges::find(image.functions, step.kernel, &read::Function::name);
  if (found == image.functions.end()) {
    return {Error{fmt::format("{} has no kernel {}", path, step.kernel)}, FailureKind::kRequest};
  }
  const read::Function& function = *found;
  if (const Result<void> fits = launch::check_launch(step.launch, function); !fits) {
    return {fits.error().within(function.demangled), FailureKind::kLaunch};
  }
  LoadedStep loaded;
  loaded.name = function.name;
  loaded.demangled = function.demangled;
  loaded.static_shared_bytes = function.shared_bytes;
  loaded.grid = step.launch.grid;
  loaded.block = step.launch.block;
  loaded.shared_bytes = step.launch.shared_bytes;
  loaded.count = step.count;
  const std::optional<launch::Dims> cluster = launch::cluster_of(step.launch, function);
  if (cluster) loaded.cluster_blocks = cluster->total();
  // A cluster that was compiled in is the driver's to know.
  if (cluster && !launch::cluster_of({}, function)) {
    loaded.attributes.push_back(attribute(CudaLaunchAttribute::kClusterDimension, *cluster));
  }
  if (step.cooperative) {
    loaded.attributes.push_back(attribute(CudaLaunchAttribute::kCooperative, {1, 0, 0}));
  }
  loaded.parameters = launch::parameter_block(step.launch, function, addresses);
  return loaded;
}

LoadedProgram::LoadedProgram(LoadedProgram&& other) noexcept = default;

LoadedProgram::~LoadedProgram() {
  for (const Copy& copy : copies_) gpu_->cuda().module_unload(copy.module);
}

Attempt<void> LoadedProgram::load_one() {
  Copy copy;
  const CudaStatus status = gpu_->cuda().module_load(&copy.module, cubin_.data());
  if (status == Cuda::kNoBinary) {
    return {Error{fmt::format("{} is compiled for {} and cannot run on {} ({}, {})", kernels_,
                              architecture_, gpu_->label(), gpu_->name(), gpu_->architecture()),
                  Exit::kDevice},
            FailureKind::kCompile};
  }
  if (auto done = gpu_->check(status, "cuModuleLoadData"); !done) {
    return {done.error(), FailureKind::kCompile};
  }
  copies_.push_back(copy);
  for (const LoadedStep& step : steps_) {
    CudaHandle function = nullptr;
    if (auto done =
            gpu_->check(gpu_->cuda().module_function(&function, copy.module, step.name.c_str()),
                        "cuModuleGetFunction");
        !done) {
      return {done.error(), FailureKind::kCompile};
    }
    copies_.back().functions.push_back(function);
    if (auto done = set_attributes(step, function); !done) {
      return {done.error(), FailureKind::kLaunch};
    }
  }
  return {set_variables(copy.module), FailureKind::kDevice};
}

Result<void> LoadedProgram::set_variables(CudaHandle module) const {
  const Cuda& cuda = gpu_->cuda();
  for (const launch::Setting& setting : settings_) {
    CudaPointer address = 0;
    std::size_t size = 0;
    if (auto done = gpu_->check(cuda.module_global(&address, &size, module, setting.symbol.c_str()),
                                "cuModuleGetGlobal");
        !done) {
      return done;
    }
    const std::vector<std::uint8_t> bytes = setting.bytes();
    if (size < bytes.size()) {
      return Error{
          fmt::format("the driver reports {} {} bytes, not {}", setting.symbol, size, bytes.size()),
          Exit::kDevice};
    }
    if (auto done = gpu_->check(cuda.copy_in(address, bytes.data(), bytes.size()), "cuMemcpyHtoD");
        !done) {
      return done;
    }
  }
  return {};
}

Result<void> LoadedProgram::set_attributes(const LoadedStep& step, CudaHandle function) const {
  const Cuda& cuda = gpu_->cuda();
  if (step.static_shared_bytes + step.shared_bytes > kSharedWithoutAsking) {
    const CudaStatus status =
        cuda.function_set(function, Cuda::kDynamicSharedBytes, static_cast<int>(step.shared_bytes));
    if (status != 0) {
      return Error{fmt::format("{} ({}) does not allow {} bytes of dynamic shared memory: {}",
                               gpu_->label(), gpu_->name(), step.shared_bytes, cuda.words(status)),
                   Exit::kDevice};
    }
  }
  if (step.cluster_blocks > kPortableClusterBlocks) {
    return gpu_->check(cuda.function_set(function, Cuda::kNonPortableClusters, 1),
                       "cuFuncSetAttribute");
  }
  return {};
}

Result<void> LoadedProgram::prepare(std::size_t runs) {
  while (has_variables_ && copies_.size() < used_ + runs) {
    if (Attempt<void> done = load_one(); !done) return done.error();
  }
  return {};
}

void LoadedProgram::release_used() {
  for (; used_ > 0; --used_) {
    gpu_->cuda().module_unload(copies_.front().module);
    copies_.erase(copies_.begin());
  }
}

std::size_t LoadedProgram::launches() const {
  std::size_t launches = 0;
  for (const LoadedStep& step : steps_) launches += step.count;
  return launches;
}

Attempt<void> LoadedProgram::launch() {
  if (Result<void> done = prepare(1); !done) return {done, FailureKind::kDevice};
  const Copy& copy = copies_[has_variables_ ? used_++ : 0];
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (unsigned turn = 0; turn < steps_[i].count; ++turn) {
      if (Attempt<void> done = launch_step(steps_[i], copy.functions[i]); !done) return done;
    }
  }
  return {};
}

Attempt<void> LoadedProgram::launch_step(LoadedStep& step, CudaHandle function) const {
  const CudaLaunchConfig config{
      .grid = {step.grid.x, step.grid.y, step.grid.z},
      .block = {step.block.x, step.block.y, step.block.z},
      .shared_bytes = static_cast<std::uint32_t>(step.shared_bytes),
      .stream = gpu_->stream(),
      .attributes = step.attributes.empty() ? nullptr : step.attributes.data(),
      .attribute_count = static_cast<std::uint32_t>(step.attributes.size())};
  std::size_t size = step.parameters.size();
  void* extra[] = {Cuda::kParameterBuffer, step.parameters.data(), Cuda::kParameterSize, &size,
                   nullptr};
  const CudaStatus status =
      gpu_->cuda().launch(&config, function, nullptr, size == 0 ? nullptr : extra);
  if (status == 0) return {};
  return {Error{fmt::format("{} ({}) cannot launch {} with grid {} and block {}: {}", gpu_->label(),
                            gpu_->name(), step.demangled, launch::to_string(step.grid),
                            launch::to_string(step.block), gpu_->cuda().words(status)),
                Exit::kDevice},
          FailureKind::kLaunch};
}

}  // namespace burin::gpu
