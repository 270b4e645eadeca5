#include "capture/assemble/assemble.h"

#include <filesystem>
#include <set>
#include <variant>
#include <vector>

#include "base/file.h"
#include "capture/assemble/counter_assembly.h"
#include "capture/assemble/process_assembly.h"
#include "capture/spool/spool.h"
#include "capture/writer.h"

namespace burin::capture {
namespace {

struct Spools {
  std::vector<MappedFile> files;
  std::uint64_t bytes = 0;
};

Result<Spools> open_spools(const std::string& folder) {
  const Result<std::vector<std::string>> names = spool_files(folder);
  if (!names) return names.error();
  Spools spools;
  for (const std::string& name : *names) {
    Result<MappedFile> file = MappedFile::open(name);
    if (!file) continue;  // an empty one: its process was killed before its first word
    spools.bytes += file->bytes().size();
    spools.files.push_back(std::move(*file));
  }
  return spools;
}

// Hands over the records of a file, from that of its process on. False where it has none.
template <typename Take>
Result<bool> read_records(const MappedFile& spool, bool& is_truncated, const Take& take) {
  Result<SpoolReader> reader = SpoolReader::open(spool.bytes());
  if (!reader) return reader.error().within(spool.path());
  bool has_begun = false;
  while (const std::optional<SpoolRecord> record = reader->next()) {
    if (!has_begun && !std::holds_alternative<SpoolProcess>(*record)) break;
    has_begun = true;
    if (!take(*record, reader->position())) break;
  }
  is_truncated = reader->truncated();
  return has_begun;
}

}  // namespace

Result<Assembled> assemble_capture(
    const std::string& spool_folder, const std::string& path,
    const std::map<std::string, std::string>& info,
    const std::function<void(std::uint64_t done, std::uint64_t of)>& progress) {
  const Result<Spools> spools = open_spools(spool_folder);
  if (!spools) return spools.error();
  if (spools->files.empty()) return Error{spool_folder + ": contains no recording"};
  Spools second;
  if (std::filesystem::exists(counters_folder(spool_folder))) {
    Result<Spools> counted = open_spools(counters_folder(spool_folder));
    if (!counted) return counted.error();
    second = std::move(*counted);
  }
  Result<CaptureWriter> writer = CaptureWriter::create(path);
  if (!writer) return writer.error();
  for (const auto& [key, value] : info) writer->set_info(key, value);

  Assembled sums;
  std::set<std::uint64_t> launched;
  std::vector<FirstRun> first;
  std::uint64_t done = 0;
  bool is_truncated = false;
  const auto go_on = [&](std::uint64_t position) {
    if (progress) progress(done + position, spools->bytes + second.bytes);
    return writer->ok();
  };
  for (const MappedFile& spool : spools->files) {
    ProcessAssembly process(*writer, sums, launched, first.emplace_back());
    const auto read = read_records(spool, is_truncated, [&](const SpoolRecord& record, auto at) {
      std::visit(process, record);
      return go_on(at);
    });
    if (!read) return read.error();
    if (*read) process.finish(is_truncated);
    done += spool.bytes().size();
  }
  CounterAssembly counters(*writer, sums, first);
  for (const MappedFile& spool : second.files) {
    const auto read = read_records(spool, is_truncated, [&](const SpoolRecord& record, auto at) {
      counters.take(record);
      return go_on(at);
    });
    if (!read) return read.error();
    counters.finish();
    done += spool.bytes().size();
  }
  sums.kernels = launched.size();
  if (Result<void> finished = writer->finish(); !finished) return finished.error();
  return sums;
}

}  // namespace burin::capture
