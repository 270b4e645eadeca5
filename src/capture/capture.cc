#include "capture/capture.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "capture/schema.h"
#include "store/pack.h"

namespace burin::capture {
namespace {

// No cubin and no piece of memory that is written is larger.
constexpr std::uint64_t kMaxCubin = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxPiece = std::uint64_t{1} << 28;

std::uint32_t small(const store::Statement& row, int column) {
  return static_cast<std::uint32_t>(row.number(column));
}

launch::Dims dims(const store::Statement& row, int column) {
  return {small(row, column), small(row, column + 1), small(row, column + 2)};
}

std::optional<std::uint64_t> time(const store::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.number(column);
}

CapturedLaunch read_launch(const store::Statement& row) {
  CapturedLaunch launch{.id = row.number(0),
                        .process = row.number(1),
                        .number = row.number(2),
                        .kernel = row.number(3),
                        .gpu = row.number(4),
                        .context = small(row, 5),
                        .stream = row.number(6),
                        .thread = row.number(7),
                        .grid = dims(row, 8),
                        .block = dims(row, 11),
                        .shared_bytes = small(row, 17),
                        .is_graph = row.integer(18) != 0,
                        .is_cooperative = row.integer(19) != 0,
                        .start_ns = time(row, 20),
                        .duration_ns = time(row, 21),
                        .stack = row.number(22),
                        .correlation = small(row, 23),
                        .ranges = row.text(24),
                        .has_memory = row.integer(25) != 0,
                        .has_counts = row.integer(26) != 0};
  if (!row.is_null(14)) launch.cluster = dims(row, 14);
  return launch;
}

// True where the elements are numbered 1, 2, 3 …, so that a number is a place in the list.
template <typename T>
bool are_numbered(const std::vector<T>& list) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k].id != k + 1) return false;
  }
  return true;
}

}  // namespace

bool Capture::is_capture(Bytes begin) {
  return store::Database::is_database(begin) || has_mark(begin);
}

bool Capture::has_mark(Bytes begin) {
  return store::Database::has_mark(begin, kCaptureFile);
}

Result<Capture> Capture::open(const std::string& path, const std::string& name) {
  Result<store::Database> database = store::Database::open(path, kCaptureFile);
  if (!database) return database.error();
  Capture capture(std::move(*database), name.empty() ? path : name);
  capture.read_lists();
  if (Result<void> sound = capture.check(); !sound) return sound.error();
  return capture;
}

