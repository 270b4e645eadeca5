// The arguments of kernels that are launched as nodes of CUDA graphs.
//
// The kernels of a graph are known only after they have run: CUPTI's record names the node and the
// graph launch. The arguments of a node are read when the graph is instantiated. The nodes of an
// instantiated graph are copies of the nodes that the program created; CUPTI reports which node is
// a copy of which.
#pragma once

#include <array>
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
  std::array<std::uint32_t, 3> cluster{};  // zeros: the cluster size compiled into the kernel
};

// Thread-safe. No lock is held while the driver or CUPTI is called.
class Graphs {
 public:
  using Resolve = std::function<const RecordedKernel&(CudaHandle function)>;

  Graphs(const Cupti& cupti, const RecordDriver& driver, Allocations& allocations, Resolve resolve)
      : cupti_(cupti), driver_(driver), allocations_(allocations), resolve_(std::move(resolve)) {}

  // Reads every kernel node of the graph, including those of child graphs.
  void read(CudaHandle graph) { read_level(graph, 0); }

  // Called when the program changes the parameters of a node.
  void set(CudaHandle node, const CudaKernelNode& parameters, bool has_kernel);

  void clone(CudaHandle node, CudaHandle original);

  // A counter that increases with every node that is read or set. A graph launch uses the node
  // parameters at the time of the launch, but its kernels are looked up later, after they have run.
  std::uint64_t version();

  // The kernel of a node as of `version`. Returns nullopt if the node had not been read by then,
  // e.g. because it was created on the GPU.
  std::optional<GraphKernel> find(std::uint64_t node, std::uint64_t version);

 private:
  void read_level(CudaHandle graph, int depth);
  std::uint64_t id_of(CudaHandle node) const;

  const Cupti& cupti_;
  const RecordDriver& driver_;
  Allocations& allocations_;
  Resolve resolve_;
  std::mutex mutex_;  // guards the members below
  std::uint64_t version_ = 0;
  // By CUPTI's node id and version.
  std::map<std::pair<std::uint64_t, std::uint64_t>, GraphKernel> kernels_;
  std::unordered_map<std::uint64_t, std::uint64_t> originals_;  // copy to original, by node id
};

}  // namespace burin::gpu
