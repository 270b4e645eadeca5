#include "gpu/record/stacks.h"

#include <dlfcn.h>
#include <unistd.h>

#include <string_view>

#include "gpu/record/frame_tables.h"

namespace burin {
namespace {

std::uint64_t hash_of(const Stacks::Addresses& addresses) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, a word at a time
  for (const std::uintptr_t address : addresses) {
    hash = (hash ^ address) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return hash;
}

std::string program_path(const std::string& otherwise) {
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : otherwise;
}

SpoolFrame frame_of(std::uintptr_t address) {
  SpoolFrame frame;
  Dl_info info{};
  // A return address stands behind the call, which may be the last instruction of its function.
  const std::uintptr_t call = address - 1;
  if (::dladdr(pointer_to<char>(call), &info) == 0) {
    frame.offset = call;
    return frame;
  }
  frame.object = info.dli_fname == nullptr ? "" : info.dli_fname;
  // The program itself is known by the word that it was started with.
  if (!frame.object.starts_with('/')) frame.object = program_path(frame.object);
  frame.offset = call - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  frame.symbol = info.dli_sname == nullptr ? "" : info.dli_sname;
  return frame;
}

// The recorder, CUPTI and CUDA itself are on top of every stack and say nothing.
bool is_cudas(const SpoolFrame& frame) {
  const std::string_view object = frame.object;
  const std::string_view name = object.substr(object.rfind('/') + 1);
  for (const std::string_view own : {"libburin_record", "libcupti", "libcuda.so", "libcudart"}) {
    if (name.starts_with(own)) return true;
  }
  return false;
}

}  // namespace

std::uint32_t Stacks::number(const Addresses& addresses) {
  const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
  const auto [at, is_new] = numbers_.try_emplace(hash_of(addresses), next);
  if (!is_new) return at->second;
  SpoolStack stack{.stack = next};
  for (const std::uintptr_t address : addresses) {
    SpoolFrame frame = frame_of(address);
    if (stack.frames.empty() && is_cudas(frame)) continue;
    stack.frames.push_back(std::move(frame));
  }
  out_.add(stack);
  return next;
}

}  // namespace burin
