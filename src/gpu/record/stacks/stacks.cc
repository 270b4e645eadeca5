#include "gpu/record/stacks/stacks.h"

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"
#include "gpu/record/stacks/frame_tables.h"
#include "gpu/record/stacks/unwind.h"

namespace burin::gpu {
namespace {

std::uint64_t hash_of(const Stacks::Stack& stack) {
  std::uint64_t hash = 0;
  for (const std::uintptr_t address : stack.native) hash = hash_combine(hash, address);
  for (const PythonFrame& frame : stack.python) {
    hash = hash_combine(hash, frame.code);
    hash = hash_combine(hash, frame.instruction);
  }
  return hash;
}

std::string program_path(const std::string& otherwise) {
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : otherwise;
}

// Without the function's name: dladdr looks through all symbols of a library, which takes a
// millisecond in PyTorch's. Whoever makes the capture finds it in the file.
capture::SpoolFrame frame_of(std::uintptr_t address) {
  capture::SpoolFrame frame;
  // A return address stands behind the call, which may be the last instruction of its function.
  const std::uintptr_t call = address - 1;
  const std::optional<CodeObject> object = loaded_object(call);
  if (!object) {
    frame.offset = call;
    return frame;
  }
  // The program itself has no name here, or the word that it was started with.
  frame.object = object->path.starts_with('/') ? std::string(object->path)
                                               : program_path(std::string(object->path));
  frame.offset = call - object->begin;
  return frame;
}

// The recorder, CUPTI and CUDA itself are on top of every stack and say nothing.
bool is_cudas(const capture::SpoolFrame& frame) {
  const std::string_view name = file_name(frame.object);
  for (const std::string_view own : {"libburin_record", "libcupti", "libcuda.so", "libcudart"}) {
    if (name.starts_with(own)) return true;
  }
  return false;
}

}  // namespace

Stacks::Stack Stacks::current() {
  return {walk_stack(), python_frames()};
}

std::uint32_t Stacks::number(const Stack& stack) {
  const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
  const auto [at, is_new] = numbers_.try_emplace(hash_of(stack), next);
  if (!is_new) return at->second;
  capture::SpoolStack spooled{.stack = next};
  for (const std::uintptr_t address : stack.native) {
    if (!stack.python.empty() && is_python(address - 1)) break;
    capture::SpoolFrame frame = frame_of(address);
    if (spooled.frames.empty() && is_cudas(frame)) continue;
    spooled.frames.push_back(std::move(frame));
  }
  for (const PythonFrame& frame : stack.python) spooled.frames.push_back(describe(frame));
  out_.add(spooled);
  return next;
}

}  // namespace burin::gpu
