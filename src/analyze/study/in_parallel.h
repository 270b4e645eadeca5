// Runs a function for each number below a count, on several threads.
//
//   in_parallel(options.threads, samples.size(), [&](std::size_t k) { times[k] = replay(k); });
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace burin::analyze {

// `threads` 0: one per core. Returns when all are done.
template <typename Work>
void in_parallel(unsigned threads, std::size_t count, Work work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t k = next++; k < count; k = next++) work(k);
  };
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t used = std::min<std::size_t>(count, threads != 0 ? threads : cores);
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < used; ++t) others.emplace_back(run);
  run();
}

}  // namespace burin::analyze
