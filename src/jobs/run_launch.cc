#include "jobs/run_launch.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "base/timings.h"
#include "jobs/input/keyed_options.h"
#include "jobs/input/output_file.h"
#include "launch/options.h"

namespace burin::jobs {
namespace {

// The options' texts as values: all wrong ones are told before any work is done.
struct Parsed {
  emulate::RunOptions options;
  bool sectors = false;
  launch::UnknownAccess unknown_access;
  std::vector<launch::OutputFile> outputs;
  std::vector<launch::ExpectedFile> checks;
  bool check_recorded = false;  // with what the capture has
};

Result<Parsed> parse(const RunRequest& command) {
  Parsed parsed;
  parsed.options.threads = command.threads;
  parsed.options.most_instructions = command.most_instructions.value_or(kDefaultMaxInstructions);
  if (!command.most_instructions) parsed.options.most_of_block = kMaxBlockInstructions;
  parsed.options.check_shared = command.check_shared == "on";
  parsed.sectors = command.sectors || !command.unknown_access.empty();
  if (!command.unknown_access.empty()) {
    const Result<launch::UnknownAccess> access =
        launch::parse_unknown_access(command.unknown_access);
    if (!access) return access.error().within("--unknown-access");
    parsed.unknown_access = *access;
  }
  auto trips = parse_each_key<launch::TripCount>("--trip", command.trips, launch::parse_trip);
  if (!trips) return trips.error();
  parsed.options.trips = std::move(*trips);
  auto outputs = parse_each<launch::OutputFile>("--out", command.outputs, launch::parse_output);
  if (!outputs) return outputs.error();
  parsed.outputs = std::move(*outputs);
  std::vector<std::string> files = command.checks;
  parsed.check_recorded = std::erase(files, "") != 0;
  auto checks = parse_each<launch::ExpectedFile>("--check", files, launch::parse_expected);
  if (!checks) return checks.error();
  parsed.checks = std::move(*checks);
  return parsed;
}

Result<void> check_outputs(const RunRequest& request, const Parsed& parsed) {
  std::vector<std::string> inputs = input_files(request.launch);
  for (const launch::ExpectedFile& check : parsed.checks) inputs.push_back(check.path);
  std::vector<OutputFile> files;
  for (const launch::OutputFile& output : parsed.outputs) {
    files.push_back({"--out", output.path});
    if (Result<void> fine = check_output(files.back(), inputs, request.force); !fine) return fine;
  }
  return check_distinct(files, {});
}

Result<std::vector<emulate::Expectation>> open_checks(const launch::Launch& launch,
                                                      const Parsed& parsed) {
  for (const launch::OutputFile& output : parsed.outputs) {
    const Result<const launch::Buffer*> buffer = launch::buffer_at(launch, output.argument);
    if (!buffer) return buffer.error().within("--out");
  }
  std::vector<emulate::Expectation> expected;
  for (const launch::ExpectedFile& check : parsed.checks) {
    Result<emulate::Expectation> opened = emulate::open_expected(launch, check);
    if (!opened) return opened.error().within("--check");
    expected.push_back(std::move(*opened));
  }
  return expected;
}

// Writes and compares the buffers.
Result<void> handle_files(const Parsed& parsed, const std::vector<emulate::Expectation>& expected,
                          RanLaunch& files) {
  const Timed timed("outputs");
  const emulate::Run& run = files.run;
  const std::optional<CapturedFacts>& captured = files.launch.captured;
  for (const launch::OutputFile& output : parsed.outputs) {
    Result<emulate::WrittenOutput> written = emulate::write_output(run, output);
    if (!written) return written.error().within("--out");
    files.written.push_back(std::move(*written));
  }
  if ((!expected.empty() || parsed.check_recorded) && run.unknown.stores != 0) {
    return Error{
        fmt::format(
            "--check: {} had Unknown addresses and stored nothing, so the buffers are incomplete",
            count_of(run.unknown.stores, "store")),
        Exit::kGate};
  }
  for (const emulate::Expectation& expectation : expected) {
    Result<emulate::CheckedOutput> checked = emulate::check_output(run, expectation);
    if (!checked) return checked.error().within("--check");
    files.checked.push_back(std::move(*checked));
  }
  if (parsed.check_recorded) {
    for (const launch::ExpectedMemory& memory : captured->expected) {
      files.checked.push_back(emulate::check_memory(run, memory, captured->file));
    }
  }
  return {};
}

void warn_of_trips(const emulate::RunOptions& options, const RunRequest& command, RanLaunch& ran) {
  for (std::size_t k = 0; k < options.trips.size(); ++k) {
    if (ran.run.trips_met[k]) continue;
    ran.warnings.push_back(
        fmt::format("--trip {}: no loop at line {} has an Unknown trip count, so it has no effect",
                    command.trips[k], options.trips[k].line));
  }
}

void warn_of_outputs(RanLaunch& files) {
  for (const emulate::WrittenOutput& written : files.written) {
    if (written.unknown_bytes == 0) continue;
    files.warnings.push_back(fmt::format("{}: {} of its {} bytes are Unknown and were written as 0",
                                         written.path, with_commas(written.unknown_bytes),
                                         with_commas(written.bytes)));
  }
  for (const emulate::CheckedOutput& checked : files.checked) {
    if (!checked.passed()) files.warnings.push_back(emulate::describe(checked));
  }
}

// What a captured launch can be asked, and what one from the command line cannot.
Result<void> check_captured(const RunRequest& command, const Parsed& parsed,
                            const std::optional<CapturedFacts>& captured) {
  if (!captured) {
    if (!parsed.check_recorded) return {};
    return Error{"--check: give the expected data as I=FILE; only a capture contains it",
                 Exit::kUsage};
  }
  if (!command.device.device.empty()) {
    return Error{
        "--device: a captured launch contains addresses of the original process and cannot be "
        "relaunched; run it there with burin record",
        Exit::kUsage};
  }
  if (parsed.check_recorded && captured->expected.empty()) {
    return Error{
        fmt::format("{}: launch {} has no memory contents to compare with; record with --memory",
                    captured->file, captured->launch.id)};
  }
  return {};
}

Result<void> emulate_with_progress(emulate::RunOptions options, const Progress& progress,
                                   RanLaunch& ran) {
  std::mutex mutex;
  std::uint64_t ended = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t of) {
    const std::lock_guard lock(mutex);
    ended = done;
    progress.step("running block", done, of);
  };
  options.heartbeat = [&](std::uint64_t executed) {
    const std::lock_guard lock(mutex);
    progress.step(fmt::format("{} million warp instructions, running block", executed / 1'000'000),
                  ended, ran.launch.launch.grid.total());
  };
  const auto start = std::chrono::steady_clock::now();
  const Timed timed("emulate");
  const read::Kernel& kernel = ran.launch.loaded->kernel;
  Result<emulate::Run> run = emulate::emulate(kernel, ran.launch.launch, options);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  progress.done();
  if (!run) return run.error().within(kernel.function->demangled);
  ran.run = std::move(*run);
  ran.seconds = elapsed.count();
  return {};
}

// The emulator's counts beside those of the GPU, where the capture has them.
std::optional<capture::CountAgreement> agreement_of(const emulate::Run& run,
                                                    const std::optional<CapturedFacts>& captured) {
  if (!captured || captured->counts.empty() || run.stopped) return std::nullopt;
  std::vector<double> ours;
  for (const emulate::InstructionCount& count : run.counts)
    ours.push_back(static_cast<double>(count.warps));
  return capture::compare_counts(ours, captured->counts);
}

}  // namespace

