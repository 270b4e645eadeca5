#include "gpu/device_buffers.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "gpu/buffer_contents.h"

namespace burin::gpu {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace

void DeviceBuffers::release(const Held& held) const {
  gpu_->cuda().release(held.address);
  if (held.original != 0) gpu_->cuda().release(held.original);
}

void DeviceBuffers::clear() {
  for (const Held& held : held_) release(held);
  held_.clear();
  originals_fit_ = true;
}

const DeviceBuffers::Held* DeviceBuffers::find(measure::BufferPlace place) const {
  const auto found = std::ranges::find(held_, place, &Held::place);
  return found == held_.end() ? nullptr : &*found;
}

Attempt<void> DeviceBuffers::make(const measure::DeviceRequest& request,
                                  const std::function<void()>& before_filling) {
  const BufferPlan plan = plan_buffers(request, [this](measure::BufferPlace place) {
    const Held* held = find(place);
    return held == nullptr ? "" : held->text;
  });
  std::erase_if(held_, [&](const Held& held) {
    if (!plan.keeps(held.place)) release(held);
    return !plan.keeps(held.place);
  });
  if (Result<void> done = restore(); !done) return {done.error()};
  if (!plan.missing.empty()) {
    before_filling();
    if (Attempt<void> done = add_all(plan.missing); !done) return done;
  }
  if (request.outputs.empty()) return {note_digests(), measure::FailureKind::kDevice};
  return {};
}

Attempt<void> DeviceBuffers::add_all(std::span<const BufferPlan::Missing> missing) {
  originals_fit_ = true;
  chunk_.resize(kContentChunk);
  expected_.resize(kContentChunk);
  for (const auto& [place, argument] : missing) {
    if (Attempt<void> done = add(place, *argument); !done) return done;
  }
  std::ranges::sort(
      held_, {}, [](const Held& held) { return std::pair(held.place.step, held.place.argument); });
  // Copies from the host may still be under way, and the stream does not wait for them.
  if (auto done = gpu_->check(gpu_->cuda().context_synchronize(), "cuCtxSynchronize"); !done) {
    return {done.error()};
  }
  return {};
}

Attempt<void> DeviceBuffers::add(measure::BufferPlace place, const launch::Argument& argument) {
  Held held{.place = place, .text = argument.text, .buffer = *argument.buffer()};
  const CudaStatus status = gpu_->cuda().allocate(&held.address, held.buffer.size);
  if (status == Cuda::kOutOfMemory) {
    std::size_t free = 0, total = 0;
    gpu_->cuda().memory_info(&free, &total);
    return Error{fmt::format("argument {} '{}' does not fit on {} ({}): {} of its {} are free",
                             place.argument, argument.text, gpu_->label(), gpu_->name(),
                             human_bytes(free), human_bytes(total)),
                 Exit::kDevice};
  }
  if (auto done = gpu_->check(status, "cuMemAlloc"); !done) return {done.error()};
  held_.push_back(held);
  return {fill(held.buffer, held.address), measure::FailureKind::kDevice};
}

std::vector<std::vector<std::uint64_t>> DeviceBuffers::addresses(
    const measure::DeviceRequest& request) const {
  std::vector<std::vector<std::uint64_t>> lists;
  for (std::size_t step = 0; step < request.steps.size(); ++step) {
    std::vector<std::uint64_t>& list = lists.emplace_back();
    for (std::size_t i = 0; i < request.steps[step].launch.arguments.size(); ++i) {
      const std::optional<measure::BufferPlace> place = measure::buffer_place(request, step, i);
      list.push_back(place ? find(*place)->address : 0);
    }
  }
  return lists;
}

DeviceRange DeviceBuffers::at(measure::BufferPlace place) const {
  const Held* held = find(place);
  return {held->address, held->buffer.size};
}

Result<void> DeviceBuffers::fill(const launch::Buffer& buffer, CudaPointer address) {
  if (holds_zeros(buffer)) {
    return gpu_->check(gpu_->cuda().set_async(address, 0, buffer.size, gpu_->stream()),
                       "cuMemsetD8Async");
  }
  return for_each_chunk(buffer.size, [&](std::uint64_t offset, std::uint64_t size) {
    make_contents(buffer, offset, std::span(chunk_).first(size));
    return gpu_->check(gpu_->cuda().copy_in(address + offset, chunk_.data(), size), "cuMemcpyHtoD");
  });
}

Result<std::vector<std::uint64_t>> DeviceBuffers::digest_unchanged() const {
  std::vector<DeviceRange> ranges;
  for (const Held& held : held_) {
    if (!held.changed) ranges.push_back({held.address, held.buffer.size});
  }
  return comparer_->digests(ranges);
}

Result<void> DeviceBuffers::note_digests() {
  const bool known = std::ranges::all_of(
      held_, [](const Held& held) { return held.changed || held.digest.has_value(); });
  if (known) return {};
  const Result<std::vector<std::uint64_t>> digests = digest_unchanged();
  if (!digests) return digests.error();
  std::size_t next = 0;
  for (Held& held : held_) {
    if (!held.changed) held.digest = (*digests)[next++];
  }
  return {};
}

Result<void> DeviceBuffers::find_changed() {
  const Result<std::vector<std::uint64_t>> digests = digest_unchanged();
  if (!digests) return digests.error();
  std::size_t next = 0;
  for (Held& held : held_) {
    if (!held.changed) held.changed = (*digests)[next++] != held.digest;
  }
  return {};
}

Result<measure::DeviceOutput> DeviceBuffers::write_file(Held& held, const std::string& folder) {
  measure::DeviceOutput output{.step = held.place.step, .argument = held.place.argument};
  output.path = output_path(folder, held.place);
  const File file(std::fopen(output.path.c_str(), "wb"));
  const auto cannot_write = [&] {
    return Error{fmt::format("cannot write {}: {}", output.path, std::strerror(errno))};
  };
  if (file == nullptr) return cannot_write();
  Result<void> done =
      for_each_chunk(held.buffer.size, [&](std::uint64_t offset, std::uint64_t size) {
        Result<void> copied = gpu_->check(
            gpu_->cuda().copy_out(chunk_.data(), held.address + offset, size), "cuMemcpyDtoH");
        if (!copied) return copied;
        if (!output.changed) {
          make_contents(held.buffer, offset, std::span(expected_).first(size));
          output.changed = std::memcmp(chunk_.data(), expected_.data(), size) != 0;
        }
        if (std::fwrite(chunk_.data(), 1, size, file.get()) != size) {
          return Result<void>(cannot_write());
        }
        return Result<void>();
      });
  if (!done) return done.error();
  if (std::fflush(file.get()) != 0) return cannot_write();
  held.changed = held.changed || output.changed;
  return output;
}

Result<std::vector<measure::DeviceOutput>> DeviceBuffers::collect(const std::string& folder) {
  std::vector<measure::DeviceOutput> outputs;
  if (folder.empty()) {
    if (Result<void> done = find_changed(); !done) return done.error();
    for (const Held& held : held_) {
      outputs.push_back(
          {.step = held.place.step, .argument = held.place.argument, .changed = held.changed});
    }
    return outputs;
  }
  for (Held& held : held_) {
    Result<measure::DeviceOutput> output = write_file(held, folder);
    if (!output) return output.error();
    outputs.push_back(*output);
  }
  return outputs;
}

Result<bool> DeviceBuffers::holds(const Held& held, const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  if (file->bytes().size() != held.buffer.size) return Error{path + " has changed its size"};
  bool same = true;
  const Result<void> done =
      for_each_chunk(held.buffer.size, [&](std::uint64_t offset, std::uint64_t size) {
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
    const Result<bool> same = holds(held_[i], outputs[i].path);
    if (!same) return same;
    all = all && *same;
    if (*same) ++outputs[i].agreeing;
    // One that stayed as it was in the first launch need not stay so in each.
    held_[i].changed = held_[i].changed || !*same;
  }
  return all;
}

Result<void> DeviceBuffers::keep_originals() {
  bool filled = false;
  for (Held& held : held_) {
    if (!held.changed || held.original != 0 || !originals_fit_) continue;
    if (gpu_->cuda().allocate(&held.original, held.buffer.size) != 0) {
      held.original = 0;
      originals_fit_ = false;
    } else if (Result<void> done = fill(held.buffer, held.original); !done) {
      return done;
    }
    filled = true;
  }
  if (!filled) return {};
  return gpu_->check(gpu_->cuda().context_synchronize(), "cuCtxSynchronize");
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
          gpu_->cuda().copy_async(held.address, held.original, held.buffer.size, gpu_->stream()),
          "cuMemcpyDtoDAsync");
    } else {
      done = gpu_->check(gpu_->cuda().stream_synchronize(gpu_->stream()), "cuStreamSynchronize");
      if (done) done = fill(held.buffer, held.address);
      if (done) done = gpu_->check(gpu_->cuda().context_synchronize(), "cuCtxSynchronize");
    }
    if (!done) return done;
  }
  return {};
}

std::size_t DeviceBuffers::changed() const {
  return static_cast<std::size_t>(std::ranges::count_if(held_, &Held::changed));
}

Result<void> DeviceBuffers::for_each(
    const std::function<Result<void>(CudaPointer, std::uint64_t)>& visit) const {
  for (const Held& held : held_) {
    if (Result<void> done = visit(held.address, held.buffer.size); !done) return done;
  }
  return {};
}

}  // namespace burin::gpu
