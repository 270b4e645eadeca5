// How well the blamer does, for bench/blame.py; one line of JSON each:
//
//   bench_blame launch WORDS…      what `burin predict` takes: the emulated stalls as if they were
//                                  samples, blamed, against the causes that the emulator knew
//   bench_blame samples CAPTURE [WORDS…]    every kernel with samples, against the emulator where
//                                  the capture has the memory of a launch, or WORDS launch it
#include "advise/blame/blame.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <string>

#include "app/options/predict_options.h"
#include "base/format.h"
#include "base/timings.h"
#include "capture/capture.h"
#include "jobs/input/launch_on_machine.h"
#include "machine/load.h"
#include "timing/predicted_profile.h"

using namespace burin;

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// Weight and agreement of each stall, over those that look for a cause.
std::string by_stall(const advise::BlamedProfile& first, const advise::BlamedProfile& second) {
  std::string text;
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    const auto of = [&](advise::BlamedProfile profile) {
      std::erase_if(profile.stalls, [&](const advise::BlamedStall& b) {
        return b.stall != static_cast<launch::Stall>(s);
      });
      return profile;
    };
    const advise::BlamedProfile part = of(first);
    double weight = 0;
    for (const advise::BlamedStall& b : part.stalls)
      if (b.dependency != advise::Dependency::kOwn) weight += b.cycles.sum();
    if (weight <= 0) continue;
    const advise::BlameAgreement agreed = advise::compare(part, of(second));
    text += fmt::format("{}\"{}\": [{:.6g}, {:.4f}, {:.4f}]", text.empty() ? "" : ", ",
                        launch::name(static_cast<launch::Stall>(s)), weight / first.total,
                        agreed.compared, agreed.same);
  }
  return text;
}

void print(const std::string& kernel, const advise::BlamedProfile& blamed,
           const advise::BlamedProfile* emulated, std::size_t instructions, double seconds,
           bool verbose, const read::Kernel& code) {
  double searched = 0, unknown = 0;
  for (const advise::BlamedStall& b : blamed.stalls) {
    if (b.dependency != advise::Dependency::kOwn) searched += b.cycles.sum();
    if (b.dependency == advise::Dependency::kUnknown) unknown += b.cycles.sum();
  }
  fmt::print(
      "{{\"kernel\": \"{}\", \"instructions\": {}, \"total\": {:.6g}, \"coverage_before\": {:.4f}, "
      "\"coverage_after\": {:.4f}, \"searched\": {:.4f}, \"unknown\": {:.4f}, \"seconds\": {:.4f}",
      escaped(kernel), instructions, blamed.total, blamed.coverage_before, blamed.coverage_after,
      blamed.total > 0 ? searched / blamed.total : 0, searched > 0 ? unknown / searched : 0,
      seconds);
  if (emulated != nullptr) {
    const advise::BlameAgreement agreed = advise::compare(blamed, *emulated);
    fmt::print(", \"compared\": {:.4f}, \"same\": {:.4f}, \"stalls\": {{{}}}", agreed.compared,
               agreed.same, by_stall(blamed, *emulated));
  }
  fmt::print("}}\n");
  if (!verbose) return;
  for (const advise::BlamedProfile* profile : {&blamed, emulated}) {
    if (profile == nullptr) continue;
    fmt::print(stderr, "{}\n", profile == emulated ? "emulator" : "blamer");
    for (std::size_t k = 0; k < std::min<std::size_t>(40, profile->stalls.size()); ++k) {
      const advise::BlamedStall& b = profile->stalls[k];
      fmt::print(stderr, "{:6.2f} %  {:18} {:16} {:05x} {:10} <- {:05x} {:10} {}\n",
                 100 * b.cycles.sum() / profile->total, launch::name(b.stall),
                 advise::name(b.dependency), 16 * b.waits, code.instructions[b.waits].mnemonic(),
                 16 * b.cause, code.instructions[b.cause].mnemonic(), b.distance);
    }
  }
}

int fail(const Error& error) {
  fmt::print(stderr, "bench_blame: {}\n", error.message);
  return 3;
}

struct Emulated {
  jobs::LaunchOnMachine loaded;
  timing::Prediction prediction;
};

