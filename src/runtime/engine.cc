#include "runtime/engine.h"

#include <array>
#include <bit>
#include <cstdio>
#include <exception>

#include "base/bytes.h"
#include "base/hash.h"
#include "runtime/packed_shape.h"

namespace burin::runtime {
namespace {

std::uint64_t hash_of(std::string_view text) {
  return fnv1a(Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

}  // namespace

Engine::Engine(Settings settings, const CudaApi& api)
    : settings_(std::move(settings)),
      api_(api),
      log_(settings_.log.empty() && !settings_.problem.empty() ? "-" : settings_.log),
      wisdom_(settings_.wisdom),
      handles_(kHandleSlots),
      history_(kHistorySlots) {
  if (!settings_.problem.empty()) log_.line("%s", settings_.problem.c_str());
  if (settings_.mode == Settings::Mode::kOff) return;
  files_ = load_program_files(settings_.path);
  for (const std::string& problem : files_.problems) {
    log_.line("%s; file ignored", problem.c_str());
  }
  for (const ProgramFile& file : files_.files) by_name_.emplace(file.program.kernel, &file);
  active_ = !files_.files.empty();
}

Engine::Decision Engine::decide(const LaunchRequest& request) noexcept {
  Decision decision;
  decision.shape = request.own;
  if (!active_) return decision;
  try {
    const int device = api_.device();
    if (device < 0) return decision;
    const PreparedKernel* kernel = find_kernel(request.kernel, device);
    if (kernel == nullptr) return decision;
    History::Key key;
    PreparedKernel::RawSizes raw;
    if (!pack_own(request.own, key[1], key[2], key[3]) || !kernel->read(request.arguments, raw)) {
      return decision;
    }
    key[0] = reinterpret_cast<std::uintptr_t>(kernel);
    for (std::size_t i = 0; i < raw.size(); ++i) key[4 + i] = raw[i];
    if (!settings_.graphs && captures_.load(std::memory_order_relaxed) &&
        api_.is_capturing(request.stream)) {
      if (log_.enabled() && log_.first_time(key[0] ^ 0x6772617068)) {
        log_.line("%s: captured into a graph; launch unchanged (BURIN_LAUNCH_GRAPHS=on changes it)",
                  kernel->file().program.kernel.c_str());
      }
      return decision;
    }
    History::Value value;
    if (!history_.find(key, value)) choose(*kernel, request, key, value);
    if (settings_.mode == Settings::Mode::kLog) return decision;
    if (value[3] != 0) {
      refine(*kernel, request, key, *reinterpret_cast<Refinement*>(value[3]), decision);
    } else {
      decision.shape = unpack(value[0], value[1], value[2]);
    }
    decision.changed = decision.shape != request.own;
  } catch (const std::exception& failure) {
    decision = {};
    decision.shape = request.own;
    if (log_.first_time(hash_of(failure.what()))) {
      log_.line("%s; launches unchanged", failure.what());
    }
  }
  return decision;
}

const PreparedKernel* Engine::find_kernel(const void* handle, int device) {
  const Handles::Key key = {
      reinterpret_cast<std::uintptr_t>(handle),
      epoch_.load(std::memory_order_relaxed) << 16 | static_cast<std::uint64_t>(device)};
  Handles::Value value;
  if (!handles_.find(key, value)) {
    value[0] = reinterpret_cast<std::uintptr_t>(resolve(handle, device));
    handles_.store(key, value);
  }
  return reinterpret_cast<const PreparedKernel*>(value[0]);
}

const PreparedKernel* Engine::resolve(const void* handle, int device) {
  KernelFacts facts;
  if (!api_.describe_kernel(handle, facts)) return nullptr;
  const auto [first, last] = by_name_.equal_range(facts.name);
  if (first == last) return nullptr;
  const std::lock_guard lock(mutex_);
  auto known = devices_.find(device);
  if (known == devices_.end()) {
    DeviceFacts described;
    if (!api_.describe_device(device, described)) return nullptr;
    known = devices_.emplace(device, std::move(described)).first;
  }
  for (auto each = first; each != last; ++each) {
    const ProgramFile& file = *each->second;
    Result<PreparedKernel> prepared = PreparedKernel::prepare(file, facts, known->second);
    if (!prepared) {
      if (log_.enabled() && log_.first_time(hash_of(file.path + prepared.error().message))) {
        log_.line("%s: %s: %s; launches unchanged", facts.name.c_str(), file.path.c_str(),
                  prepared.error().message.c_str());
      }
      continue;
    }
    const std::string identity = file.path + '\n' + std::to_string(device) + '\n' +
                                 std::to_string(facts.max_threads) + '\n' +
                                 std::to_string(facts.max_dynamic_shared);
    std::unique_ptr<PreparedKernel>& kept = kernels_[identity];
    if (kept == nullptr) kept = std::make_unique<PreparedKernel>(std::move(*prepared));
    return kept.get();
  }
  return nullptr;
}

void Engine::choose(const PreparedKernel& kernel, const LaunchRequest& request,
                    const History::Key& key, History::Value& value) {
  PreparedKernel::Outcome outcome;
  kernel.choose(request.arguments, request.own, outcome);
  std::uint64_t wisdom_key = hash_combine(kernel.file().fingerprint, hash_of(kernel.device().name));
  for (std::size_t i = 1; i < key.size(); ++i) wisdom_key = hash_combine(wisdom_key, key[i]);

  bool from_wisdom = false;
  Extent block;
  Refinement* refinement = nullptr;
  if (outcome.reason == nullptr && wisdom_.find(wisdom_key, block)) {
    LaunchShape shape;
    from_wisdom = kernel.with_block(outcome, request.own, block, shape);
    if (from_wisdom) outcome.shape = shape;
  }
  outcome.changed = outcome.shape != request.own;
  if (settings_.mode == Settings::Mode::kRefine && outcome.reason == nullptr && !from_wisdom) {
    refinement = refinement_for(kernel, request.own, outcome, wisdom_key);
  }
  pack(outcome.shape, value[0], value[1], value[2]);
  value[3] = reinterpret_cast<std::uintptr_t>(refinement);
  history_.store(key, value);
  if (log_.enabled()) {
    std::uint64_t hash = wisdom_key;
    // One line per reason, not one per size.
    if (outcome.reason != nullptr) hash = hash_combine(key[0], hash_of(outcome.reason));
    if (log_.first_time(hash)) log_choice(kernel, request.own, outcome, from_wisdom);
  }
}

Refinement* Engine::refinement_for(const PreparedKernel& kernel, const LaunchShape& own,
                                   const PreparedKernel::Outcome& outcome,
                                   std::uint64_t wisdom_key) {
  std::array<LaunchShape, Refinement::kMaxShapes> shapes;
  std::size_t count = 0;
  for (std::size_t i = 0; i < outcome.alternative_count; ++i) {
    if (outcome.alternatives[i] != own) shapes[count++] = outcome.alternatives[i];
  }
  if (count == 0) return nullptr;
  shapes[count++] = own;
  const std::lock_guard lock(mutex_);
  const std::uint64_t key = hash_combine(wisdom_key, reinterpret_cast<std::uintptr_t>(&kernel));
  const auto found = refinements_.find(key);
  if (found != refinements_.end()) return found->second.get();
  if (refinements_.size() >= kMaxRefinements) return nullptr;
  auto created = std::make_unique<Refinement>(std::span(shapes).first(count), api_, wisdom_key);
  return refinements_.emplace(key, std::move(created)).first->second.get();
}

void Engine::refine(const PreparedKernel& kernel, const LaunchRequest& request,
                    const History::Key& key, Refinement& refinement, Decision& decision) {
  if (capture_begun_.load(std::memory_order_relaxed) ||
      (captures_.load(std::memory_order_relaxed) && api_.is_capturing(request.stream))) {
    decision.shape = refinement.best();
    return;
  }
  if (refinement.begin(decision.shape)) decision.timed = &refinement;
  Refinement::Result result;
  if (!refinement.take_winner(result)) return;
  History::Value value = {};
  pack(result.shape, value[0], value[1], value[2]);
  history_.store(key, value);
  const std::string& name = kernel.file().program.kernel;
  log_.line("%s: refined: block %u %u %u, %.2f us; the program's own %u %u %u, %.2f us",
            name.c_str(), result.shape.block[0], result.shape.block[1], result.shape.block[2],
            result.time_us, request.own.block[0], request.own.block[1], request.own.block[2],
            result.last_us);
  const burin::Result<void> added = wisdom_.add(
      refinement.key(),
      {result.shape.block, result.time_us, result.last_us, name + " " + kernel.device().name});
  if (!added && log_.first_time(hash_of(added.error().message))) {
    log_.line("%s; the winner is not kept", added.error().message.c_str());
  }
}

bool Engine::retreat(const LaunchRequest& request, const Decision& decision) noexcept {
  if (decision.timed != nullptr) decision.timed->abandon();
  if (!decision.changed) return false;
  try {
    const PreparedKernel* kernel = find_kernel(request.kernel, api_.device());
    PreparedKernel::RawSizes raw;
    History::Key key;
    if (kernel == nullptr || !pack_own(request.own, key[1], key[2], key[3]) ||
        !kernel->read(request.arguments, raw)) {
      return true;
    }
    key[0] = reinterpret_cast<std::uintptr_t>(kernel);
    for (std::size_t i = 0; i < raw.size(); ++i) key[4 + i] = raw[i];
    History::Value value = {};
    pack(request.own, value[0], value[1], value[2]);
    history_.store(key, value);
    if (log_.enabled() && log_.first_time(key[0])) {
      log_.line("%s: CUDA refused the chosen launch; the program's own is used",
                kernel->file().program.kernel.c_str());
    }
  } catch (const std::exception&) {
    // The program's own launch follows in any case.
  }
  return true;
}

void Engine::log_choice(const PreparedKernel& kernel, const LaunchShape& own,
                        const PreparedKernel::Outcome& outcome, bool from_wisdom) {
  const formula::RationalProgram& program = kernel.file().program;
  std::string sizes;
  for (std::size_t i = 0; i < outcome.size_count && i < program.sizes.size(); ++i) {
    sizes += (i > 0 ? ", " : " ") + program.sizes[i].name + "=" + std::to_string(outcome.sizes[i]);
  }
  const std::string& name = program.kernel;
  const Extent& from = own.block;
  if (outcome.reason != nullptr) {
    log_.line("%s%s: %s; launch unchanged", name.c_str(), sizes.c_str(), outcome.reason);
    return;
  }
  const std::string grade(from_wisdom ? "wisdom" : formula::name_of(outcome.grade));
  if (!outcome.changed) {
    log_.line("%s%s: block %u %u %u kept (%s)", name.c_str(), sizes.c_str(), from[0], from[1],
              from[2], grade.c_str());
    return;
  }
  const LaunchShape& to = outcome.shape;
  log_.line("%s%s: block %u %u %u -> %u %u %u, grid %u %u %u -> %u %u %u (%s)%s", name.c_str(),
            sizes.c_str(), from[0], from[1], from[2], to.block[0], to.block[1], to.block[2],
            own.grid[0], own.grid[1], own.grid[2], to.grid[0], to.grid[1], to.grid[2],
            grade.c_str(), settings_.mode == Settings::Mode::kLog ? ", not applied" : "");
}

}  // namespace burin::runtime
