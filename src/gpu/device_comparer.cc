#include "gpu/device_comparer.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "gpu/buffer_contents.h"
#include "gpu/comparer_ptx.h"

namespace burin::gpu {
namespace {

constexpr std::uint32_t kCompareBlocks = 1024;
constexpr std::uint32_t kCompareThreads = 256;
constexpr std::size_t kResultWords = 64;
constexpr std::uint64_t kHostChunk = 16 << 20;

}  // namespace

Result<DeviceComparer> DeviceComparer::make(const GpuContext& gpu) {
  const Cuda& cuda = gpu.cuda();
  DeviceComparer comparer(gpu);
  if (auto done = gpu.check(cuda.allocate(&comparer.results_, kResultWords * sizeof(std::uint64_t)),
                            "cuMemAlloc");
      !done) {
    return done.error();
  }
  if (cuda.module_load(&comparer.module_, kComparerPtx) != 0) {
    comparer.module_ = nullptr;
    return comparer;
  }
  if (cuda.module_function(&comparer.compare_, comparer.module_, "burin_compare") != 0) {
    comparer.compare_ = nullptr;
  }
  if (cuda.module_function(&comparer.digest_, comparer.module_, "burin_digest") != 0) {
    comparer.digest_ = nullptr;
  }
  return comparer;
}

DeviceComparer::DeviceComparer(DeviceComparer&& other) noexcept
    : gpu_(other.gpu_),
      module_(std::exchange(other.module_, nullptr)),
      compare_(other.compare_),
      digest_(other.digest_),
      results_(std::exchange(other.results_, 0)) {}

DeviceComparer::~DeviceComparer() {
  if (module_ != nullptr) gpu_->cuda().module_unload(module_);
  if (results_ != 0) gpu_->cuda().release(results_);
}

Result<void> DeviceComparer::launch(CudaHandle function,
                                    std::span<std::uint64_t> parameters) const {
  std::size_t bytes = parameters.size_bytes();
  void* extra[] = {Cuda::kParameterBuffer, parameters.data(), Cuda::kParameterSize, &bytes,
                   nullptr};
  const CudaLaunchConfig config{.grid = {kCompareBlocks, 1, 1},
                                .block = {kCompareThreads, 1, 1},
                                .shared_bytes = 0,
                                .stream = gpu_->stream(),
                                .attributes = nullptr,
                                .attribute_count = 0};
  return gpu_->check(gpu_->cuda().launch(&config, function, nullptr, extra), "cuLaunchKernelEx");
}

Result<void> DeviceComparer::read(void* into, CudaPointer from, std::uint64_t bytes) const {
  const Cuda& cuda = gpu_->cuda();
  if (auto done = gpu_->check(cuda.stream_synchronize(gpu_->stream()), "cuStreamSynchronize");
      !done) {
    return done;
  }
  return gpu_->check(cuda.copy_out(into, from, bytes), "cuMemcpyDtoH");
}

Result<launch::Comparison> DeviceComparer::compare_on_host(CudaPointer got, CudaPointer expected,
                                                           std::uint64_t bytes,
                                                           launch::ElementType type,
                                                           std::optional<double> tolerance) const {
  launch::Comparer comparer(type, tolerance);
  std::vector<std::uint8_t> a(std::min(bytes, kHostChunk)), b(a.size());
  for (std::uint64_t offset = 0; offset < bytes; offset += kHostChunk) {
    const std::uint64_t size = std::min(kHostChunk, bytes - offset);
    if (auto done = read(a.data(), got + offset, size); !done) return done.error();
    if (auto done = read(b.data(), expected + offset, size); !done) return done.error();
    comparer.add(Bytes(a).first(size), Bytes(b).first(size));
  }
  return comparer.result();
}

Result<launch::Comparison> DeviceComparer::compare(CudaPointer got, CudaPointer expected,
                                                   std::uint64_t bytes, launch::ElementType type,
                                                   std::optional<double> tolerance) const {
  const std::uint64_t element = launch::element_bytes(type);
  if (compare_ == nullptr || bytes % element != 0) {
    return compare_on_host(got, expected, bytes, type, tolerance);
  }
  const Cuda& cuda = gpu_->cuda();
  struct {
    std::uint64_t different = 0, first = 0, largest = 0;
  } found;
  if (auto done =
          gpu_->check(cuda.set_async(results_, 0, sizeof found, gpu_->stream()), "cuMemsetD8Async");
      !done) {
    return done.error();
  }
  if (auto done =
          gpu_->check(cuda.set_async(results_ + 8, 0xff, 8, gpu_->stream()), "cuMemsetD8Async");
      !done) {
    return done.error();
  }
  std::uint64_t parameters[] = {got,
                                expected,
                                bytes / element,
                                static_cast<std::uint64_t>(type),
                                tolerance.has_value(),
                                std::bit_cast<std::uint64_t>(tolerance.value_or(0)),
                                results_};
  if (auto done = launch(compare_, parameters); !done) return done.error();
  if (auto done = read(&found, results_, sizeof found); !done) return done.error();
  launch::Comparison comparison;
  comparison.elements = bytes / element;
  comparison.different = found.different;
  if (found.different == 0) return comparison;
  comparison.first = found.first;
  comparison.largest_error = std::bit_cast<double>(found.largest);
  // The words for the two values are those of the host.
  Result<launch::Comparison> one = compare_on_host(
      got + found.first * element, expected + found.first * element, element, type, std::nullopt);
  if (!one) return one;
  comparison.got = one->got;
  comparison.expected = one->expected;
  return comparison;
}

Result<std::uint64_t> DeviceComparer::digest_of_tail(const DeviceRange& range) const {
  const std::uint64_t tail = range.bytes % 8;
  if (tail == 0) return std::uint64_t{0};
  std::uint8_t bytes[8] = {};
  if (auto done = read(bytes, range.address + range.bytes - tail, tail); !done) return done.error();
  return digest_of(Bytes(bytes).first(tail), range.bytes / 8);
}

Result<std::uint64_t> DeviceComparer::digest_on_host(const DeviceRange& range) const {
  std::uint64_t sum = 0;
  std::vector<std::uint8_t> chunk(std::min(range.bytes, kHostChunk));
  for (std::uint64_t offset = 0; offset < range.bytes; offset += kHostChunk) {
    const std::uint64_t size = std::min(kHostChunk, range.bytes - offset);
    if (auto done = read(chunk.data(), range.address + offset, size); !done) return done.error();
    sum += digest_of(Bytes(chunk).first(size), offset / 8);
  }
  return sum;
}

Result<std::vector<std::uint64_t>> DeviceComparer::digests(
    std::span<const DeviceRange> ranges) const {
  std::vector<std::uint64_t> sums(ranges.size());
  for (std::size_t first = 0; first < ranges.size(); first += kResultWords) {
    const std::size_t count = std::min(kResultWords, ranges.size() - first);
    if (digest_ != nullptr) {
      if (auto done = gpu_->check(
              gpu_->cuda().set_async(results_, 0, count * sizeof(std::uint64_t), gpu_->stream()),
              "cuMemsetD8Async");
          !done) {
        return done.error();
      }
      for (std::size_t i = 0; i < count; ++i) {
        const DeviceRange& range = ranges[first + i];
        std::uint64_t parameters[] = {range.address, range.bytes / 8, results_ + i * 8};
        if (auto done = launch(digest_, parameters); !done) return done.error();
      }
      if (auto done = read(&sums[first], results_, count * sizeof(std::uint64_t)); !done) {
        return done.error();
      }
    }
    for (std::size_t i = first; i < first + count; ++i) {
      const Result<std::uint64_t> rest =
          digest_ == nullptr ? digest_on_host(ranges[i]) : digest_of_tail(ranges[i]);
      if (!rest) return rest.error();
      sums[i] += *rest;
    }
  }
  return sums;
}

}  // namespace burin::gpu
