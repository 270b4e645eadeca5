#include "gpu/micro/micro.h"

namespace burin::gpu {

std::vector<Microbenchmark> microbenchmarks(const GpuShape& gpu) {
  std::vector<Microbenchmark> all;
  for (const auto group :
       {dispatch_benchmarks, latency_benchmarks, bandwidth_benchmarks, sm_memory_benchmarks,
        shared_benchmarks, atomic_benchmarks, class_benchmarks, wgmma_benchmarks, fetch_benchmarks,
        loaded_benchmarks}) {
    for (Microbenchmark& micro : group(gpu)) all.push_back(std::move(micro));
  }
  return all;
}

}  // namespace burin::gpu
