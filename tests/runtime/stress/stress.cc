// Threads that launch, unload modules, begin captures and refine at once, for the thread sanitizer:
// the build makes this program with it. Exits 0 if every launch had the shape that it should have.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/engine.h"

namespace {

using namespace burin::runtime;

constexpr char kProgram[] = R"(burin-rp 1
kernel k
parameters 0:4
code -
registers 0
shared 0
max_threads 1024
required_block 0 0 0
proof declared by this test
size n = arg0_i32
grid_x = ceildiv(n, bx)
grid_y = 1
grid_z = 1
shared_bytes = smem
shape 32 1 1
shape 64 1 1
time_us = bx
device "D" cc 9.0
  validated none
  outside table
  if n <= 5000
    use 0
  else
    use 1
end -
)";

CudaApi api() {
  CudaApi made;
  made.device_count = [] { return 1; };
  made.device = [] { return 0; };
  made.describe_kernel = [](const void*, KernelFacts& facts) {
    facts = {"k", true, {{0, 4}}, 4, 0, 1024, 49152, false, {}, false};
    return true;
  };
  made.describe_device = [](int, DeviceFacts& facts) {
    facts = {"D", 9, 0, 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}, {}};
    return true;
  };
  made.is_capturing = [](void*) { return false; };
  made.create_event = []() -> void* { return new int; };
  made.destroy_event = [](void* event) { delete static_cast<int*>(event); };
  made.record_event = [](void*, void*) { return true; };
  made.elapsed = [](void*, void*, double& us) {
    us = 1;
    return CudaApi::EventState::kReady;
  };
  return made;
}

// Launches of `count` sizes by four threads; how many had a wrong grid.
int wrong_launches(Engine& engine, int count) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::int32_t n = 0;
      const void* arguments[1] = {&n};
      LaunchRequest request;
      request.kernel = &engine;
      request.arguments.pointers = arguments;
      for (int i = 0; i < 20000; ++i) {
        n = 1 + i * (t + 1) % count;
        const auto threads_needed = static_cast<std::uint32_t>(n);
        request.own = {{(threads_needed + 255) / 256, 1, 1}, {256, 1, 1}, 0};
        engine.launch(request, [&](const LaunchShape& shape) {
          const std::uint32_t blocks = (threads_needed + shape.block[0] - 1) / shape.block[0];
          if (shape.grid[0] != blocks) ++wrong;
          return 0;
        });
        if (i % 4000 == 3999) engine.forget_handles();
        if (t == 3 && i == 15000) engine.capture_begins();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

}  // namespace

int main() {
  char folder[] = "/tmp/burin_stress_XXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  const std::string path = std::string(folder) + "/k.rp";
  std::ofstream(path) << kProgram;
  int wrong = 0;
  for (const Settings::Mode mode : {Settings::Mode::kOn, Settings::Mode::kRefine}) {
    Settings settings;
    settings.mode = mode;
    settings.path = {path};
    Engine engine(settings, api());
    if (!engine.active()) wrong = -1;
    // Few sizes, which refinement finishes, and more than the history holds.
    wrong += wrong_launches(engine, 40) + wrong_launches(engine, 12000);
  }
  std::remove(path.c_str());
  std::remove(folder);
  std::printf("%d launches had a wrong grid\n", wrong);
  return wrong == 0 ? 0 : 1;
}
