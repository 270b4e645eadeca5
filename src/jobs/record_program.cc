#include "jobs/record_program.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/child.h"
#include "base/format.h"
#include "capture/capture.h"
#include "capture/spool/spool.h"
#include "gpu/library.h"
#include "jobs/input/output_file.h"
#include "toolchain/tools.h"

namespace burin::jobs {
namespace {

namespace fs = std::filesystem;

// Beside the program in a build folder, and under lib/burin where burin is installed.
Result<std::string> recorder_library() {
  std::error_code failed;
  const fs::path here = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (const fs::path& path :
       {here / "libburin_record.so", here / "../lib/burin/libburin_record.so"}) {
    if (fs::exists(path, failed)) return fs::canonical(path, failed).string();
  }
  return Error{"libburin_record.so not found beside burin or in ../lib/burin; build it with burin"};
}

// "train.burin" of `python3 train.py`, "app.burin" of `./app`.
std::string default_name(const std::vector<std::string>& command) {
  for (const std::string& word : command) {
    if (word.ends_with(".py")) return fs::path(word).stem().string() + ".burin";
  }
  return fs::path(command.front()).filename().string() + ".burin";
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// A recording is never overwritten by accident: --force is needed even for a capture. The program
// and the files that it is given are not overwritten at all.
Result<void> check_capture_output(const RecordRequest& command) {
  std::vector<std::string> inputs = command.command;
  if (!inputs.empty()) inputs.push_back(find_program(inputs.front(), {}));
  const OutputFile output{"--out", command.out, FileContent::kCapture};
  if (Result<void> fine = check_output(output, inputs, command.force); !fine) return fine;
  if (command.force || content_of(command.out) == FileContent::kEmpty) return {};
  return Error{
      command.out + " already exists; choose another name with -o, or overwrite with --force",
      Exit::kUsage};
}

Result<void> check(const RecordRequest& command) {
  if (command.command.empty()) {
    return Error{"no program given; use burin record -- PROGRAM ARGUMENTS…", Exit::kUsage};
  }
  if (Result<void> fine = check_capture_output(command); !fine) return fine;
  if (!gpu::Library::open(gpu::cuda_names())) {
    return Error{
        "no NVIDIA driver found (libcuda.so.1), so there is no GPU to record on; see burin doctor",
        Exit::kDevice};
  }
  return {};
}

// Where the recorded processes write, beside the capture so that it is on the same disk.
Result<std::string> make_spool_folder(const std::string& folder) {
  std::error_code failed;
  if (fs::exists(folder, failed) && !fs::is_empty(folder, failed)) {
    return Error{
        fmt::format("{} contains an unfinished recording: turn it into a capture with burin record "
                    "--assemble {} -o FILE, or remove it",
                    folder, folder)};
  }
  fs::create_directories(folder, failed);
  if (failed)
    return Error{fmt::format("cannot create the folder {}: {}", folder, failed.message())};
  return folder;
}

gpu::RecordSettings settings_of(const RecordRequest& command, const std::string& folder) {
  gpu::RecordSettings settings = command.settings;
  settings.folder = folder;
  settings.cupti = gpu::cupti_names(gpu::toolkit_library_folders(toolchain::toolkit_roots()));
  settings.samples = !command.no_samples;
  settings.stacks = !command.no_stacks;
  settings.milliseconds = static_cast<std::uint64_t>(command.seconds * 1000);
  for (const std::string& wish : command.memory)
    settings.memory.push_back(gpu::parse_memory_wish(wish));
  return settings;
}

// An empty capture is never "done": why it would be.
Error nothing_recorded(const capture::Capture& capture, const std::string& program,
                       const Ending& ending) {
  for (const capture::CapturedProblem& problem : capture.problems()) {
    if (problem.kind == capture::SpoolProblem::kNoCupti ||
        problem.kind == capture::SpoolProblem::kOtherProfiler ||
        problem.kind == capture::SpoolProblem::kOther) {
      return Error{fmt::format("nothing was recorded: {}", problem.sentence), Exit::kDevice};
    }
  }
  return Error{fmt::format(
      "{} used CUDA but launched no selected kernel (it ended with {}), so there is no capture",
      program, words(ending))};
}

Result<void> assemble(const RecordRequest& command, const std::string& folder,
                      const Progress& progress, RecordedProgram& recorded) {
  recorded.file = command.out;
  recorded.command = command.command.empty() ? folder : joined(command.command);
  const std::map<std::string, std::string> info = {{"command", recorded.command},
                                                   {"ended", words(recorded.ending)}};
  const Result<capture::Assembled> made = capture::assemble_capture(
      folder, command.out, info, [&](std::uint64_t done, std::uint64_t of) {
        progress.step("assembling the capture, MiB", done >> 20, of >> 20);
      });
  progress.done();
  if (!made) return made.error().within("the recording is kept in " + folder);
  const Result<capture::Capture> capture = capture::Capture::open(command.out);
  if (!capture) return capture.error();
  std::error_code failed;
  if (!command.keep_spool) fs::remove_all(folder, failed);
  if (made->launches == 0) {
    const Error error = nothing_recorded(*capture, recorded.command, recorded.ending);
    fs::remove(command.out, failed);
    return error;
  }
  recorded.assembled = *made;
  return {};
}

// Runs the program with the recorder in it, until it ends.
Result<Ending> run_recorded(const std::vector<std::string>& command, const std::string& library,
                            const gpu::RecordSettings& settings) {
  std::map<std::string, std::string> environment = {
      {"CUDA_INJECTION64_PATH", library}, {gpu::kRecordVariable, gpu::write_settings(settings)}};
  // NVTX takes one listener too; one that the user chose stays.
  if (std::getenv("NVTX_INJECTION64_PATH") == nullptr) {
    environment["NVTX_INJECTION64_PATH"] = library;
  }
  return run_in_foreground(command, environment);
}

// The second run, in which instructions are counted and nothing else is measured.
Result<void> run_counted(const RecordRequest& command, const std::string& library,
                         gpu::RecordSettings settings, std::vector<std::string>& warnings) {
  settings.folder = capture::counters_folder(settings.folder);
  settings.counters = true;
  settings.samples = settings.stacks = settings.serialize = false;
  settings.memory.clear();
  const Result<std::string> folder = make_spool_folder(settings.folder);
  if (!folder) return folder.error();
  const Result<Ending> ending = run_recorded(command.command, library, settings);
  if (!ending) return ending.error();
  if (ending->status != 0 || ending->signal != 0) {
    warnings.push_back(fmt::format("{} ended with {} in the counting run", joined(command.command),
                                   words(*ending)));
  }
  return {};
}

}  // namespace

Result<RecordedProgram> record_program(RecordRequest command, const Progress& progress) {
  RecordedProgram recorded;
  if (!command.assemble.empty()) {
    if (command.out.empty()) return Error{"--assemble needs -o FILE", Exit::kUsage};
    if (Result<void> fine = check_capture_output(command); !fine) return fine.error();
    command.keep_spool = true;
    if (const auto made = assemble(command, command.assemble, progress, recorded); !made) {
      return made.error();
    }
    return recorded;
  }
  if (command.out.empty() && !command.command.empty()) command.out = default_name(command.command);
  if (Result<void> fine = check(command); !fine) return fine.error();
  const Result<std::string> library = recorder_library();
  if (!library) return library.error();
  const std::string spool = fs::absolute(command.out).string() + ".spool";
  const gpu::RecordSettings settings = settings_of(command, spool);
  if (const auto understood = gpu::parse_settings(gpu::write_settings(settings)); !understood) {
    return understood.error();
  }
  const Result<std::string> folder = make_spool_folder(spool);
  if (!folder) return folder.error();

  const auto begin = std::chrono::steady_clock::now();
  const Result<Ending> ending = run_recorded(command.command, *library, settings);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::error_code failed;
  if (!ending) {
    fs::remove_all(*folder, failed);
    return ending.error();
  }
  const Result<std::vector<std::string>> files = capture::spool_files(*folder);
  if (files && files->empty()) {
    fs::remove_all(*folder, failed);
    return Error{fmt::format("{} did not use CUDA (it ended with {}): nothing was recorded",
                             joined(command.command), words(*ending))};
  }
  if (command.counters && (ending->status != 0 || ending->signal != 0)) {
    recorded.warnings.push_back(
        fmt::format("nothing was counted: {} ended with {}, so it was not run again",
                    joined(command.command), words(*ending)));
  } else if (command.counters) {
    if (Result<void> counted = run_counted(command, *library, settings, recorded.warnings);
        !counted) {
      return counted.error();
    }
  }
  recorded.ending = *ending;
  recorded.wall_seconds = took.count();
  if (const auto made = assemble(command, *folder, progress, recorded); !made) {
    return made.error();
  }
  return recorded;
}

}  // namespace burin::jobs
