#include "capture/writer.h"

#include <algorithm>

#include "base/format.h"
#include "base/sha256.h"
#include "capture/schema.h"
#include "store/pack.h"

namespace burin::capture {
namespace {

// What is kept once where it is equal: as the recorder compares memory.
constexpr std::size_t kPageBytes = std::size_t{64} << 10;

std::optional<std::uint64_t> unless_zero(std::uint64_t value) {
  return value == 0 ? std::nullopt : std::optional(value);
}

}  // namespace

// Those that run more than a few times.
struct CaptureWriter::Statements {
  explicit Statements(const store::Database& database)
      : launch(database.statement(
            "INSERT INTO launch(process, number, kernel, gpu, context, stream, thread, grid_x, "
            "grid_y, grid_z, block_x, block_y, block_z, cluster_x, cluster_y, cluster_z, "
            "shared_bytes, is_graph, is_cooperative, start_ns, duration_ns, stack, correlation, "
            "ranges, arguments) "
            "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")),
        time(database.statement("UPDATE launch SET start_ns = ?, duration_ns = ? WHERE id = ?")),
        allocation(database.statement("INSERT OR REPLACE INTO allocation VALUES (?,?,?,?,?)")),
        memory(database.statement("INSERT OR REPLACE INTO memory VALUES (?,?,?,?)")),
        sample(database.statement(
            "INSERT INTO sample VALUES (?,?,?,?,?,?) ON CONFLICT DO UPDATE SET "
            "samples = samples + excluded.samples, not_issued = not_issued + excluded.not_issued")),
        counter(
            database.statement("INSERT INTO counter VALUES (?,?,?,?,?) ON CONFLICT DO UPDATE SET "
                               "value = value + excluded.value")),
        frame(database.statement("INSERT INTO frame VALUES (?,?,?,?,?)")) {}