void Capture::read_lists() {
  store::Statement row = database_.statement(
      "SELECT id, pid, parent, command, folder, host, settings, begin_unix_ns, begin_ns, end_ns, "
      "driver_version, cupti_version, launches_seen FROM process ORDER BY id");
  for (row.start(); row.next();) {
    CapturedProcess process{.id = row.number(0),
                            .pid = row.number(1),
                            .parent = row.number(2),
                            .command = {},
                            .folder = row.text(4),
                            .host = row.text(5),
                            .settings = row.text(6),
                            .begin_unix_ns = row.number(7),
                            .begin_ns = row.number(8),
                            .end_ns = time(row, 9),
                            .driver_version = small(row, 10),
                            .cupti_version = small(row, 11),
                            .launches_seen = row.number(12)};
    const std::string command = row.text(3);
    for (std::string_view word : split(command, '\n')) process.command.emplace_back(word);
    if (!process.command.empty()) process.command.pop_back();  // behind the last line end
    processes_.push_back(std::move(process));
  }
  row = database_.statement(
      "SELECT id, process, ordinal, name, bus, sm, multiprocessors, clock_khz, memory_bytes, "
      "l2_bytes FROM gpu ORDER BY id");
  for (row.start(); row.next();) {
    gpus_.push_back({.id = row.number(0),
                     .process = row.number(1),
                     .ordinal = small(row, 2),
                     .name = row.text(3),
                     .bus = row.text(4),
                     .sm = small(row, 5),
                     .multiprocessors = small(row, 6),
                     .clock_khz = small(row, 7),
                     .memory_bytes = row.number(8),
                     .l2_bytes = row.number(9)});
  }
  row = database_.statement("SELECT id, sha256, crc, size FROM module ORDER BY id");
  for (row.start(); row.next();) {
    modules_.push_back({row.number(0), row.text(1), row.number(2), row.number(3)});
  }
  row = database_.statement("SELECT id, module, name FROM kernel ORDER BY id");
  for (row.start(); row.next();) {
    kernels_.push_back({row.number(0), row.number(1), row.text(2), {}});
  }
  row = database_.statement(
      "SELECT kernel, byte_offset, size FROM parameter ORDER BY kernel, position");
  for (row.start(); row.next();) {
    const std::uint64_t kernel = row.number(0);
    if (kernel == 0 || kernel > kernels_.size()) continue;
    kernels_[kernel - 1].parameters.push_back({small(row, 1), small(row, 2)});
  }
  row = database_.statement(
      "SELECT id, process, number, kernel, gpu, context, stream, thread, grid_x, grid_y, grid_z, "
      "block_x, block_y, block_z, cluster_x, cluster_y, cluster_z, shared_bytes, is_graph, "
      "is_cooperative, start_ns, duration_ns, stack, correlation, ranges, "
      "EXISTS(SELECT 1 FROM memory WHERE memory.launch = launch.id AND is_after < 2), "
      "EXISTS(SELECT 1 FROM counted WHERE counted.launch = launch.id) FROM launch ORDER BY id");
  for (row.start(); row.next();) launches_.push_back(read_launch(row));
  row = database_.statement(
      "SELECT process, context, gpu, period_cycles, is_serialized, total, dropped, not_user, "
      "buffer_full FROM sampling");
  for (row.start(); row.next();) {
    samplings_.push_back({row.number(0), small(row, 1), row.number(2), small(row, 3),
                          row.integer(4) != 0, row.number(5), row.number(6), row.number(7),
                          row.number(8)});
  }
  row = database_.statement("SELECT process, kind, count, launch, sentence FROM problem");
  for (row.start(); row.next();) {
    problems_.push_back({row.number(0), small(row, 1), row.number(2), row.number(3), row.text(4)});
  }
}

// What the rest counts on. A file that was tampered with must not lead outside of the lists.
Result<void> Capture::check() const {
  if (!database_.ok()) return database_.error();
  const bool numbered = are_numbered(processes_) && are_numbered(gpus_) && are_numbered(modules_) &&
                        are_numbered(kernels_) && are_numbered(launches_);
  const bool within =
      std::ranges::all_of(kernels_,
                          [&](const CapturedKernel& k) { return k.module <= modules_.size(); }) &&
      std::ranges::all_of(
          gpus_,
          [&](const CapturedGpu& g) { return g.process != 0 && g.process <= processes_.size(); }) &&
      std::ranges::all_of(launches_, [&](const CapturedLaunch& l) {
        return l.kernel != 0 && l.kernel <= kernels_.size() && l.gpu <= gpus_.size() &&
               l.process != 0 && l.process <= processes_.size();
      });
  if (numbered && within) return {};
  return Error{path() + ": is corrupt: its tables are inconsistent; record it again"};
}

std::string Capture::info(std::string_view key) const {
  store::Statement row = database_.statement("SELECT value FROM info WHERE key = ?");
  row.start(key);
  return row.next() ? row.text(0) : "";
}

Result<std::vector<std::uint8_t>> Capture::cubin(std::uint64_t module) const {
  store::Statement row = database_.statement("SELECT packed FROM module WHERE id = ?");
  row.start(module);
  if (!row.next()) {
    return row.ok() ? Error{fmt::format("{}: has no module {}", path(), module)} : row.error();
  }
  Result<std::vector<std::uint8_t>> bytes = store::unpack(row.bytes(0), kMaxCubin);
  if (!bytes) return bytes.error().within(fmt::format("{}: module {}", path(), module));
  return bytes;
}

Result<CapturedArguments> Capture::arguments(std::uint64_t launch) const {
  CapturedArguments arguments;
  store::Statement row = database_.statement("SELECT arguments FROM launch WHERE id = ?");
  row.start(launch);
  if (row.next() && !row.is_null(0)) {
    const Bytes bytes = row.bytes(0);
    arguments.bytes.emplace(bytes.begin(), bytes.end());
  }
  row = database_.statement(
      "SELECT argument_offset, address, size, memory FROM allocation WHERE launch = ? "
      "ORDER BY argument_offset");
  for (row.start(launch); row.next();) {
    arguments.allocations.push_back({small(row, 0), row.number(1), row.number(2), small(row, 3)});
  }
  if (!row.ok()) return row.error();
  return arguments;
}

