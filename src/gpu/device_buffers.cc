#include "gpu/device_buffers.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <thread>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::gpu {
namespace {

constexpr std::uint64_t kChunk = 16 << 20;

// Calls `visit(offset, size)` for the buffer's bytes, a chunk at a time, until an Error.
template <typename Visit>
Result<void> for_each_chunk(std::uint64_t size, Visit visit) {
  for (std::uint64_t offset = 0; offset < size; offset += kChunk) {
    if (Result<void> done = visit(offset, std::min(kChunk, size - offset)); !done) return done;
  }
  return {};
}

// A part of the buffer's contents, made by all cores: gigabytes of random numbers would else take
// longer than what the GPU is to do with them.
void make_contents(const launch::Buffer& buffer, std::uint64_t offset,
                   std::span<std::uint8_t> out) {
  constexpr std::size_t kPiece = 1 << 20;
  const std::size_t pieces = (out.size() + kPiece - 1) / kPiece;
  const std::size_t threads = std::min<std::size_t>(pieces, std::thread::hardware_concurrency());
  const auto make_from = [&](std::size_t first) {
    for (std::size_t piece = first; piece < pieces; piece += std::max<std::size_t>(threads, 1)) {
      const std::size_t at = piece * kPiece;
      buffer.fill(offset + at, out.subspan(at, std::min(kPiece, out.size() - at)));
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(make_from, thread);
  make_from(0);
}

bool is_zeros(const launch::Buffer& buffer) {
  return buffer.kind == launch::Fill::kZero || buffer.contents() != launch::Contents::kKnown;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace

Result<DeviceBuffers> DeviceBuffers::make(const GpuContext& gpu, const launch::Launch& launch) {
  DeviceBuffers buffers(gpu);
  buffers.addresses_.resize(launch.arguments.size());
  buffers.chunk_.resize(kChunk);
  buffers.expected_.resize(kChunk);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const launch::Buffer* buffer = launch.arguments[i].buffer();
    if (buffer == nullptr) continue;
    Held held{.buffer = buffer, .argument = i};
    const CudaStatus status = gpu.cuda().allocate(&held.address, buffer->size);
    if (status == Cuda::kOutOfMemory) {
      std::size_t free = 0, total = 0;
      gpu.cuda().memory_info(&free, &total);
      return Error{fmt::format("argument {} '{}' does not fit on {} ({}): {} of its {} are free", i,
                               launch.arguments[i].text, gpu.label(), gpu.name(), human_bytes(free),
                               human_bytes(total)),
                   Exit::kDevice};
    }
    if (auto done = gpu.check(status, "cuMemAlloc"); !done) return done.error();
    buffers.held_.push_back(held);
    buffers.addresses_[i] = held.address;
    if (auto done = buffers.fill(*buffer, held.address); !done) return done.error();
  }
  return buffers;
}

DeviceBuffers::~DeviceBuffers() {
  for (const Held& held : held_) {
    gpu_->cuda().release(held.address);
    if (held.original != 0) gpu_->cuda().release(held.original);
  }
}

Result<void> DeviceBuffers::fill(const launch::Buffer& buffer, CudaPointer address) {
  if (is_zeros(buffer)) {
    return gpu_->check(gpu_->cuda().set_async(address, 0, buffer.size, gpu_->stream()),
                       "cuMemsetD8Async");
  }
  return for_each_chunk(buffer.size, [&](std::uint64_t offset, std::uint64_t size) {
    make_contents(buffer, offset, std::span(chunk_).first(size));
    return gpu_->check(gpu_->cuda().copy_in(address + offset, chunk_.data(), size), "cuMemcpyHtoD");
  });
}

Result<measure::DeviceOutput> DeviceBuffers::collect_one(std::size_t index,
                                                         const std::string& folder) {
  Held& held = held_[index];
  measure::DeviceOutput output{.argument = held.argument};
  File file;
  if (!folder.empty()) {
    output.path = fmt::format("{}/{}.bin", folder, held.argument);
    file.reset(std::fopen(output.path.c_str(), "wb"));
  }
  const auto cannot_write = [&] {
    return Error{fmt::format("cannot write {}: {}", output.path, std::strerror(errno))};
  };
  if (!folder.empty() && file == nullptr) return cannot_write();
  Result<void> done =
      for_each_chunk(held.buffer->size, [&](std::uint64_t offset, std::uint64_t size) {
        if (file == nullptr && output.changed) return Result<void>();  // all is known
        Result<void> copied = gpu_->check(
            gpu_->cuda().copy_out(chunk_.data(), held.address + offset, size), "cuMemcpyDtoH");
        if (!copied) return copied;
        if (!output.changed) {
          make_contents(*held.buffer, offset, std::span(expected_).first(size));
          output.changed = std::memcmp(chunk_.data(), expected_.data(), size) != 0;
        }
        if (file != nullptr && std::fwrite(chunk_.data(), 1, size, file.get()) != size) {
          return Result<void>(cannot_write());
        }
        return Result<void>();
      });
  if (!done) return done.error();
  if (file != nullptr && std::fflush(file.get()) != 0) return cannot_write();
  held.changed = held.changed || output.changed;
  return output;
}

Result<std::vector<measure::DeviceOutput>> DeviceBuffers::collect(const std::string& folder) {
  std::vector<measure::DeviceOutput> outputs;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    Result<measure::DeviceOutput> output = collect_one(i, folder);
    if (!output) return output.error();
    outputs.push_back(*output);
  }
  return outputs;
}

Result<bool> DeviceBuffers::holds(std::size_t index, const std::string& path) {
  const Held& held = held_[index];
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  if (file->bytes().size() != held.buffer->size) return Error{path + " has changed its size"};
  bool same = true;
  const Result<void> done =
      for_each_chunk(held.buffer->size, [&](std::uint64_t offset, std::uint64_t size) {
        Result<void> copied = gpu_->check(
            gpu_->cuda().copy_out(chunk_.data(), held.address + offset, size), "cuMemcpyDtoH");
        same =
            same && copied && std::memcmp(chunk_.data(), file->bytes().data() + offset, size) == 0;
        return copied;
      });
  if (!done) return done.error();
  return same;
}

Result<bool> DeviceBuffers::hold(std::vector<measure::DeviceOutput>& outputs) {
  bool all = true;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const Result<bool> same = holds(i, outputs[i].path);
    if (!same) return same;
    all = all && *same;
    if (*same) ++outputs[i].agreeing;
    // One that stayed as it was in the first launch need not stay so in each.
    held_[i].changed = held_[i].changed || !*same;
  }
  return all;
}

Result<void> DeviceBuffers::keep_originals() {
  for (Held& held : held_) {
    if (!held.changed || held.original != 0 || !originals_fit_) continue;
    if (gpu_->cuda().allocate(&held.original, held.buffer->size) != 0) {
      held.original = 0;
      originals_fit_ = false;
    } else if (Result<void> done = fill(*held.buffer, held.original); !done) {
      return done;
    }
  }
  return {};
}

Result<bool> DeviceBuffers::restores_on_gpu() {
  if (Result<void> done = keep_originals(); !done) return done.error();
  return originals_fit_;
}

Result<void> DeviceBuffers::restore() {
  if (Result<void> done = keep_originals(); !done) return done;
  for (const Held& held : held_) {
    if (!held.changed) continue;
    Result<void> done;
    if (held.original != 0) {
      done = gpu_->check(
          gpu_->cuda().copy_async(held.address, held.original, held.buffer->size, gpu_->stream()),
          "cuMemcpyDtoDAsync");
    } else {
      done = gpu_->check(gpu_->cuda().stream_synchronize(gpu_->stream()), "cuStreamSynchronize");
      if (done) done = fill(*held.buffer, held.address);
    }
    if (!done) return done;
  }
  return {};
}

std::size_t DeviceBuffers::changed() const {
  return static_cast<std::size_t>(
      std::count_if(held_.begin(), held_.end(), [](const Held& held) { return held.changed; }));
}

Result<void> DeviceBuffers::for_each(
    const std::function<Result<void>(CudaPointer, std::uint64_t)>& visit) const {
  for (const Held& held : held_) {
    if (Result<void> done = visit(held.address, held.buffer->size); !done) return done;
  }
  return {};
}

}  // namespace burin::gpu
