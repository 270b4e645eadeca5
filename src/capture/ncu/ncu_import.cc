#include "capture/ncu/ncu_import.h"

#include "base/child.h"
#include "base/file.h"
#include "base/format.h"
#include "base/temporary_folder.h"
#include "capture/writer.h"

namespace burin::capture {
namespace {

constexpr double kNcuSeconds = 300;

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

// One page of a report, written by ncu into `to`: pages are larger than what a child may answer.
Result<MappedFile> write_page(const std::string& ncu, const std::string& report, const char* page,
                              const std::string& to) {
  const Answer answer =
      run_program("/bin/sh",
                  {"-c", "exec \"$0\" -i \"$1\" --page \"$2\" --csv --print-units base > \"$3\"",
                   ncu, report, page, to},
                  kNcuSeconds);
  Result<MappedFile> file = MappedFile::open(to);
  if (answer.ok() && file) return file;
  return Error{fmt::format("{}: {} cannot read it{}{}", report, ncu,
                           answer.text.empty() ? "" : ": ",
                           answer.text.substr(0, answer.text.find('\n')))};
}

// Demangled names stand where mangled ones would; both tables give launches in one order.
void write_capture(CaptureWriter& writer, const std::vector<NcuKernel>& kernels,
                   const std::vector<NcuLaunch>& launches, const std::string& report) {
  writer.set_info("source", "Nsight Compute: " + report);
  CapturedProcess process;
  process.end_ns = 0;
  process.launches_seen = launches.size();
  process.command = {launches.empty() ? report : launches.front().program};
  if (!launches.empty()) process.pid = launches.front().pid;
  const std::uint64_t of = writer.add(process);
  std::uint64_t gpu = 0;
  if (!launches.empty()) {
    CapturedGpu made;
    made.process = of;
    made.name = launches.front().gpu;
    made.sm = launches.front().sm;
    gpu = writer.add(made);
  }
  for (std::size_t k = 0; k < std::max(kernels.size(), launches.size()); ++k) {
    const std::string& name = k < launches.size() ? launches[k].kernel : kernels[k].name;
    const std::uint64_t kernel =
        writer.add(CapturedKernel{.id = 0, .module = 0, .name = name, .parameters = {}});
    std::uint64_t launch = 0;
    if (k < launches.size()) {
      CapturedLaunch made{.process = of, .number = k + 1, .kernel = kernel, .gpu = gpu};
      made.grid = launches[k].grid;
      made.block = launches[k].block;
      made.shared_bytes = launches[k].shared_bytes;
      if (launches[k].duration_ns > 0) {
        made.start_ns = 0;
        made.duration_ns = static_cast<std::uint64_t>(launches[k].duration_ns);
      }
      launch = writer.add(made, {});
    }
    if (k >= kernels.size()) continue;
    for (const NcuInstruction& instruction : kernels[k].instructions) {
      writer.add_listing(kernel, instruction.offset, instruction.sass);
      for (const NcuStall& stall : instruction.stalls) {
        writer.add(CapturedSample{kernel, launch, instruction.offset, stall.reason, stall.samples,
                                  stall.not_issued});
      }
      for (const auto& [metric, value] : instruction.metrics) {
        writer.add(CapturedCounter{kernel, launch, instruction.offset, metric, value});
      }
    }
  }
}

}  // namespace

bool is_ncu_report(std::string_view path) {
  return path.ends_with(".ncu-rep") || path.ends_with(".csv");
}

Result<void> import_ncu(const std::string& report, const std::string& capture) {
  Result<MappedFile> source = MappedFile::open(report);
  if (!source) return source.error();
  std::vector<NcuLaunch> launches;
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  if (report.ends_with(".ncu-rep")) {
    const std::string ncu = find_program("ncu", {"/usr/local/cuda/bin"});
    if (ncu.empty()) {
      return Error{
          report +
          ": importing it needs ncu, which is not installed; on a machine with ncu, run `ncu -i " +
          report + " --page source --csv --print-units base > report.csv` and pass the result"};
    }
    source = write_page(ncu, report, "source", folder->path() + "/source.csv");
    if (!source) return source.error();
    const Result<MappedFile> raw = write_page(ncu, report, "raw", folder->path() + "/raw.csv");
    if (!raw) return raw.error();
    Result<std::vector<NcuLaunch>> read = read_ncu_launches(text_of(*raw));
    if (!read) return read.error().within(report);
    launches = std::move(*read);
  }
  const Result<std::vector<NcuKernel>> kernels = read_ncu_source(text_of(*source));
  if (!kernels) return Error{report + ": " + kernels.error().message};
  Result<CaptureWriter> writer = CaptureWriter::create(capture);
  if (!writer) return writer.error();
  write_capture(*writer, *kernels, launches, report);
  return writer->finish();
}

}  // namespace burin::capture
