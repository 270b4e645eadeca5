#include "runtime/engine.h"

#include <array>
#include <bit>
#include <cstdio>
#include <exception>

#include "base/bytes.h"
#include "base/hash.h"

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
      wisdom_(settings_.wisdom) {
  if (!settings_.problem.empty()) log_.line("%s", settings_.problem.c_str());
  if (settings_.mode == Settings::Mode::kOff) return;
  files_ = load_program_files(settings_.path);
  for (const std::string& problem : files_.problems) {
    log_.line("%s; file ignored", problem.c_str());
  }
  for (const ProgramFile& file : files_.files) by_name_.emplace(file.program.kernel, &file);
  hot_.active = !files_.files.empty();
  hot_.graphs = settings_.graphs;
  hot_.device = api_.device;
  hot_.is_capturing = api_.is_capturing;
}

Engine::Decision Engine::decide_slowly(const LaunchRequest& request) noexcept {
  Decision decision;
  decision.shape = request.own;
  try {
    const int device = current_device();
    if (device < 0) return decision;
    const PreparedKernel* kernel = find_kernel(request.kernel, device);
    History::Key key;
    if (kernel == nullptr || !key_of(*kernel, request, key)) return decision;
    if (is_captured(request)) {
      if (log_.enabled() && log_.first_time(hash_combine(key[0], hash_of("captured")))) {
        log_.line("%s: captured into a graph; launch unchanged (BURIN_LAUNCH_GRAPHS=on changes it)",
                  kernel->file().program.kernel.c_str());
      }
      return decision;
    }
    History::Value value;
    Refinement* refinement = nullptr;
    if (history_.find(key, value)) {
      decision.shape = unpack({value[0], value[1]});
      refinement = reinterpret_cast<Refinement*>(value[2]);
      if (refinement == nullptr) remember_recent(*kernel, request, key, {value[0], value[1]});
    } else {
      choose(*kernel, request, key, decision.shape, refinement);
    }
    if (refinement != nullptr) refine(*kernel, request, key, *refinement, decision);
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

int Engine::current_device() {
  if (hot_.single_device.load(std::memory_order_relaxed)) return 0;
  if (api_.device_count != nullptr && api_.device_count() == 1) {
    hot_.single_device.store(true, std::memory_order_relaxed);
    return 0;
  }
  return api_.device();
}

bool Engine::key_of(const PreparedKernel& kernel, const LaunchRequest& request,
                    History::Key& key) const {
  PackedShape own;
  PreparedKernel::RawSizes raw;
  if (!pack(request.own, own) || !kernel.read(request.arguments, raw)) return false;
  key[0] = reinterpret_cast<std::uintptr_t>(&kernel);
  key[1] = own.grid;
  key[2] = own.block;
  for (std::size_t i = 0; i < raw.size(); ++i) key[3 + i] = raw[i];
  return true;
}

// What later launches with this key find. While a refinement goes on they must not be found among
// the recent ones.
void Engine::remember(const PreparedKernel& kernel, const LaunchRequest& request,
                      const History::Key& key, const LaunchShape& shape, Refinement* refinement) {
  PackedShape packed;
  if (!pack(shape, packed)) return;
  history_.store(key, {packed.grid, packed.block, reinterpret_cast<std::uintptr_t>(refinement)});
  if (refinement == nullptr) remember_recent(kernel, request, key, packed);
}

void Engine::remember_recent(const PreparedKernel& kernel, const LaunchRequest& request,
                             const History::Key& key, const PackedShape& shape) {
  const ArgumentRecipe recipe = kernel.recipe();
  Recent::Key recent = {key[0], key[1], key[2]};
  if (recipe.usable() && request.arguments.pointers != nullptr &&
      recipe.read(request.arguments.pointers, recent[3])) {
    hot_.recent.store(recent, {shape.grid, shape.block});
  }
}

const PreparedKernel* Engine::find_kernel(const void* handle, int device) {
  const Handles::Key key = handle_key(handle, device);
  Handles::Value value;
  if (!hot_.handles.find(key, value)) {
    const PreparedKernel* const kernel = resolve(handle, device);
    value = {reinterpret_cast<std::uintptr_t>(kernel),
             kernel == nullptr ? ArgumentRecipe::kUnusable : kernel->recipe().word()};
    hot_.handles.store(key, value);
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
                    const History::Key& key, LaunchShape& shape, Refinement*& refinement) {
  PreparedKernel::Outcome outcome;
  kernel.choose(request.arguments, request.own, outcome);
  std::uint64_t wisdom_key = hash_combine(kernel.file().fingerprint, hash_of(kernel.device().name));
  for (std::size_t i = 1; i < key.size(); ++i) wisdom_key = hash_combine(wisdom_key, key[i]);

  bool from_wisdom = false;
  Extent block;
  if (outcome.reason == nullptr && wisdom_.find(wisdom_key, block)) {
    LaunchShape winner;
    from_wisdom = kernel.with_block(outcome, request.own, block, winner);
    if (from_wisdom) outcome.shape = winner;
  }
  outcome.changed = outcome.shape != request.own;
  if (settings_.mode == Settings::Mode::kRefine && outcome.reason == nullptr && !from_wisdom) {
    refinement = refinement_for(kernel, request.own, outcome, wisdom_key);
  }
  shape = settings_.mode == Settings::Mode::kLog ? request.own : outcome.shape;
  remember(kernel, request, key, shape, refinement);
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
  const bool is_watched = hot_.captures.load(std::memory_order_relaxed);
  if (capture_begun_.load(std::memory_order_relaxed) ||
      (is_watched && request.stream != nullptr && api_.is_capturing(request.stream))) {
    decision.shape = refinement.best();
    return;
  }
  if (refinement.begin(decision.shape)) decision.timed = &refinement;
  Refinement::Result result;
  if (!refinement.take_winner(result)) return;
  remember(kernel, request, key, result.shape, nullptr);
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
    const PreparedKernel* kernel = find_kernel(request.kernel, current_device());
    History::Key key;
    if (kernel == nullptr || !key_of(*kernel, request, key)) return true;
    remember(*kernel, request, key, request.own, nullptr);
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
