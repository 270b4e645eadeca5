#include "emulate/execute/session.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/format.h"
#include "base/text.h"
#include "base/usable_memory.h"
#include "emulate/access/constants.h"
#include "emulate/access/variables.h"
#include "emulate/memory/page.h"
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

// The address of each argument that is a buffer; 0 for others.
std::vector<std::uint64_t> add_buffers(GlobalMemory& memory, const launch::Launch& launch) {
  std::vector<std::uint64_t> addresses;
  memory.place(launch.memory);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const launch::Buffer* buffer = launch.arguments[i].buffer();
    addresses.push_back(buffer == nullptr ? 0 : memory.add(fmt::format("argument {}", i), *buffer));
  }
  return addresses;
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

std::uint64_t buffer_bytes(const launch::Launch& launch) {
  std::uint64_t bytes = 0;
  for (const launch::PlacedBuffer& placed : launch.memory) bytes += placed.buffer.size;
  for (const launch::Argument& argument : launch.arguments) {
    if (argument.buffer() != nullptr) bytes += argument.buffer()->size;
  }
  return bytes;
}

// The contents of memory are kept after the session, which must not be told of them any more.
void limit_memory(Grid& grid, std::uint64_t given) {
  const std::uint64_t limit = given != 0 ? given : usable_memory() / 4 * 3;
  grid.memory->limit(limit, [&grid, limit] { grid.stop(out_of_memory(grid, limit)); });
}

}  // namespace

Session::~Session() {
  if (grid.memory) grid.memory->limit(std::numeric_limits<std::uint64_t>::max(), {});
}

Error out_of_memory(const Grid& grid, std::uint64_t limit) {
  const std::string refused =
      limit == 0
          ? "the system refuses to give burin more"
          : fmt::format("emulating this launch needs more than the {} that burin may use here",
                        human_bytes(limit));
  return {fmt::format(
      "not enough memory: {}; the kernel has touched {} of its {} of buffers so "
      "far, in pages of 4 KiB; use smaller buffers or fewer blocks",
      refused, human_bytes(grid.memory->touched_bytes()), human_bytes(buffer_bytes(*grid.launch)))};
}

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

  try {
    session->buffers = add_buffers(*grid.memory, launch);
  } catch (const std::bad_alloc&) {
    const std::uint64_t bytes = buffer_bytes(launch);
    return Error{fmt::format("not enough memory: tables for the {} of the launch's buffers need {}",
                             human_bytes(bytes), human_bytes(bytes / kPageBytes * sizeof(void*)))};
  }
  limit_memory(grid, options.most_memory);
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
