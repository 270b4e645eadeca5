// The arguments of kernels that are launched as nodes of CUDA graphs.
//
// A graph's kernels are seen when they have run: CUPTI's record names the node and the launch of
// the graph. What the node was given is read when the graph is made ready to run (instantiated),
// whose nodes are copies of those the program made; CUPTI tells which is a copy of which.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gpu/record/arguments.h"
#include "gpu/record/driver/cupti.h"
#include "gpu/record/driver/driver.h"
#include "gpu/record/modules.h"

namespace burin::gpu {

struct GraphKernel {
  const RecordedKernel* kernel = nullptr;
  std::optional<std::vector<std::uint8_t>> arguments{};
  std::vector<capture::SpoolAllocation> allocations{};
};

// Safe from many threads: no lock is held while the driver or CUPTI is called.
class Graphs {
 public:
  using Resolve = std::function<const RecordedKernel&(CudaHandle function)>;

  Graphs(const Cupti& cupti, const RecordDriver& driver, Allocations& allocations, Resolve resolve)
      : cupti_(cupti), driver_(driver), allocations_(allocations), resolve_(std::move(resolve)) {}

  // Reads every kernel node of the graph, those of graphs inside it too.
  void read(CudaHandle graph) { read_level(graph, 0); }

  // A node was given other arguments.
  void set(CudaHandle node, const CudaKernelNode& parameters, bool has_kernel);

  void clone(CudaHandle node, CudaHandle original);

  // Grows with every node that is read or set: what a graph's launch sees is what was there then,
  // while its kernels are looked up when they have run.
  std::uint64_t version();

  // Nothing where the node was not read until then, as one that the GPU itself made.
  std::optional<GraphKernel> find(std::uint64_t node, std::uint64_t version);

 private:
  void read_level(CudaHandle graph, int depth);
  std::uint64_t id_of(CudaHandle node) const;

  const Cupti& cupti_;
  const RecordDriver& driver_;
  Allocations& allocations_;
  Resolve resolve_;
  std::mutex mutex_;  // around what follows
  std::uint64_t version_ = 0;
  // By CUPTI's number of the node and the version.
  std::map<std::pair<std::uint64_t, std::uint64_t>, GraphKernel> kernels_;
  std::unordered_map<std::uint64_t, std::uint64_t> originals_;  // of copies
};

}  // namespace burin::gpu
