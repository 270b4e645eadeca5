#include "launch/capture_assemble.h"

#include <set>
#include <variant>
#include <vector>

#include "base/file.h"
#include "launch/capture_writer.h"
#include "launch/process_assembly.h"
#include "launch/spool.h"

namespace burin {

Result<Assembled> assemble_capture(
    const std::string& spool_folder, const std::string& path,
    const std::map<std::string, std::string>& info,
    const std::function<void(std::uint64_t done, std::uint64_t of)>& progress) {
  const Result<std::vector<std::string>> files = spool_files(spool_folder);
  if (!files) return files.error();
  std::vector<MappedFile> spools;
  std::uint64_t all = 0;
  for (const std::string& name : *files) {
    Result<MappedFile> file = MappedFile::open(name);
    if (!file) continue;  // an empty one: its process was killed before its first word
    all += file->bytes().size();
    spools.push_back(std::move(*file));
  }
  if (spools.empty()) return Error{spool_folder + ": holds no spool of a recorded process"};
  Result<CaptureWriter> writer = CaptureWriter::create(path);
  if (!writer) return writer.error();
  for (const auto& [key, value] : info) writer->set_info(key, value);

  Assembled sums;
  std::set<std::uint64_t> launched;
  std::uint64_t done = 0;
  for (const MappedFile& spool : spools) {
    Result<SpoolReader> reader = SpoolReader::open(spool.bytes());
    if (!reader) return reader.error().within(spool.path());
    ProcessAssembly process(*writer, sums, launched);
    bool begun = false;
    while (const std::optional<SpoolRecord> record = reader->next()) {
      if (!begun && !std::holds_alternative<SpoolProcess>(*record)) break;
      begun = true;
      std::visit(process, *record);
      if (progress) progress(done + reader->position(), all);
      if (!writer->ok()) break;
    }
    if (begun) process.finish(reader->truncated());
    done += spool.bytes().size();
  }
  sums.kernels = launched.size();
  if (Result<void> finished = writer->finish(); !finished) return finished.error();
  return sums;
}

}  // namespace burin
