#include "gpu/reference.h"

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::gpu {

using measure::FailureKind;

Reference::~Reference() {
  release_kept();
  for (const auto& [path, range] : files_) gpu_->cuda().release(range.address);
}

void Reference::release_kept() {
  for (const DeviceRange& range : kept_) gpu_->cuda().release(range.address);
  kept_.clear();
}

Attempt<DeviceRange> Reference::allocate(std::uint64_t bytes) const {
  DeviceRange range{0, bytes};
  const CudaStatus status = gpu_->cuda().allocate(&range.address, bytes);
  if (status == Cuda::kOutOfMemory) {
    return {Error{fmt::format("{} ({}) has no room for a reference of {}", gpu_->label(),
                              gpu_->name(), human_bytes(bytes)),
                  Exit::kDevice},
            FailureKind::kDevice};
  }
  if (auto done = gpu_->check(status, "cuMemAlloc"); !done) return {done.error()};
  return range;
}

Attempt<void> Reference::keep(const measure::DeviceRequest& request, const DeviceBuffers& buffers) {
  release_kept();
  for (const measure::ExpectedOutput& output : request.expected) {
    const DeviceRange from = buffers.at({output.step, output.argument});
    const Attempt<DeviceRange> copy = allocate(from.bytes);
    if (!copy) return {copy.error(), copy.kind()};
    kept_.push_back(*copy);
    if (auto done = gpu_->check(
            gpu_->cuda().copy_async(copy->address, from.address, from.bytes, gpu_->stream()),
            "cuMemcpyDtoDAsync");
        !done) {
      return {done.error()};
    }
  }
  return {gpu_->check(gpu_->cuda().stream_synchronize(gpu_->stream()), "cuStreamSynchronize"),
          FailureKind::kDevice};
}

Attempt<DeviceRange> Reference::from_file(const std::string& path) {
  if (const auto found = files_.find(path); found != files_.end()) return found->second;
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return {file.error(), FailureKind::kRequest};
  const Bytes bytes = file->bytes();
  if (bytes.empty()) return {Error{path + " is empty"}, FailureKind::kRequest};
  const Attempt<DeviceRange> range = allocate(bytes.size());
  if (!range) return range;
  files_.emplace(path, *range);
  Result<void> done =
      gpu_->check(gpu_->cuda().copy_in(range->address, bytes.data(), bytes.size()), "cuMemcpyHtoD");
  if (done) done = gpu_->check(gpu_->cuda().context_synchronize(), "cuCtxSynchronize");
  if (!done) return {done.error()};
  return range;
}

Attempt<DeviceRange> Reference::expected(const measure::DeviceRequest& request, std::size_t index,
                                         std::uint64_t bytes) {
  const measure::ExpectedOutput& output = request.expected[index];
  const bool in_file = !output.file.empty();
  if (!in_file && index >= kept_.size()) {
    return {Error{"there is no reference yet; run the reference configuration first"},
            FailureKind::kRequest};
  }
  Attempt<DeviceRange> range =
      in_file ? from_file(output.file) : Attempt<DeviceRange>(kept_[index]);
  if (range && range->bytes != bytes) {
    return {Error{fmt::format("{} has {}, but the buffer of argument {} has {}",
                              in_file ? output.file : "the reference",
                              count_of(range->bytes, "byte"), output.argument, bytes)},
            FailureKind::kRequest};
  }
  return range;
}

Attempt<std::vector<measure::CheckedBuffer>> Reference::compare(
    const measure::DeviceRequest& request, const DeviceBuffers& buffers) {
  std::vector<measure::CheckedBuffer> checked;
  for (std::size_t i = 0; i < request.expected.size(); ++i) {
    const measure::ExpectedOutput& output = request.expected[i];
    const DeviceRange got = buffers.at({output.step, output.argument});
    const Attempt<DeviceRange> wanted = expected(request, i, got.bytes);
    if (!wanted) return {wanted.error(), wanted.kind()};
    Result<launch::Comparison> comparison =
        comparer_->compare(got.address, wanted->address, got.bytes, output.type, output.tolerance);
    if (!comparison) return {comparison.error(), FailureKind::kDevice};
    checked.push_back({output.step, output.argument, std::move(*comparison)});
  }
  return checked;
}

}  // namespace burin::gpu
