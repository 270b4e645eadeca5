// Compiles many requests at once, in long-lived compiler processes.
//
//   CompilePool pool(path_of_burin, 16, CompileCache(CompileCache::default_folder()));
//   CompilePool::Ticket a = pool.submit({.source = "k.cu", .defines = {"TILE=16"}, …});
//   CompilePool::Ticket b = pool.submit({.source = "k.cu", .defines = {"TILE=32"}, …}, 1);
//   CompileResult made = pool.wait(a);   // b, of higher priority, was compiled before it
//
//   while (auto ticket = pool.wait_any()) use(*pool.try_take(*ticket));   // as they are finished
//
// Processes, because NVRTC's threads hardly scale: 16 of them compile 62 small kernels a second,
// one compiles 55. Each opens NVRTC once. A compilation that crashes its process or exceeds its
// time limit (timed_out()) is answered with an Error, and the process is replaced; the others do
// not notice.
//
// All functions may be called from any thread. Processes are started when there is work for them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "toolchain/cache.h"
#include "toolchain/compile.h"

namespace burin::toolchain {

class CompilePool {
 public:
  using Ticket = std::uint64_t;

  // `path_of_burin` is the executable that has the command `compiler`. If it is empty, requests are
  // compiled one after another by this process.
  CompilePool(std::string path_of_burin, unsigned processes, CompileCache cache);
  // Cancels what is not finished. May take as long as the compilation that runs if `path_of_burin`
  // is empty.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  // Returns at once. Higher priorities go first; equal ones in the order of submission. The
  // request's time limit counts from when a process takes it up.
  Ticket submit(CompileRequest request, int priority = 0);

  // Waits for a result and takes it. An Error if it was cancelled or taken before.
  CompileResult wait(Ticket ticket);

  // Takes a result if it is finished.
  std::optional<CompileResult> try_take(Ticket ticket);

  // Waits until some result is finished and not taken, and names the one finished first. nullopt
  // if nothing is submitted that is not taken, or after `limit_seconds`.
  std::optional<Ticket> wait_any(double limit_seconds = 1e9);

  // Forgets a request or its result. If it is being compiled, its process is replaced.
  void cancel(Ticket ticket);

  struct Counts {
    std::uint64_t submitted = 0;
    std::uint64_t finished = 0;           // with a result or an Error
    std::uint64_t processes_started = 0;  // replacements included
    std::uint64_t crashes = 0;
    std::uint64_t timeouts = 0;  // of whole processes; nvcc's own limit spares the process
  };
  Counts counts() const;

 private:
  class Dispatcher;
  std::unique_ptr<Dispatcher> dispatcher_;
};

}  // namespace burin::toolchain
