#include "emulate/execute/session.h"

#include <algorithm>
#include <span>

#include "base/format.h"
#include "emulate/access/constants.h"
#include "emulate/access/variables.h"
#include "emulate/state/system_calls.h"

namespace burin::emulate {

namespace {

constexpr std::uint32_t kReservedShared = 1024;  // in front of the kernel's own, sm_80 and later
constexpr std::uint32_t kMinStack = 1024;        // the driver's default
constexpr std::uint32_t kWidestAccess = 16;      // bytes

std::uint32_t stack_bytes(const read::Function& function) {
  const std::uint32_t needed = std::max({kMinStack, function.stack_bytes, function.local_bytes});
  return (needed + 15) / 16 * 16;
}

// The parameters once more, in memory: the tensor memory accelerator reads its maps there. They lie
// as they do in the constant bank, so that a map is a multiple of 64 bytes from its start.
std::uint64_t add_parameters(GlobalMemory& memory, const launch::Launch& launch,
                             const read::Function& function,
                             std::span<const std::uint64_t> buffers) {
  const std::vector<std::uint8_t> bytes = launch::parameter_block(launch, function, buffers);
  const std::uint64_t address =
      function.parameter_base +
      memory.add("the parameters",
                 {.size = function.parameter_base + bytes.size() + 1, .kind = launch::Fill::kZero},
                 true);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Datum d;
    d.bytes[0] = bytes[at];
    memory.write(address + at, 1, d);
  }
  return address;
}

}  // namespace

Result<std::unique_ptr<Session>> open_session(const read::Kernel& kernel,
                                              const launch::Launch& launch,
                                              const RunOptions& options) {
  const read::Architecture& arch = kernel.image->arch;
  if (arch.sm < 80 || arch.sm >= 100) {
    return Error{fmt::format("burin executes sm_80 to sm_90; this kernel is compiled for {}",
                             read::to_string(arch))};
  }
  auto session = std::make_unique<Session>();
  Grid& grid = session->grid;
  grid.kernel = &kernel;
  grid.launch = &launch;
  grid.options = &options;
  grid.heard = options.listener != nullptr;
  grid.cluster = launch::cluster_of(launch, *kernel.function).value_or(launch::Dims{});
  // On sm_90 the kernel's own variables start after the part reserved by the system.
  grid.shared_reserved = arch.sm >= 90 ? kReservedShared : 0;
  // The compiler may load more of the last 16 bytes than there is, and drop what it does not need.
  grid.shared_bytes = grid.shared_reserved + kernel.function->shared_bytes +
                      static_cast<std::uint32_t>(launch.shared_bytes);
  grid.shared_bytes = (grid.shared_bytes + kWidestAccess - 1) / kWidestAccess * kWidestAccess;
  grid.local_bytes = stack_bytes(*kernel.function);
  grid.memory = std::make_shared<GlobalMemory>();
  grid.trips_met = std::vector<std::atomic<bool>>(options.trips.size());

  grid.memory->place(launch.memory);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const launch::Buffer* buffer = launch.arguments[i].buffer();
    session->buffers.push_back(
        buffer == nullptr ? 0 : grid.memory->add(fmt::format("argument {}", i), *buffer));
  }
  if (calls(*kernel.image, SystemCall::kAllocate)) {
    grid.heap = std::make_unique<DeviceHeap>(
        grid.memory->add("the device heap", {.size = kHeapBytes, .kind = launch::Fill::kUndef},
                         true),
        kHeapBytes);
  }
  const std::uint64_t workspace =
      grid.memory->add("the grid barrier", {.size = 256, .kind = launch::Fill::kZero}, true);
  ConstantMemory constants = launch_constants(
      kernel, launch, grid.cluster,
      {.arguments = session->buffers,
       .grid_workspace = workspace,
       .parameters = add_parameters(*grid.memory, launch, *kernel.function, session->buffers),
       .stack_top = grid.local_bytes});
  const Variables variables = place_variables(*kernel.image, launch.variables, *grid.memory);
  write_addresses(*kernel.image, variables, constants);
  forget_variables(launch.unknown_variables, variables, *grid.memory, constants);
  apply_settings(launch.settings, variables, *grid.memory, constants);
  session->program = lower(kernel, std::move(constants));
  session->clusters = launch.grid.total() / grid.cluster.total();
  return session;
}

}  // namespace burin::emulate
