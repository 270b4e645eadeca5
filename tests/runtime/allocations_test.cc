// The launch library allocates nothing for a launch whose kernel and sizes are known, nor for a new
// size.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "runtime/engine.h"
#include "runtime/saxpy_rp.h"

namespace {
thread_local std::size_t allocations = 0;
}

// Not inlined: GCC would warn of malloc() and free() that do not match new and delete.
__attribute__((noinline)) void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  std::abort();
}
__attribute__((noinline)) void operator delete(void* memory) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace burin::runtime {
namespace {

TEST(Allocations, NoneAfterWarmUp) {
  const RpFolder folder;
  CudaApi api;
  api.device_count = [] { return 1; };
  api.device = [] { return 0; };
  api.describe_kernel = [](const void*, KernelFacts& facts) {
    facts.name = "_Z5saxpyifPKfPf";
    facts.parameters_known = true;
    facts.parameters = {{0, 4}, {4, 4}, {8, 8}, {16, 8}};
    facts.registers = 12;
    facts.max_threads = 1024;
    return true;
  };
  api.describe_device = [](int, DeviceFacts& facts) {
    facts = {"NVIDIA H200", 9, 0, 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}, {}};
    return true;
  };
  Settings settings;
  settings.path = {folder.path()};
  Engine engine(settings, api);
  std::int32_t n = 100;
  const void* arguments[4] = {&n, nullptr, nullptr, nullptr};
  LaunchRequest request;
  request.kernel = &engine;
  request.arguments.pointers = arguments;
  const auto launch = [&](std::int32_t size) {
    n = size;
    request.own = {{static_cast<std::uint32_t>(size + 255) / 256, 1, 1}, {256, 1, 1}, 0};
    return engine.decide(request).changed;
  };
  ASSERT_TRUE(launch(1000));
  const std::size_t before = allocations;
  bool changed = true;
  for (std::int32_t i = 0; i < 20000; ++i) changed &= launch(100 + i % 15000);
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(changed);
}

}  // namespace
}  // namespace burin::runtime
