#include "gpu/loaded_kernel.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "read/binary/elf.h"

namespace burin::gpu {
namespace {

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

Result<LoadedKernel> LoadedKernel::load(const GpuContext& gpu, Bytes cubin,
                                        const measure::DeviceRequest& request,
                                        const std::vector<std::uint64_t>& addresses) {
  const Result<read::Image> image = read::read_cubin(cubin, {});
  if (!image) return image.error().within(request.cubin);
  const auto found = std::ranges::find(image->functions, request.kernel, &read::Function::name);
  if (found == image->functions.end()) {
    return Error{fmt::format("{} has no kernel {}", request.cubin, request.kernel)};
  }
  const read::Function& function = *found;
  if (const Result<void> fits = launch::check_launch(request.launch, function); !fits) {
    return fits.error().within(function.demangled);
  }
  LoadedKernel kernel(gpu);
  kernel.cubin_ = cubin;
  kernel.architecture_ = read::to_string(image->arch);
  kernel.name_ = function.name;
  kernel.demangled_ = function.demangled;
  kernel.has_variables_ = holds_variables(cubin);
  kernel.static_shared_bytes_ = function.shared_bytes;
  kernel.grid_ = request.launch.grid;
  kernel.block_ = request.launch.block;
  kernel.shared_bytes_ = request.launch.shared_bytes;
  const std::optional<launch::Dims> cluster = launch::cluster_of(request.launch, function);
  if (cluster) kernel.cluster_blocks_ = cluster->total();
  // A cluster that was compiled in is the driver's to know.
  if (cluster && !launch::cluster_of({}, function)) {
    kernel.attributes_.push_back(attribute(CudaLaunchAttribute::kClusterDimension, *cluster));
  }
  if (request.cooperative) {
    kernel.attributes_.push_back(attribute(CudaLaunchAttribute::kCooperative, {1, 0, 0}));
  }
  Result<std::vector<launch::Setting>> settings =
      launch::resolve_settings(request.settings, *image);
  if (!settings) return settings.error();
  kernel.settings_ = std::move(*settings);
  kernel.parameters_ = launch::parameter_block(request.launch, function, addresses);
  if (Result<void> done = kernel.load_one(); !done) return done.error();
  return kernel;
}

LoadedKernel::LoadedKernel(LoadedKernel&& other) noexcept = default;

LoadedKernel::~LoadedKernel() {
  for (const Copy& copy : copies_) gpu_->cuda().module_unload(copy.module);
}

Result<void> LoadedKernel::load_one() {
  Copy copy;
  const CudaStatus status = gpu_->cuda().module_load(&copy.module, cubin_.data());
  if (status == Cuda::kNoBinary) {
    return Error{fmt::format("{} is compiled for {} and cannot run on {} ({}, {})", demangled_,
                             architecture_, gpu_->label(), gpu_->name(), gpu_->architecture()),
                 Exit::kDevice};
  }
  if (auto done = gpu_->check(status, "cuModuleLoadData"); !done) return done;
  copies_.push_back(copy);
  CudaHandle& function = copies_.back().function;
  if (auto done = gpu_->check(gpu_->cuda().module_function(&function, copy.module, name_.c_str()),
                              "cuModuleGetFunction");
      !done) {
    return done;
  }
  if (auto done = set_variables(copy.module); !done) return done;
  return set_attributes(function);
}

Result<void> LoadedKernel::set_variables(CudaHandle module) const {
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

Result<void> LoadedKernel::set_attributes(CudaHandle function) const {
  const Cuda& cuda = gpu_->cuda();
  if (static_shared_bytes_ + shared_bytes_ > kSharedWithoutAsking) {
    const CudaStatus status =
        cuda.function_set(function, Cuda::kDynamicSharedBytes, static_cast<int>(shared_bytes_));
    if (status != 0) {
      return Error{fmt::format("{} ({}) does not allow {} bytes of dynamic shared memory: {}",
                               gpu_->label(), gpu_->name(), shared_bytes_, cuda.words(status)),
                   Exit::kDevice};
    }
  }
  if (cluster_blocks_ > kPortableClusterBlocks) {
    return gpu_->check(cuda.function_set(function, Cuda::kNonPortableClusters, 1),
                       "cuFuncSetAttribute");
  }
  return {};
}

Result<void> LoadedKernel::prepare(std::size_t launches) {
  while (has_variables_ && copies_.size() < used_ + launches) {
    if (Result<void> done = load_one(); !done) return done;
  }
  return {};
}

void LoadedKernel::release_used() {
  for (; used_ > 0; --used_) {
    gpu_->cuda().module_unload(copies_.front().module);
    copies_.erase(copies_.begin());
  }
}

Result<void> LoadedKernel::launch() {
  if (Result<void> done = prepare(1); !done) return done;
  const CudaHandle function = copies_[has_variables_ ? used_++ : 0].function;
  std::vector<CudaLaunchAttribute> attributes = attributes_;
  const CudaLaunchConfig config{.grid = {grid_.x, grid_.y, grid_.z},
                                .block = {block_.x, block_.y, block_.z},
                                .shared_bytes = static_cast<std::uint32_t>(shared_bytes_),
                                .stream = gpu_->stream(),
                                .attributes = attributes.empty() ? nullptr : attributes.data(),
                                .attribute_count = static_cast<std::uint32_t>(attributes.size())};
  std::size_t size = parameters_.size();
  void* extra[] = {Cuda::kParameterBuffer, const_cast<std::uint8_t*>(parameters_.data()),
                   Cuda::kParameterSize, &size, nullptr};
  const CudaStatus status =
      gpu_->cuda().launch(&config, function, nullptr, size == 0 ? nullptr : extra);
  if (status == 0) return {};
  return Error{fmt::format("{} ({}) cannot launch {} with grid {} and block {}: {}", gpu_->label(),
                           gpu_->name(), demangled_, launch::to_string(grid_),
                           launch::to_string(block_), gpu_->cuda().words(status)),
               Exit::kDevice};
}

}  // namespace burin::gpu
