// `burin run FILE`: one launch, executed on the CPU, checked and reported.
#include "emulate/run.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/cli.h"
#include "app/device_run.h"
#include "app/launch_options.h"
#include "base/format.h"
#include "base/new_file.h"
#include "base/text.h"
#include "base/timings.h"
#include "emulate/outputs.h"
#include "emulate/traffic.h"
#include "launch/options.h"
#include "report/run.h"

namespace burin {
namespace {

// Half an hour on one core: a kernel that never ends is told of, not waited for.
constexpr std::uint64_t kMostInstructionsUnasked = 20'000'000'000;

struct RunCommand {
  LaunchOptions launch;
  unsigned threads = 0;
  std::uint64_t most_instructions = kMostInstructionsUnasked;
  std::vector<std::string> trips;
  std::string unknown_access;
  std::string check_shared = "on";
  bool sectors = false;
  bool lines = false;
  std::vector<std::string> outputs;
  std::vector<std::string> checks;
  DeviceRunOptions device;
  std::string cache = "cold";
};

// The options' texts as values: all wrong ones are told before any work is done.
struct Parsed {
  RunOptions options;
  bool sectors = false;
  UnknownAccess unknown_access;
  std::vector<OutputFile> outputs;
  std::vector<ExpectedFile> checks;
  bool check_recorded = false;  // with what the capture has
};

Result<Parsed> parse(const RunCommand& command) {
  Parsed parsed;
  parsed.options.threads = command.threads;
  parsed.options.most_instructions = command.most_instructions;
  parsed.options.check_shared = command.check_shared == "on";
  parsed.sectors = command.sectors || !command.unknown_access.empty();
  if (!command.unknown_access.empty()) {
    const Result<UnknownAccess> access = parse_unknown_access(command.unknown_access);
    if (!access) return access.error().within("--unknown-access");
    parsed.unknown_access = *access;
  }
  auto trips = parse_each<TripCount>("--trip", command.trips, parse_trip);
  if (!trips) return trips.error();
  parsed.options.trips = std::move(*trips);
  auto outputs = parse_each<OutputFile>("--out", command.outputs, parse_output);
  if (!outputs) return outputs.error();
  parsed.outputs = std::move(*outputs);
  std::vector<std::string> files = command.checks;
  parsed.check_recorded = std::erase(files, "") != 0;
  auto checks = parse_each<ExpectedFile>("--check", files, parse_expected);
  if (!checks) return checks.error();
  parsed.checks = std::move(*checks);
  return parsed;
}

// Whether a file can be made there, before a long run finds out. Nothing is left of the attempt,
// and what is no file (a pipe, a device) is not opened.
Result<void> try_to_write(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && std::filesystem::is_other(status)) return {};
  const Result<NewFile> file = NewFile::create(path);
  return file ? Result<void>() : file.error();
}

Result<std::vector<Expectation>> open_checks(const Launch& launch, const Parsed& parsed) {
  for (const OutputFile& output : parsed.outputs) {
    const Result<const Buffer*> buffer = buffer_at(launch, output.argument);
    if (!buffer) return buffer.error().within("--out");
    if (const Result<void> writable = try_to_write(output.path); !writable) {
      return writable.error().within("--out");
    }
  }
  std::vector<Expectation> expected;
  for (const ExpectedFile& check : parsed.checks) {
    Result<Expectation> opened = open_expected(launch, check);
    if (!opened) return opened.error().within("--check");
    expected.push_back(std::move(*opened));
  }
  return expected;
}

// The buffers' files, and what there is to say about them on standard error.
struct Files {
  std::vector<WrittenOutput> written;
  std::vector<CheckedOutput> checked;
};

Result<Files> handle_files(const Run& run, const Parsed& parsed,
                           const std::vector<Expectation>& expected,
                           const std::optional<CapturedFacts>& captured) {
  const Timed timed("outputs");
  Files files;
  for (const OutputFile& output : parsed.outputs) {
    Result<WrittenOutput> written = write_output(run, output);
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
  for (const Expectation& expectation : expected) {
    Result<CheckedOutput> checked = check_output(run, expectation);
    if (!checked) return checked.error().within("--check");
    files.checked.push_back(std::move(*checked));
  }
  if (parsed.check_recorded) {
    for (const ExpectedMemory& memory : captured->expected) {
      files.checked.push_back(check_memory(run, memory, captured->file));
    }
  }
  return files;
}

void tell_of_trips(const RunOptions& options, const RunCommand& command, const Run& run,
                   Context& context) {
  for (std::size_t k = 0; k < options.trips.size(); ++k) {
    if (run.trips_met[k]) continue;
    context.complain(
        fmt::format("--trip {}: no loop at line {} has an Unknown trip count, so it has no effect",
                    command.trips[k], options.trips[k].line));
  }
}

void tell_of(const Files& files, Context& context) {
  for (const WrittenOutput& written : files.written) {
    if (written.unknown_bytes == 0) continue;
    context.complain(fmt::format("{}: {} of its {} bytes are Unknown and were written as 0",
                                 written.path, with_commas(written.unknown_bytes),
                                 with_commas(written.bytes)));
  }
  for (const CheckedOutput& checked : files.checked) {
    if (!checked.passed()) context.complain(describe(checked));
  }
}

// What a captured launch can be asked, and what one from the command line cannot.
Result<void> check_captured(const RunCommand& command, const Parsed& parsed,
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

struct TimedRun {
  Run run;
  double seconds = 0;
};

Result<TimedRun> emulate_with_progress(const LoadedLaunch& loaded, RunOptions options,
                                       Context& context) {
  options.progress = [&](std::uint64_t done, std::uint64_t of) {
    context.progress("running block", done, of);
  };
  const auto start = std::chrono::steady_clock::now();
  const Timed timed("emulate");
  Result<Run> run = emulate(loaded.loaded->kernel, loaded.launch, options);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  context.clear_progress();
  if (!run) return run.error().within(loaded.loaded->kernel.function->demangled);
  return TimedRun{std::move(*run), elapsed.count()};
}

// The emulator's counts beside those of the GPU, where the capture has them.
std::optional<CountAgreement> agreement_of(const Run& run,
                                           const std::optional<CapturedFacts>& captured) {
  if (!captured || captured->counts.empty() || run.stopped) return std::nullopt;
  std::vector<double> ours;
  for (const InstructionCount& count : run.counts) ours.push_back(static_cast<double>(count.warps));
  return compare_counts(ours, captured->counts);
}

void write_report(const RunReport& report, const std::optional<DeviceRun>& device,
                  const std::string& file, Context& context) {
  if (context.json) {
    Json json(context.out);
    json.open('{');
    write_run_json(json, report, file);
    if (device) write_device_run_json(json, *device);
    json.close();
  } else if (!report.run.stopped || !report.run.faults.empty()) {
    SourceText source(folder_of(file));
    write_run(context.out, report, source);
    if (device) write_device_run(context.out, *device);
  }
  context.out.flush();
}

Result<Exit> run_kernel(const RunCommand& command, Context& context) {
  if (Result<void> all = complete(command.launch, "run"); !all) return all.error();
  Result<Parsed> parsed = parse(command);
  if (!parsed) return parsed.error();
  if (!command.device.device.empty()) {
    if (const auto usable = check_device_options(command.device); !usable) return usable.error();
  }
  const Result<LoadedLaunch> loaded = load_launch(command.launch, context);
  if (!loaded) return loaded.error();
  if (const auto served = check_captured(command, *parsed, loaded->captured); !served) {
    return served.error();
  }
  const Kernel& kernel = loaded->loaded->kernel;
  const Result<std::vector<Expectation>> expected = open_checks(loaded->launch, *parsed);
  if (!expected) return expected.error();

  Traffic traffic(kernel.instructions.size(), parsed->unknown_access);
  if (parsed->sectors) parsed->options.listener = &traffic;
  const Result<TimedRun> ran = emulate_with_progress(*loaded, parsed->options, context);
  if (!ran) return ran.error();
  const Run& run = ran->run;
  if (!run.stopped) tell_of_trips(parsed->options, command, run, context);

  // A kernel that did not come to its end leaves no results, but what was found on the way counts.
  const Result<Files> files = run.stopped ? Result<Files>(Files{})
                                          : handle_files(run, *parsed, *expected, loaded->captured);
  if (!files) return files.error();
  std::optional<DeviceRun> device;
  if (!command.device.device.empty() && !run.stopped) {
    const Timed timed("device");
    Result<DeviceRun> there = run_on_device(loaded->loaded->cubin, *kernel.function, loaded->launch,
                                            run, parsed->checks, command.device);
    if (!there) return there.error();
    device = std::move(*there);
  }

  const Timed timed("report");
  const RunReport report{.kernel = kernel,
                         .launch = loaded->launch,
                         .run = run,
                         .traffic = parsed->sectors ? &traffic : nullptr,
                         .outputs = files->written,
                         .checks = files->checked,
                         .counts = agreement_of(run, loaded->captured),
                         .seconds = ran->seconds,
                         .most_lines = command.lines ? kernel.instructions.size() : kLinesUnasked};
  write_report(report, device, command.launch.source.file, context);
  if (run.stopped) return run.stopped->within(kernel.function->demangled);
  tell_of(*files, context);
  if (loaded->captured) {
    for (const std::string& note : loaded->captured->notes) context.complain(note);
  }
  const bool passed = run.faults.empty() && (!device || device->agrees) &&
                      std::ranges::all_of(files->checked, &CheckedOutput::passed);
  return passed ? Exit::kDone : Exit::kGate;
}

}  // namespace

void add_run(Commands& commands) {
  auto command = std::make_shared<RunCommand>();
  CLI::App& app = commands.add(
      "run", "Executes a kernel on the CPU, bit-exactly, and detects faults",
      "  burin run saxpy.cu --grid 4 --block 256 --arg i32:1000 --arg f32:2 \\\n    --arg "
      "buf:4000:f32 --arg buf:4000:f32 --out 3=y.bin\n  burin run a.out --kernel transpose --grid "
      "8,8 --block 32,8 --arg buf:256K:f32 \\\n    --arg buf:256K:undef --arg i32:256 --check "
      "1=expected.bin\n  burin run spmv.ptx --grid 64 --block 128 --arg buf:4004:rowptr:10 … "
      "--trip 12=10\n  burin run app.burin:17 --check\n\nExit status 1: a fault was found or a "
      "--check failed. docs/arguments.md explains the grammar\nof --arg, docs/run.md the report.",
      [command](Context& context) {
        command->device.warm = command->cache == "warm";
        // `--check CAPTURE:LAUNCH`: what follows an option that may stand alone is taken for its
        // own.
        std::string& file = command->launch.source.file;
        if (file.empty() && !command->checks.empty() &&
            command->checks.back().find('=') == std::string::npos) {
          file = std::exchange(command->checks.back(), "");
        }
        return run_kernel(*command, context);
      });
  add_launch_options(app, command->launch);
  add_repeated(app, "--out", command->outputs, "I=FILE",
               "Write the buffer of argument I (from 0) to FILE");
  add_repeated(
      app, "--check", command->checks, "I=FILE[:TYPE][:TOL]",
      "Compare it with FILE, bit for bit or within TOL; for a capture, I=FILE is optional");
  app.get_option("--check")->expected(0, 1);
  app.add_flag("--lines", command->lines, "Show all source lines, not only the top 10");
  app.add_flag("--sectors", command->sectors,
               "Count global memory sectors per line (single-threaded, slower)");
  add_repeated(app, "--trip", command->trips, "[FILE:]LINE=N",
               "Trip count of the loop at this line if it is Unknown");
  app.add_option("--unknown-access", command->unknown_access,
                 "Cost of an access to Unknown addresses: worst (default), coalesced or N sectors; "
                 "implies --sectors")
      ->type_name("POLICY");
  app.add_option("--check-shared", command->check_shared,
                 "Detect shared memory races and uninitialised reads (default: on)")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}).description(""));
  app.add_option("--max-instructions", command->most_instructions,
                 "Stop after this many warp instructions; 0: never (default: 20000000000)")
      ->type_name("N")
      ->check(not_negative);
  app.add_option("--threads", command->threads,
                 "Host threads for emulation (default: one per core)")
      ->type_name("N")
      ->check(not_negative);
  CLI::Option* device = app.add_option("--device", command->device.device,
                                       "Also run on this GPU, time it and compare the buffers")
                            ->type_name("cuda:N");
  app.add_option("--launches", command->device.launches, "Timed launches on the GPU (default: 20)")
      ->type_name("N")
      ->needs(device);
  app.add_flag("--cooperative", command->device.cooperative,
               "Cooperative launch: all blocks resident at once, for grid barriers")
      ->needs(device);
  app.add_option("--cache", command->cache, "GPU cache state before each launch (default: cold)")
      ->type_name("cold|warm")
      ->needs(device)
      ->check(CLI::IsMember({"cold", "warm"}).description(""));
}

}  // namespace burin