  store::Statement launch, time, allocation, memory, sample, counter, frame;
};

CaptureWriter::CaptureWriter(store::Database database)
    : database_(std::move(database)), statements_(std::make_unique<Statements>(database_)) {}
CaptureWriter::CaptureWriter(CaptureWriter&&) noexcept = default;
CaptureWriter::~CaptureWriter() {
  statements_.reset();
}

Result<CaptureWriter> CaptureWriter::create(const std::string& path) {
  Result<store::Database> database = store::Database::create(path, kCaptureFile);
  if (!database) return database.error();
  return CaptureWriter(std::move(*database));
}

void CaptureWriter::set_info(std::string_view key, std::string_view value) {
  database_.statement("INSERT OR REPLACE INTO info VALUES (?,?)").run(key, value);
}

std::uint64_t CaptureWriter::add(const CapturedProcess& process) {
  std::string command;
  for (const std::string& word : process.command) command += word + '\n';
  database_
      .statement(
          "INSERT INTO process(pid, parent, command, folder, host, settings, begin_unix_ns, "
          "begin_ns, end_ns, driver_version, cupti_version, launches_seen) "
          "VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")
      .run(process.pid, process.parent, command, process.folder, process.host, process.settings,
           process.begin_unix_ns, process.begin_ns, process.end_ns, process.driver_version,
           process.cupti_version, process.launches_seen);
  return database_.last_row();
}

void CaptureWriter::set_end(std::uint64_t process, std::uint64_t end_ns,
                            std::uint64_t launches_seen) {
  database_.statement("UPDATE process SET end_ns = ?, launches_seen = ? WHERE id = ?")
      .run(end_ns, launches_seen, process);
}

std::uint64_t CaptureWriter::add(const CapturedGpu& gpu) {
  database_
      .statement(
          "INSERT INTO gpu(process, ordinal, name, bus, sm, multiprocessors, clock_khz, "
          "memory_bytes, l2_bytes) VALUES (?,?,?,?,?,?,?,?,?)")
      .run(gpu.process, gpu.ordinal, gpu.name, gpu.bus, gpu.sm, gpu.multiprocessors, gpu.clock_khz,
           gpu.memory_bytes, gpu.l2_bytes);
  return database_.last_row();
}

std::uint64_t CaptureWriter::add_module(Bytes cubin, std::uint64_t crc) {
  const std::string sha256 = sha256_hex(cubin);
  const auto [known, is_new] = modules_.try_emplace(sha256);
  if (is_new) {
    database_.statement("INSERT INTO module(sha256, crc, size, packed) VALUES (?,?,?,?)")
        .run(sha256, crc, std::uint64_t{cubin.size()}, Bytes(store::pack(cubin)));
    known->second = database_.last_row();
  }
  return known->second;
}

std::uint64_t CaptureWriter::add(const CapturedKernel& kernel) {
  const auto [known, is_new] = kernels_.try_emplace({kernel.module, kernel.name});
  if (!is_new) return known->second;
  database_.statement("INSERT INTO kernel(module, name) VALUES (?,?)")
      .run(unless_zero(kernel.module), kernel.name);
  known->second = database_.last_row();
  store::Statement insert = database_.statement("INSERT INTO parameter VALUES (?,?,?,?)");
  std::uint32_t position = 0;
  for (const read::Parameter& parameter : kernel.parameters) {
    insert.run(known->second, position++, parameter.offset, parameter.size);
  }
  return known->second;
}

std::uint64_t CaptureWriter::add_stack(std::span<const CapturedFrame> frames) {
  database_.statement("INSERT INTO stack DEFAULT VALUES").run();
  const std::uint64_t stack = database_.last_row();
  std::uint32_t depth = 0;
  for (const CapturedFrame& frame : frames) {
    statements_->frame.run(stack, depth++, frame.object, frame.offset, frame.symbol);
  }
  return stack;
}

std::uint64_t CaptureWriter::add(const CapturedLaunch& launch, const CapturedArguments& arguments) {
  std::optional<std::uint32_t> x, y, z;
  if (launch.cluster) {
    x = launch.cluster->x;
    y = launch.cluster->y;
    z = launch.cluster->z;
  }
  std::optional<Bytes> bytes;
  if (arguments.bytes) bytes = Bytes(*arguments.bytes);
  statements_->launch.run(launch.process, launch.number, launch.kernel, unless_zero(launch.gpu),
                          launch.context, launch.stream, launch.thread, launch.grid.x,
                          launch.grid.y, launch.grid.z, launch.block.x, launch.block.y,
                          launch.block.z, x, y, z, launch.shared_bytes, launch.is_graph,
                          launch.is_cooperative, launch.start_ns, launch.duration_ns,
                          unless_zero(launch.stack), launch.correlation, launch.ranges, bytes);
  const std::uint64_t id = database_.last_row();
  for (const CapturedAllocation& a : arguments.allocations) {
    statements_->allocation.run(id, a.argument_offset, a.address, a.size, a.memory);
  }
  return id;
}

void CaptureWriter::set_time(std::uint64_t launch, std::uint64_t start_ns,
                             std::uint64_t duration_ns) {
  statements_->time.run(start_ns, duration_ns, launch);
}

std::uint64_t CaptureWriter::add_content(Bytes contents) {
  const std::string sha256 = sha256_hex(contents);
  const auto [known, is_new] = contents_.try_emplace(sha256);
  if (is_new) {
    database_.statement("INSERT INTO content(sha256, size, packed) VALUES (?,?,?)")
        .run(sha256, std::uint64_t{contents.size()}, Bytes(store::pack(contents)));
    known->second = database_.last_row();
  }
  return known->second;
}

void CaptureWriter::add_memory(std::uint64_t launch, MemoryMoment moment, std::uint64_t address,
                               std::uint64_t content) {
  statements_->memory.run(launch, static_cast<std::uint64_t>(moment), address, content);
}

void CaptureWriter::add_memory(std::uint64_t launch, MemoryMoment moment, std::uint64_t address,
                               Bytes contents) {
  while (!contents.empty() && ok()) {
    const std::size_t size = std::min(contents.size(), kPageBytes);
    add_memory(launch, moment, address, add_content(contents.first(size)));
    contents = contents.subspan(size);
    address += size;
  }
}

void CaptureWriter::add(const CapturedSampling& sampling) {
  database_
      .statement(
          "INSERT INTO sampling VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET "
          "total = total + excluded.total, dropped = dropped + excluded.dropped, "
          "not_user = not_user + excluded.not_user, "
          "buffer_full = buffer_full + excluded.buffer_full")
      .run(sampling.process, sampling.context, unless_zero(sampling.gpu), sampling.period_cycles,
           sampling.is_serialized, sampling.total, sampling.dropped, sampling.not_user,
           sampling.buffer_full);
}

std::uint64_t CaptureWriter::named(const char* table, std::string_view name) {
  auto& known = std::string_view(table) == "reason" ? reasons_ : metrics_;
  if (const auto found = known.find(name); found != known.end()) return found->second;
  database_.statement("INSERT INTO " + std::string(table) + "(name) VALUES (?)").run(name);
  return known.emplace(name, database_.last_row()).first->second;
}

void CaptureWriter::add(const CapturedSample& sample) {
  statements_->sample.run(sample.kernel, sample.launch, sample.offset,
                          named("reason", sample.reason), sample.samples, sample.not_issued);
}

void CaptureWriter::add(const CapturedCounter& counter) {
  statements_->counter.run(counter.kernel, counter.launch, counter.offset,
                           named("metric", counter.metric), counter.value);
}

void CaptureWriter::add_counts(std::uint64_t launch, std::uint64_t kernel,
                               std::span<const CapturedCounter> counters) {
  std::string text = std::to_string(kernel);
  for (const CapturedCounter& c : counters) {
    text += fmt::format(" {} {} {}", c.offset, c.metric, c.value);
  }
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  const auto [known, is_new] = counts_.try_emplace(sha256_hex(bytes), launch);
  database_.statement("INSERT OR REPLACE INTO counted VALUES (?,?)").run(launch, known->second);
  if (!is_new) return;
  for (CapturedCounter counter : counters) {
    counter.kernel = kernel;
    counter.launch = launch;
    add(counter);
  }
}

void CaptureWriter::add(std::uint64_t launch, const CapturedVariable& variable) {
  database_.statement("INSERT OR REPLACE INTO variable VALUES (?,?,?,?)")
      .run(launch, variable.name, variable.address, variable.size);
}

void CaptureWriter::add(std::uint64_t process, std::uint64_t after,
                        const launch::Texture& texture) {
  database_.statement("INSERT OR REPLACE INTO texture VALUES (?,?,?,?,?,?,?,?,?,?,?)")
      .run(process, texture.handle, after, texture.address, texture.texel_bytes, texture.channels,
           texture.width, texture.height, texture.pitch, texture.is_array, texture.is_normalized);
}

void CaptureWriter::add_listing(std::uint64_t kernel, std::uint64_t offset, std::string_view sass) {
  database_.statement("INSERT OR REPLACE INTO listing VALUES (?,?,?)").run(kernel, offset, sass);
}

void CaptureWriter::add(const CapturedProblem& problem) {
  database_.statement("INSERT INTO problem VALUES (?,?,?,?,?)")
      .run(problem.process, problem.kind, problem.count, unless_zero(problem.launch),
           problem.sentence);
}

Result<void> CaptureWriter::finish() {
  statements_.reset();
  return database_.finish();
}

}  // namespace burin::capture