Result<Emulated> emulate_launch(const std::string& words) {
  Result<jobs::PredictRequest> command = app::parse_line(words, {});
  if (!command) return command.error();
  const Result<timing::PredictOptions> options = jobs::parse_predict_options(*command);
  if (!options) return options.error();
  Result<jobs::LaunchOnMachine> loaded = jobs::load_on_machine(*command, {});
  if (!loaded) return loaded.error();
  Result<timing::Prediction> prediction = timing::predict(
      loaded->launch.loaded->kernel, loaded->launch.launch, loaded->machine, *options);
  if (!prediction) return prediction.error();
  return Emulated{std::move(*loaded), std::move(*prediction)};
}

int blame_launch(const std::string& words, bool verbose) {
  const Result<Emulated> emulated = emulate_launch(words);
  if (!emulated) return fail(emulated.error());
  const jobs::ChosenKernel& chosen = *emulated->loaded.launch.loaded;
  const auto begin = std::chrono::steady_clock::now();
  const Result<read::Kernel> kernel = read::build_kernel(chosen.image, chosen.function());
  if (!kernel) return fail(kernel.error());
  const advise::BlamedProfile blamed =
      advise::blame(*kernel, timing::profile_of(emulated->prediction), emulated->loaded.machine);
  const double seconds = seconds_since(begin);
  const advise::BlamedProfile known = advise::blame(*kernel, emulated->prediction);
  print(chosen.function().demangled, blamed, &known, kernel->instructions.size(), seconds, verbose,
        *kernel);
  return 0;
}

// The emulator's blame for a launch of the kernel that the capture has the memory of.
std::optional<advise::BlamedProfile> emulate_captured(const capture::Capture& capture,
                                                      std::uint64_t kernel_id,
                                                      const read::Kernel& kernel,
                                                      const machine::Machine& machine) {
  for (const capture::CapturedLaunch& launch : capture.launches()) {
    if (launch.kernel != kernel_id || !launch.has_memory) continue;
    const Result<jobs::LoadedLaunch> loaded = jobs::load_launch(capture, launch, {});
    if (!loaded) return std::nullopt;
    const Result<timing::Prediction> p =
        timing::predict(loaded->loaded->kernel, loaded->launch, machine, {});
    if (!p) return std::nullopt;
    return advise::blame(kernel, *p);
  }
  return std::nullopt;
}

int blame_samples(const std::string& path, const std::string& words, bool verbose) {
  const Result<capture::Capture> capture = capture::Capture::open(path);
  if (!capture) return fail(capture.error());
  const Result<machine::Machine> machine = machine::load_machine("h200");
  if (!machine) return fail(machine.error());
  std::optional<Emulated> given;
  if (!words.empty()) {
    Result<Emulated> emulated = emulate_launch(words);
    if (!emulated) return fail(emulated.error());
    given = std::move(*emulated);
  }
  const std::vector<std::uint64_t> counts = capture->sample_counts();
  for (const capture::CapturedKernel& captured : capture->kernels()) {
    if (counts[captured.id - 1] == 0 || captured.module == 0) continue;
    const Result<std::unique_ptr<jobs::ChosenKernel>> chosen =
        jobs::load_kernel(*capture, captured);
    const Result<launch::StallProfile> profile = capture->profile(captured.id);
    if (!chosen || !profile) continue;
    const auto begin = std::chrono::steady_clock::now();
    const Result<read::Kernel> kernel = read::build_kernel((*chosen)->image, (*chosen)->function());
    if (!kernel) continue;
    const advise::BlamedProfile blamed = advise::blame(*kernel, *profile, *machine);
    const double seconds = seconds_since(begin);
    std::optional<advise::BlamedProfile> emulated;
    if (!given) {
      emulated = emulate_captured(*capture, captured.id, *kernel, *machine);
    } else if (given->loaded.launch.loaded->function().name == captured.name &&
               given->prediction.costs.size() == kernel->instructions.size()) {
      emulated = advise::blame(*kernel, given->prediction);
    }
    print((*chosen)->function().demangled, blamed, emulated ? &*emulated : nullptr,
          kernel->instructions.size(), seconds, verbose, *kernel);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool verbose = argc > 1 && std::strcmp(argv[1], "-v") == 0;
  if (verbose) ++argv, --argc;
  const bool samples = argc > 2 && std::strcmp(argv[1], "samples") == 0;
  std::string words;
  for (int i = samples ? 3 : 2; i < argc; ++i) words += std::string(argv[i]) + ' ';
  if (samples) return blame_samples(argv[2], words, verbose);
  if (argc > 2 && std::strcmp(argv[1], "launch") == 0) return blame_launch(words, verbose);
  fmt::print(stderr, "usage: bench_blame [-v] launch WORDS… | samples CAPTURE [WORDS…]\n");
  return 2;
}