Result<CapturedMemory> Capture::memory(std::uint64_t launch) const {
  CapturedMemory memory;
  store::Statement row = database_.statement(
      "SELECT is_after, address, packed FROM memory JOIN content ON content.id = content "
      "WHERE launch = ?");
  for (row.start(launch); row.next();) {
    Result<std::vector<std::uint8_t>> bytes = store::unpack(row.bytes(2), kMaxPiece);
    if (!bytes) {
      return bytes.error().within(fmt::format("{}: memory of launch {}", path(), launch));
    }
    (row.integer(0) == static_cast<std::int64_t>(MemoryMoment::kAfter) ? memory.after
                                                                       : memory.before)
        .push_back({row.number(1), std::move(*bytes)});
  }
  if (!row.ok()) return row.error();
  // Not by SQL, for which an address of the upper half is negative.
  std::ranges::sort(memory.before, {}, &launch::MemoryPiece::address);
  std::ranges::sort(memory.after, {}, &launch::MemoryPiece::address);
  return memory;
}

Result<std::uint64_t> Capture::constants_at(const CapturedLaunch& launch) const {
  store::Statement row = database_.statement(
      "SELECT max(variable.launch) FROM variable JOIN launch ON launch.id = variable.launch "
      "JOIN kernel ON kernel.id = launch.kernel WHERE variable.launch <= ? "
      "AND kernel.module = (SELECT module FROM kernel WHERE id = ?)");
  std::uint64_t last = 0;
  for (row.start(launch.id, launch.kernel); row.next();) last = row.number(0);
  if (!row.ok()) return row.error();
  return last;
}

Result<std::vector<CapturedVariable>> Capture::variables(std::uint64_t launch) const {
  std::vector<CapturedVariable> variables;
  store::Statement row = database_.statement(
      "SELECT name, address, size FROM variable WHERE launch = ? ORDER BY name");
  for (row.start(launch); row.next();) {
    variables.push_back({row.text(0), row.number(1), row.number(2)});
  }
  if (!row.ok()) return row.error();
  return variables;
}

Result<std::vector<launch::Texture>> Capture::textures(const CapturedLaunch& launch) const {
  std::vector<launch::Texture> textures;
  // max(): the other columns are of the row that has it.
  store::Statement row = database_.statement(
      "SELECT handle, address, texel_bytes, channels, width, height, pitch, is_array, "
      "is_normalized, max(after) FROM texture WHERE process = ? AND after < ? GROUP BY handle");
  for (row.start(launch.process, launch.number); row.next();) {
    textures.push_back({.handle = row.number(0),
                        .address = row.number(1),
                        .texel_bytes = small(row, 2),
                        .channels = small(row, 3),
                        .width = row.number(4),
                        .height = row.number(5),
                        .pitch = row.number(6),
                        .is_array = row.number(7) != 0,
                        .is_normalized = row.number(8) != 0});
  }
  if (!row.ok()) return row.error();
  return textures;
}

Result<std::vector<CapturedFrame>> Capture::stack(std::uint64_t id) const {
  std::vector<CapturedFrame> frames;
  store::Statement row = database_.statement(
      "SELECT object, byte_offset, symbol FROM frame WHERE stack = ? ORDER BY depth");
  for (row.start(id); row.next();) {
    frames.push_back({row.text(0), row.number(1), row.text(2)});
  }
  if (!row.ok()) return row.error();
  return frames;
}

Result<std::vector<std::pair<std::uint64_t, std::string>>> Capture::listing(
    std::uint64_t kernel) const {
  std::vector<std::pair<std::uint64_t, std::string>> lines;
  store::Statement row = database_.statement(
      "SELECT byte_offset, sass FROM listing WHERE kernel = ? ORDER BY byte_offset");
  for (row.start(kernel); row.next();) lines.emplace_back(row.number(0), row.text(1));
  if (!row.ok()) return row.error();
  return lines;
}

}  // namespace burin::capture
