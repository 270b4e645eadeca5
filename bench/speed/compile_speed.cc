// How many configurations of a kernel a second the compile pool compiles, by NVRTC and by nvcc:
//   bench_compile_speed build/burin [PROCESSES…]
// Without PROCESSES: 1, 2, 4, … up to the number of cores. The goals are 1.6 times the rate of one
// process with two on two cores, and 10 times with sixteen on sixteen. On a busy machine compare
// the CPU time of a compilation: it stays as it is if the processes do not disturb each other. Also
// printed: how fast results come out of the cache.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "base/format.h"
#include "base/temporary_folder.h"
#include "toolchain/pool.h"

using namespace burin;
using toolchain::CompileCache;
using toolchain::CompilePool;
using toolchain::Compiler;

namespace {

// Matrix product, tiled: what a tuner compiles hundreds of times with other constants.
constexpr const char* kSource = R"(
template <int kUnroll>
__global__ void gemm(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE + PAD];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  float sum = SEED;
  for (int k = 0; k < n; k += TILE) {
    tile_a[y][x] = a[row * n + k + x];
    tile_b[y][x] = b[(k + y) * n + column];
    __syncthreads();
#pragma unroll kUnroll
    for (int i = 0; i < TILE; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
)";

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of this process, or of all its children that have ended.
double cpu_seconds(int whose) {
  rusage used{};
  ::getrusage(whose, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

toolchain::CompileRequest configuration(const std::string& source, Compiler compiler, int number) {
  return {.source = source,
          .defines = {fmt::format("TILE={}", 8 << (number % 3)), fmt::format("PAD={}", number % 5),
                      fmt::format("SEED={}", number)},
          .compiler = compiler,
          .name_expressions = {fmt::format("gemm<{}>", 1 << (number % 4))}};
}

// Compilations a second, once every process has compiled something. 0: some failed.
double rate(CompilePool& pool, const std::string& source, Compiler compiler, unsigned processes,
            int count) {
  for (unsigned i = 0; i < processes; ++i) {
    pool.submit(configuration(source, compiler, 1000 + static_cast<int>(i)));
  }
  const auto take_all = [&] {
    bool all = true;
    while (const auto ticket = pool.wait_any()) {
      const auto made = pool.wait(*ticket);
      if (!made) fmt::print(stderr, "{}\n", made.error().message);
      all = all && made.ok();
    }
    return all;
  };
  if (!take_all()) return 0;
  const double start = now();
  for (int i = 0; i < count; ++i) pool.submit(configuration(source, compiler, i));
  return take_all() ? count / (now() - start) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_compile_speed BURIN [PROCESSES…]\n");
    return 2;
  }
  std::vector<unsigned> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(static_cast<unsigned>(std::atoi(argv[i])));
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  if (sizes.empty()) {
    for (unsigned n = 1; n < cores; n *= 2) sizes.push_back(n);
    sizes.push_back(cores);
  }
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return 3;
  const std::string source = folder->path() + "/gemm.cu";
  std::ofstream(source) << kSource;

  fmt::print("{} cores\ncompiler  processes  compilations/s  times one process  CPU ms each\n",
             cores);
  for (const Compiler compiler : {Compiler::kNvrtc, Compiler::kNvcc}) {
    const bool nvrtc = compiler == Compiler::kNvrtc;
    double first = 0;
    for (const unsigned processes : sizes) {
      const int count = static_cast<int>(processes) * (nvrtc ? 40 : 6);
      const double before = cpu_seconds(RUSAGE_CHILDREN);
      double found = 0;
      {
        CompilePool pool(argv[1], processes, CompileCache(""));
        found = rate(pool, source, compiler, processes, count);
      }
      const double cpu = cpu_seconds(RUSAGE_CHILDREN) - before;
      if (first == 0) first = found;
      fmt::print("{:8}  {:9}  {:14.1f}  {:17.2f}  {:11.1f}\n", nvrtc ? "NVRTC" : "nvcc", processes,
                 found, first > 0 ? found / first : 0.0,
                 1e3 * cpu / (count + static_cast<int>(processes)));
      std::fflush(stdout);
    }
  }
  CompilePool pool(argv[1], 1, CompileCache(folder->path() + "/cache"));
  rate(pool, source, Compiler::kNvrtc, 1, 40);
  double found = 0;
  for (int i = 0; i < 10; ++i) found += rate(pool, source, Compiler::kNvrtc, 1, 40) / 10;
  fmt::print("cached    {:9}  {:14.1f}\n", 1, found);
  fmt::print("this process used {:.2f} s of CPU time\n", cpu_seconds(RUSAGE_SELF));
  return 0;
}
