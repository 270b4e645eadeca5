#include "gpu/record/graphs.h"

#include <algorithm>
#include <iterator>

namespace burin::gpu {
namespace {

constexpr int kDeepest = 16;  // graphs inside graphs; copies of copies

}  // namespace

std::uint64_t Graphs::id_of(CudaHandle node) const {
  std::uint64_t id = 0;
  return cupti_.graph_node_id(node, &id) == 0 ? id : 0;
}

void Graphs::set(CudaHandle node, const CudaKernelNode& parameters, bool has_kernel) {
  const CudaHandle function =
      parameters.function == nullptr && has_kernel ? parameters.kernel : parameters.function;
  if (function == nullptr) return;
  GraphKernel known;
  known.kernel = &resolve_(function);
  known.arguments = read_arguments(*known.kernel, parameters.parameters, parameters.extra);
  if (known.arguments) known.allocations = allocations_.of_arguments(*known.arguments);
  std::uint32_t attribute[16] = {};
  if (driver_.kernel_node_attribute != nullptr &&
      driver_.kernel_node_attribute(node, CudaLaunchAttribute::kClusterDimension, &attribute) ==
          0) {
    std::copy(attribute, attribute + 3, known.cluster.begin());
  }
  const std::uint64_t id = id_of(node);
  const std::lock_guard lock(mutex_);
  kernels_[{id, ++version_}] = std::move(known);
}

void Graphs::read_level(CudaHandle graph, int depth) {
  std::size_t count = 0;
  if (depth > kDeepest || driver_.graph_nodes(graph, nullptr, &count) != 0) return;
  std::vector<CudaHandle> nodes(count);
  if (driver_.graph_nodes(graph, nodes.data(), &count) != 0) return;
  for (const CudaHandle node : nodes) {
    int type = -1;
    if (driver_.node_type(node, &type) != 0) continue;
    CudaKernelNode parameters{};
    CudaHandle child = nullptr;
    if (type == RecordDriver::kKernelNode && driver_.kernel_node(node, &parameters) == 0) {
      set(node, parameters, true);
    } else if (type == RecordDriver::kChildGraphNode && driver_.child_graph(node, &child) == 0) {
      read_level(child, depth + 1);
    }
  }
}

void Graphs::clone(CudaHandle node, CudaHandle original) {
  const std::uint64_t copy = id_of(node), copied = id_of(original);
  const std::lock_guard lock(mutex_);
  originals_[copy] = copied;
}

std::uint64_t Graphs::version() {
  const std::lock_guard lock(mutex_);
  return version_;
}

std::optional<GraphKernel> Graphs::find(std::uint64_t node, std::uint64_t version) {
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < kDeepest; ++i) {
    const auto behind = kernels_.upper_bound({node, version});
    if (behind != kernels_.begin() && std::prev(behind)->first.first == node) {
      return std::prev(behind)->second;
    }
    const auto original = originals_.find(node);
    if (original == originals_.end()) break;
    node = original->second;
  }
  return std::nullopt;
}

}  // namespace burin::gpu
