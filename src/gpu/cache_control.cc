#include "gpu/cache_control.h"

#include <algorithm>
#include <utility>

namespace burin::gpu {
namespace {

constexpr std::uint64_t kMinBytes = 64 << 20;
constexpr std::uint32_t kBlocks = 1024;
constexpr std::uint32_t kThreads = 256;

// Reads `pieces` times 16 bytes. The sum of zeros is never 1, so nothing is written, but no
// compiler can know.
constexpr const char* kReadAll = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry burin_read(.param .u64 data, .param .u64 pieces, .param .u64 writes)
{
  .reg .pred %over, %write;
  .reg .b32 %block, %threads, %thread, %blocks, %a, %b, %c, %d, %sum;
  .reg .b64 %at, %count, %index, %stride, %offset, %address, %writes;
  ld.param.u64 %at, [data];
  cvta.to.global.u64 %at, %at;
  ld.param.u64 %count, [pieces];
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %index, %block, %threads;
  cvt.u64.u32 %offset, %thread;
  add.u64 %index, %index, %offset;
  mul.wide.u32 %stride, %blocks, %threads;
  mov.u32 %sum, 0;
again:
  setp.ge.u64 %over, %index, %count;
  @%over bra done;
  shl.b64 %offset, %index, 4;
  add.u64 %address, %at, %offset;
  ld.global.v4.u32 {%a, %b, %c, %d}, [%address];
  add.u32 %sum, %sum, %a;
  add.u32 %sum, %sum, %b;
  add.u32 %sum, %sum, %c;
  add.u32 %sum, %sum, %d;
  add.u64 %index, %index, %stride;
  bra again;
done:
  ld.param.u64 %writes, [writes];
  setp.ne.u64 %write, %writes, 0;
  @%write st.global.u32 [%at], %sum;
  ret;
}
)";

}  // namespace

Result<CacheControl> CacheControl::make(const GpuContext& gpu) {
  const Cuda& cuda = gpu.cuda();
  CacheControl caches(gpu);
  caches.size_ = std::max(kMinBytes, 3 * gpu.l2_bytes());
  if (auto done = gpu.check(cuda.allocate(&caches.zeros_, caches.size_), "cuMemAlloc"); !done) {
    return done.error();
  }
  if (auto done = gpu.check(cuda.set_async(caches.zeros_, 0, caches.size_, gpu.stream()),
                            "cuMemsetD8Async");
      !done) {
    return done.error();
  }
  if (cuda.module_load(&caches.module_, kReadAll) == 0) {
    if (cuda.module_function(&caches.function_, caches.module_, kKernel.data()) != 0) {
      caches.function_ = nullptr;
    }
  } else {
    caches.module_ = nullptr;
  }
  return caches;
}

CacheControl::CacheControl(CacheControl&& other) noexcept
    : gpu_(other.gpu_),
      size_(other.size_),
      zeros_(std::exchange(other.zeros_, 0)),
      module_(std::exchange(other.module_, nullptr)),
      function_(std::exchange(other.function_, nullptr)) {}

CacheControl::~CacheControl() {
  if (module_ != nullptr) gpu_->cuda().module_unload(module_);
  if (zeros_ != 0) gpu_->cuda().release(zeros_);
}

Result<void> CacheControl::empty() const {
  if (function_ != nullptr) return read(zeros_, size_);
  return gpu_->check(gpu_->cuda().set_async(zeros_, 0, size_, gpu_->stream()), "cuMemsetD8Async");
}

Result<void> CacheControl::load(CudaPointer address, std::uint64_t size) const {
  return function_ == nullptr || size < 16 ? Result<void>() : read(address, size);
}

Result<void> CacheControl::read(CudaPointer address, std::uint64_t size) const {
  std::uint64_t parameters[3] = {address, size / 16, 0};
  std::size_t parameter_bytes = sizeof parameters;
  void* extra[] = {Cuda::kParameterBuffer, parameters, Cuda::kParameterSize, &parameter_bytes,
                   nullptr};
  const CudaLaunchConfig config{.grid = {kBlocks, 1, 1},
                                .block = {kThreads, 1, 1},
                                .shared_bytes = 0,
                                .stream = gpu_->stream(),
                                .attributes = nullptr,
                                .attribute_count = 0};
  return gpu_->check(gpu_->cuda().launch(&config, function_, nullptr, extra), "cuLaunchKernelEx");
}

}  // namespace burin::gpu