bool RanLaunch::passed() const {
  return !run.stopped && run.faults.empty() && (!device || device->agrees) &&
         std::ranges::all_of(checked, &emulate::CheckedOutput::passed);
}

Result<std::unique_ptr<RanLaunch>> run_launch(const RunRequest& request, const Progress& progress) {
  if (Result<void> all = complete(request.launch, "run"); !all) return all.error();
  Result<Parsed> parsed = parse(request);
  if (!parsed) return parsed.error();
  const bool on_device = !request.device.device.empty();
  if (on_device) {
    if (const auto usable = check_device_options(request.device); !usable) return usable.error();
  }
  if (Result<void> fine = check_outputs(request, *parsed); !fine) return fine.error();
  auto ran = std::make_unique<RanLaunch>();
  Result<LoadedLaunch> loaded = load_launch(request.launch, progress);
  if (!loaded) return loaded.error();
  ran->launch = std::move(*loaded);
  const std::optional<CapturedFacts>& captured = ran->launch.captured;
  if (const auto served = check_captured(request, *parsed, captured); !served) {
    return served.error();
  }
  const read::Kernel& kernel = ran->launch.loaded->kernel;
  const Result<std::vector<emulate::Expectation>> expected =
      open_checks(ran->launch.launch, *parsed);
  if (!expected) return expected.error();

  if (parsed->sectors) {
    ran->traffic =
        std::make_unique<emulate::Traffic>(kernel.instructions.size(), parsed->unknown_access);
    parsed->options.listener = ran->traffic.get();
  }
  if (const auto done = emulate_with_progress(parsed->options, progress, *ran); !done) {
    return done.error();
  }
  ran->counts = agreement_of(ran->run, captured);
  // A kernel that did not come to its end leaves no results, but what was found on the way counts.
  if (ran->run.stopped) return ran;
  warn_of_trips(parsed->options, request, *ran);
  if (const auto done = handle_files(*parsed, *expected, *ran); !done) return done.error();
  if (on_device) {
    const Timed timed("device");
    Result<DeviceRun> there =
        run_on_device(ran->launch.loaded->cubin, *kernel.function, ran->launch.launch, ran->run,
                      parsed->checks, request.device);
    if (!there) return there.error();
    ran->device = std::move(*there);
  }
  warn_of_outputs(*ran);
  if (captured) std::ranges::copy(captured->notes, std::back_inserter(ran->warnings));
  return ran;
}

}  // namespace burin::jobs
