#include "app/diff_sides.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "app/advise_capture.h"
#include "app/launch_on_machine.h"
#include "app/load_kernel.h"
#include "app/open_capture.h"
#include "base/format.h"
#include "base/text.h"
#include "base/timings.h"
#include "read/binary/demangle.h"
#include "read/isa/decode.h"
#include "timing/predicted_profile.h"

namespace burin {
namespace {

std::set<Architecture> architectures_of(const Container& container) {
  std::set<Architecture> all;
  for (const Entry& entry : container.entries) {
    if (entry.kind == Entry::Kind::kCubin) all.insert(entry.arch);
  }
  return all;
}

// One that both files have code for: the newest that burin executes, else the newest.
std::optional<Architecture> common_architecture(const Container& a, const Container& b) {
  std::optional<Architecture> best;
  const std::set<Architecture> others = architectures_of(b);
  for (const Architecture arch : architectures_of(a)) {
    if (!others.contains(arch)) continue;
    if (!best || std::pair(is_executed(arch), arch) > std::pair(is_executed(*best), *best)) {
      best = arch;
    }
  }
  return best;
}

Architecture newest_of(const Container& container) {
  std::optional<Architecture> best;
  for (const Architecture arch : architectures_of(container)) {
    if (!best || std::pair(is_executed(arch), arch) > std::pair(is_executed(*best), *best)) {
      best = arch;
    }
  }
  return *best;
}

bool is_meant(const Function& function, const std::optional<std::string>& wanted) {
  return !wanted || function.name.find(*wanted) != std::string::npos ||
         function.demangled.find(*wanted) != std::string::npos;
}

Result<DiffSide> read_side(const std::string& file, const Container& container, Architecture arch,
                           const std::optional<std::string>& wanted, Context& context) {
  const Timed timed("read kernels");
  DiffSide side{.file = file};
  std::set<std::string> seen;
  std::vector<const Entry*> cubins;
  for (const Entry& entry : container.entries) {
    if (entry.kind == Entry::Kind::kCubin && entry.arch == arch) cubins.push_back(&entry);
  }
  for (std::size_t k = 0; k < cubins.size(); ++k) {
    context.progress("reading image", k + 1, cubins.size());
    const Result<Image> image = load(*cubins[k]);
    if (!image) {
      side.notes.push_back(image.error().message);
      continue;
    }
    for (const Function& function : image->functions) {
      if (!function.is_kernel || !is_meant(function, wanted)) continue;
      if (!seen.insert(function.name).second) continue;
      const Result<Kernel> kernel = build_kernel(*image, function, {.dependences = false});
      if (kernel) {
        side.kernels.push_back(facts_of(*kernel));
      } else {
        side.notes.push_back(kernel.error().within(function.demangled).message);
      }
    }
  }
  context.clear_progress();
  if (side.kernels.empty()) {
    if (!side.notes.empty()) return Error{file + ": " + side.notes.front()};
    return Error{file +
                 (wanted ? ": no kernel name contains " + *wanted : ": contains no kernels")};
  }
  std::ranges::sort(side.kernels, {}, &KernelFacts::demangled);
  return side;
}

// What the advisor says, as far as two are compared.
void add_advice(KernelFacts& facts, AdvisedLaunch& advised) {
  std::vector<AdviceFacts>& all = facts.advice.emplace();
  for (const Finding& finding : advised.advice.findings) {
    AdviceFacts made{.rule = finding.rule, .speedup = finding.speedup};
    if (finding.where != kNoIndex) {
      const CodePlace place = code_place(advised.given->kernel, finding.where);
      made.where = {std::string(place.file), place.line};
    }
    all.push_back(std::move(made));
  }
  if (advised.study != nullptr) facts.predicted_us = advised.study->base().time_us;
}

Result<DiffSide> launched_side(const std::string& file, const DiffRequest& request,
                               Context& context) {
  PredictCommand command = request.command;
  command.launch.source.file = file;
  Result<LaunchOnMachine> loaded = load_on_machine(command, context);
  if (!loaded) return loaded.error();
  Result<std::unique_ptr<AdvisedLaunch>> advised =
      advise_on(input_of(std::move(*loaded)), request.advise, file, context);
  if (!advised) return advised.error();
  DiffSide side{.file = file};
  const Study& study = *(*advised)->study;
  KernelFacts facts = facts_of(study.kernel());
  add_profile(facts, study.kernel(), profile_of(study.base()));
  add_advice(facts, **advised);
  side.kernels.push_back(std::move(facts));
  return side;
}

// A kernel whose code is not there is told of; the others are compared.
Result<DiffSide> captured_side(const std::string& name, const DiffRequest& request,
                               Context& context) {
  const CaptureName parts = parse_capture_name(name);
  const Result<Capture> capture = open_capture(parts.file);
  if (!capture) return capture.error();
  const CaptureChoice choice{.launch = parts.launch,
                             .kernels = std::numeric_limits<std::size_t>::max(),
                             .command = request.command};
  Result<std::vector<CaptureInput>> inputs = advise_inputs(*capture, choice, context);
  if (!inputs) return inputs.error();
  DiffSide side{.file = name};
  for (CaptureInput& each : *inputs) {
    if (!each.input) {
      side.notes.push_back(each.input.error().message);
      continue;
    }
    AdviseInput& input = *each.input;
    KernelFacts facts = facts_of(input.code->kernel);
    facts.launches = input.launches;
    facts.measured_us = input.measured_us;
    add_profile(facts, input.code->kernel, input.samples);
    if (!request.predict) {
      input.launch.reset();
      input.not_emulated = "--predict is not set";
    }
    if (request.predict || input.samples.total() >= kFewestSamples) {
      Result<std::unique_ptr<AdvisedLaunch>> advised =
          advise_on(std::move(input), request.advise, parts.file, context);
      if (advised) {
        add_advice(facts, **advised);
      } else {
        side.notes.push_back(advised.error().message);
      }
    }
    side.kernels.push_back(std::move(facts));
  }
  if (side.kernels.empty()) return Error{side.notes.front()};
  return side;
}

}  // namespace

Result<DiffSides> binary_sides(const DiffRequest& request, Context& context) {
  KernelSource source = request.command.launch.source;
  std::optional<Architecture> arch;
  if (!source.arch.empty()) {
    arch = parse_architecture(source.arch);
    if (!arch) {
      return Error{"--arch " + source.arch + " is not an architecture; try sm_90", Exit::kUsage};
    }
  }
  ChosenKernel kept[2];  // the bytes of the two files
  std::vector<Container> containers;
  for (const std::size_t k : {0u, 1u}) {
    source.file = k == 0 ? request.before : request.after;
    Result<Container> container = open_source(source, kept[k]);
    if (!container) return container.error();
    const std::set<Architecture> all = architectures_of(*container);
    if (all.empty()) return Error{source.file + ": contains no machine code"};
    if (arch && !all.contains(*arch)) {
      return Error{
          fmt::format("{}: contains no machine code for {}", source.file, to_string(*arch))};
    }
    containers.push_back(std::move(*container));
  }
  if (!arch) arch = common_architecture(containers[0], containers[1]);
  const Architecture first = arch ? *arch : newest_of(containers[0]);
  const Architecture second = arch ? *arch : newest_of(containers[1]);
  Result<DiffSide> before = read_side(request.before, containers[0], first, source.kernel, context);
  if (!before) return before.error();
  Result<DiffSide> after = read_side(request.after, containers[1], second, source.kernel, context);
  if (!after) return after.error();
  if (first != second) {
    after->notes.push_back(fmt::format("no common architecture: it has {}, the other {}",
                                       to_string(second), to_string(first)));
  }
  return DiffSides{std::move(*before), std::move(*after)};
}

Result<DiffSides> launch_sides(const DiffRequest& request, Context& context) {
  Result<DiffSide> before = launched_side(request.before, request, context);
  if (!before) return before.error();
  DiffRequest other = request;
  if (!request.after_kernel.empty()) other.command.launch.source.kernel = request.after_kernel;
  Result<DiffSide> after = launched_side(request.after, other, context);
  if (!after) return after.error();
  return DiffSides{std::move(*before), std::move(*after)};
}

Result<DiffSides> capture_sides(const DiffRequest& request, Context& context) {
  Result<DiffSide> before = captured_side(request.before, request, context);
  if (!before) return before.error();
  Result<DiffSide> after = captured_side(request.after, request, context);
  if (!after) return after.error();
  return DiffSides{std::move(*before), std::move(*after)};
}

}  // namespace burin
