#include "gpu/opencl/buffers.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "gpu/buffer_contents.h"

namespace burin::gpu {
namespace {

constexpr std::uint32_t kBlocking = 1;

struct CloseOutput {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OutputFile = std::unique_ptr<std::FILE, CloseOutput>;

}  // namespace

const OpenclBuffers::Held* OpenclBuffers::find(measure::BufferPlace place) const {
  const auto found = std::ranges::find(held_, place, &Held::place);
  return found == held_.end() ? nullptr : &*found;
}

void OpenclBuffers::release(const Held& held) const {
  device_->opencl().release(held.memory);
  if (held.original != nullptr) device_->opencl().release(held.original);
}

void OpenclBuffers::clear() {
  for (const Held& held : held_) release(held);
  held_.clear();
}

OpenclHandle OpenclBuffers::at(measure::BufferPlace place) const {
  return find(place)->memory;
}

Attempt<void> OpenclBuffers::make(const measure::DeviceRequest& request,
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
  if (!plan.missing.empty()) before_filling();
  for (const auto& [place, argument] : plan.missing) {
    if (Attempt<void> done = add(place, *argument); !done) return done;
  }
  std::ranges::sort(
      held_, {}, [](const Held& held) { return std::pair(held.place.step, held.place.argument); });
  return {};
}

Attempt<OpenclHandle> OpenclBuffers::allocate(const Held& held) const {
  OpenclStatus status = 0;
  const OpenclHandle memory = device_->opencl().allocate(device_->context(), Opencl::kReadWrite,
                                                         held.buffer.size, nullptr, &status);
  if (status == Opencl::kAllocationFailed || status == Opencl::kInvalidBufferSize ||
      status == Opencl::kOutOfHostMemory || status == Opencl::kOutOfResources) {
    return Error{
        fmt::format("argument {} '{}' does not fit on {} ({}): a buffer has at most {}, all "
                    "together {}",
                    held.place.argument, held.text, device_->label(), device_->info().name,
                    human_bytes(device_->info().max_allocation_bytes),
                    human_bytes(device_->info().memory_bytes)),
        Exit::kDevice};
  }
  if (auto done = device_->check(status, "clCreateBuffer"); !done) return {done.error()};
  return memory;
}

Attempt<void> OpenclBuffers::add(measure::BufferPlace place, const launch::Argument& argument) {
  Held held{.place = place, .text = argument.text, .buffer = *argument.buffer()};
  const Attempt<OpenclHandle> memory = allocate(held);
  if (!memory) return {memory.error(), memory.kind()};
  held.memory = *memory;
  const Result<std::uint64_t> digest = fill(held.buffer, held.memory);
  held.digest = digest ? *digest : 0;
  held_.push_back(std::move(held));
  if (!digest) return {digest.error()};
  return {};
}

// Returns the digest of what it wrote.
Result<std::uint64_t> OpenclBuffers::fill(const launch::Buffer& buffer, OpenclHandle memory) {
  std::vector<std::uint8_t> chunk(std::min(buffer.size, kContentChunk));
  std::uint64_t digest = 0;
  const Result<void> done =
      for_each_chunk(buffer.size, [&](std::uint64_t offset, std::uint64_t size) {
        const std::span<std::uint8_t> part = std::span(chunk).first(size);
        if (holds_zeros(buffer)) {
          std::ranges::fill(part, std::uint8_t{0});
        } else {
          make_contents(buffer, offset, part);
        }
        digest += digest_of(part, offset / 8);
        return device_->check(device_->opencl().write(device_->queue(), memory, kBlocking, offset,
                                                      size, part.data(), 0, nullptr, nullptr),
                              "clEnqueueWriteBuffer");
      });
  if (!done) return done.error();
  return digest;
}

Result<void> OpenclBuffers::for_each_part(
    const Held& held, const std::function<Result<void>(std::uint64_t, Bytes)>& visit) const {
  std::vector<std::uint8_t> chunk(std::min(held.buffer.size, kContentChunk));
  return for_each_chunk(held.buffer.size, [&](std::uint64_t offset, std::uint64_t size) {
    Result<void> done =
        device_->check(device_->opencl().read(device_->queue(), held.memory, kBlocking, offset,
                                              size, chunk.data(), 0, nullptr, nullptr),
                       "clEnqueueReadBuffer");
    return done ? visit(offset, Bytes(chunk).first(size)) : done;
  });
}

Result<std::vector<std::uint8_t>> OpenclBuffers::read(measure::BufferPlace place) const {
  const Held& held = *find(place);
  std::vector<std::uint8_t> contents(held.buffer.size);
  const Result<void> done = for_each_part(held, [&](std::uint64_t offset, Bytes part) {
    std::memcpy(contents.data() + offset, part.data(), part.size());
    return Result<void>();
  });
  if (!done) return done.error();
  return contents;
}

Result<measure::DeviceOutput> OpenclBuffers::collect_one(Held& held, const std::string& folder) {
  measure::DeviceOutput output{.step = held.place.step, .argument = held.place.argument};
  OutputFile file;
  if (!folder.empty()) {
    output.path = output_path(folder, held.place);
    file.reset(std::fopen(output.path.c_str(), "wb"));
  }
  const auto cannot_write = [&] {
    return Error{fmt::format("cannot write {}: {}", output.path, std::strerror(errno))};
  };
  if (!folder.empty() && file == nullptr) return cannot_write();
  output.changed = held.changed;
  if (file == nullptr && held.changed) return output;  // it is restored in any case
  std::uint64_t digest = 0;
  const Result<void> done = for_each_part(held, [&](std::uint64_t offset, Bytes part) {
    digest += digest_of(part, offset / 8);
    if (file != nullptr && std::fwrite(part.data(), 1, part.size(), file.get()) != part.size()) {
      return Result<void>(cannot_write());
    }
    return Result<void>();
  });
  if (!done) return done.error();
  if (file != nullptr && std::fflush(file.get()) != 0) return cannot_write();
  held.changed = held.changed || digest != held.digest;
  output.changed = held.changed;
  return output;
}

Result<std::vector<measure::DeviceOutput>> OpenclBuffers::collect(const std::string& folder) {
  std::vector<measure::DeviceOutput> outputs;
  for (Held& held : held_) {
    Result<measure::DeviceOutput> output = collect_one(held, folder);
    if (!output) return output.error();
    outputs.push_back(std::move(*output));
  }
  return outputs;
}

Result<bool> OpenclBuffers::hold(std::vector<measure::DeviceOutput>& outputs) {
  bool all = true;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const Result<MappedFile> file = MappedFile::open(outputs[i].path);
    if (!file) return file.error();
    if (file->bytes().size() != held_[i].buffer.size) {
      return Error{outputs[i].path + " has changed its size"};
    }
    bool same = true;
    const Result<void> done = for_each_part(held_[i], [&](std::uint64_t offset, Bytes part) {
      same = same && std::memcmp(part.data(), file->bytes().data() + offset, part.size()) == 0;
      return Result<void>();
    });
    if (!done) return done.error();
    all = all && same;
    if (same) ++outputs[i].agreeing;
    held_[i].changed = held_[i].changed || !same;
  }
  return all;
}

Result<void> OpenclBuffers::restore() {
  for (Held& held : held_) {
    if (!held.changed) continue;
    if (held.original == nullptr) {
      const Attempt<OpenclHandle> memory = allocate(held);
      if (!memory) return memory.error();
      held.original = *memory;
      if (const auto filled = fill(held.buffer, held.original); !filled) return filled.error();
    }
    if (auto done =
            device_->check(device_->opencl().copy(device_->queue(), held.original, held.memory, 0,
                                                  0, held.buffer.size, 0, nullptr, nullptr),
                           "clEnqueueCopyBuffer");
        !done) {
      return done;
    }
  }
  return {};
}

}  // namespace burin::gpu
