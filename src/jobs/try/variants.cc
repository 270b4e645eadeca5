#include "jobs/try/variants.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/format.h"
#include "base/new_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/timings.h"
#include "gpu/worker/worker_device.h"
#include "read/program/names.h"
#include "toolchain/cache.h"
#include "toolchain/tools.h"

namespace burin::jobs {
namespace {

namespace fs = std::filesystem;

constexpr auto kKeepSources = std::chrono::hours(24);

std::string dims(launch::Dims d) {
  return fmt::format("{},{},{}", d.x, d.y, d.z);
}
std::string dims(const std::array<std::uint32_t, 3>& d) {
  return fmt::format("{},{},{}", d[0], d[1], d[2]);
}

// What decides the time of a launch: the code, what it needs, and the shape.
std::string identity(const read::Function& function, const launch::Launch& launch) {
  Sha256 hash;
  hash.add(function.code);
  for (const read::ConstantBank& bank : function.constants) {
    if (bank.bank != 0) hash.add(bank.contents);
  }
  hash.add(fmt::format("{} {} {} {} {} {} {}", function.registers, function.shared_bytes,
                       function.local_bytes, function.barriers, dims(launch.grid),
                       dims(launch.block), launch.shared_bytes));
  return hash.hex();
}

// Sources that earlier runs left, and that their results in the cache do not need.
void remove_old(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const fs::file_time_type changed = entry.last_write_time(ignored);
    if (!ignored && fs::file_time_type::clock::now() - changed > kKeepSources) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

std::string first_line(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return text;
  const std::size_t next = text.find_first_not_of(" \n", end);
  return next == std::string::npos ? text.substr(0, end)
                                   : text.substr(next, text.find('\n', next) - next);
}

}  // namespace

Variants::Variants(const VariantBase& base, TemporaryFolder folder)
    : base_(base), folder_(std::move(folder)) {
  PredictedVariant unchanged{.time_us = base.prediction.time_us,
                             .same_code = true,
                             .registers = base.code.function().registers,
                             .local_bytes = base.code.function().local_bytes};
  known_[identity(base.code.function(), base.launch)] = unchanged;
  const std::string here = gpu::path_of_this_program();
  // Another program would run itself again in place of a compiler process.
  pool_ = std::make_unique<toolchain::CompilePool>(
      file_name(here) == "burin" ? here : "", threads_,
      toolchain::CompileCache(toolchain::CompileCache::default_folder()));
}

Variants::~Variants() = default;

Result<std::unique_ptr<Variants>> Variants::open(const VariantBase& base) {
  if (const Result<std::string> nvcc = toolchain::find_tool("nvcc"); !nvcc) return nvcc.error();
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const std::string cache = toolchain::CompileCache::default_folder();
  if (!cache.empty()) remove_old(fs::path(cache) / "tried");
  return std::unique_ptr<Variants>(new Variants(base, std::move(*folder)));
}

Result<std::string> Variants::written(const std::string& text) {
  Sha256 hash;
  hash.add(text);
  const std::string cache = toolchain::CompileCache::default_folder();
  const std::string source = base_.request.launch.source.file;
  fs::path place = cache.empty() ? fs::path(folder_.path()) : fs::path(cache) / "tried";
  place /= hash.hex().substr(0, 24);
  std::error_code problem;
  fs::create_directories(place, problem);
  place /= std::string(file_name(source));
  if (fs::exists(place, problem)) {
    fs::last_write_time(place.parent_path(), fs::file_time_type::clock::now(), problem);
    return place.string();
  }
  Result<NewFile> file = NewFile::create(place.string());
  if (!file) return file.error();
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (Result<void> done = file->write(bytes); !done) return done.error();
  if (Result<void> done = file->finish(); !done) return done.error();
  return place.string();
}

Result<LaunchRequest> Variants::coarsened_request(
    const std::vector<coarsen::Coarsening>& coarsenings) {
  KernelSource source = base_.request.launch.source;
  source.gpu = base_.machine.arch;
  source.kernel = base_.code.function().name;
  if (!ptx_) ptx_.emplace(load_ptx(source, {}));
  if (!*ptx_) return ptx_->error();
  const launch::Launch& launch = base_.launch;
  const coarsen::LaunchShape shape{.grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                                   .block = {launch.block.x, launch.block.y, launch.block.z},
                                   .shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes)};
  const Result<coarsen::Coarsened> made =
      coarsen::coarsen((*ptx_)->text, (*ptx_)->kernel, shape, coarsenings);
  if (!made) return made.error();
  Sha256 hash;
  hash.add(made->ptx);
  const std::string path = fmt::format("{}/{}.ptx", folder_.path(), hash.hex().substr(0, 24));
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(made->ptx.data()), made->ptx.size());
  if (Result<void> done = file->write(bytes); !done) return done.error();
  if (Result<void> done = file->finish(); !done) return done.error();
  LaunchRequest request = base_.request.launch;
  request.source = {.file = path,
                    .kernel = (*ptx_)->kernel,
                    .arch = base_.request.launch.source.arch,
                    .flags = {},
                    .gpu = base_.machine.arch};
  request.grid = dims(made->launch.grid);
  request.block = dims(made->launch.block);
  request.shared_bytes = std::to_string(made->launch.shared_bytes);
  return request;
}

Result<LaunchRequest> Variants::request_of(const Variant& variant) {
  LaunchRequest request = base_.request.launch;
  request.source.gpu = base_.machine.arch;
  request.source.kernel = std::string(read::bare_name(base_.code.function().demangled));
  std::vector<advise::TextEdit> edits;
  for (const advise::Change* change : variant) {
    if (!change->coarsenings.empty()) return coarsened_request(change->coarsenings);
    edits.insert(edits.end(), change->edits.begin(), change->edits.end());
    std::ranges::copy(change->flags, std::back_inserter(request.source.flags));
    if (change->grid) request.grid = dims(*change->grid);
    if (change->block) request.block = dims(*change->block);
  }
  if (edits.empty()) return request;
  const Result<std::string> text = advise::apply_edits(base_.source.text(), edits);
  if (!text) return text.error();
  const Result<std::string> path = written(*text);
  if (!path) return path.error();
  std::error_code ignored;
  // Headers beside the source are still found.
  const fs::path folder = fs::absolute(request.source.file, ignored).parent_path();
  request.source.flags.push_back("-I" + folder.string());
  request.source.file = *path;
  return request;
}

PredictedVariant Variants::predict_one(const LaunchRequest& request) {
  PredictedVariant found;
  const Result<LoadedLaunch> loaded = load_launch(request, {});
  if (!loaded) {
    found.refused = first_line(loaded.error().message);
    return found;
  }
  const read::Function& function = loaded->loaded->function();
  const std::string key = identity(function, loaded->launch);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
  }
  found.registers = function.registers;
  found.local_bytes = function.local_bytes;
  const Timed timed("predict");
  timing::PredictOptions options = base_.options;
  options.threads = 1;  // other variants are predicted at the same time
  const Result<timing::Prediction> prediction =
      timing::predict(loaded->loaded->kernel, loaded->launch, base_.machine, options);
  if (!prediction) {
    found.refused = prediction.error().message;
  } else if (!prediction->faults.empty() && base_.prediction.faults.empty()) {
    found.refused = "the changed kernel has memory errors";
  } else {
    found.time_us = prediction->time_us;
  }
  const std::lock_guard lock(mutex_);
  known_[key] = found;
  return found;
}

std::vector<PredictedVariant> Variants::predict(std::span<const Variant> wanted,
                                                Clock::time_point deadline,
                                                const Progress& progress) {
  std::vector<PredictedVariant> found(wanted.size());
  std::map<toolchain::CompilePool::Ticket, std::pair<std::size_t, LaunchRequest>> waiting;
  std::size_t done = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const Result<LaunchRequest> request = request_of(wanted[k]);
    if (!request) {
      found[k].refused = first_line(request.error().message);
      ++done;
      continue;
    }
    const KernelSource& source = request->source;
    toolchain::CompileRequest compile{.source = source.file, .arch = source.arch};
    compile.flags = source.flags;
    if (!is_cuda_source(source.file)) compile.language = toolchain::CompileRequest::Language::kPtx;
    if (compile.arch.empty() && source.gpu &&
        read::to_string(*source.gpu) != toolchain::kDefaultArch) {
      compile.arch = read::to_string(*source.gpu);
    }
    waiting.emplace(pool_->submit(std::move(compile)), std::pair(k, *request));
    ++compiled_;
  }
  progress.step("trying changes:", done, wanted.size());
  std::mutex waits;  // only one thread waits for the pool: a result is taken once
  std::mutex mutex;  // of `waiting`, `found`, `done` and `progress`
  // Each thread predicts what is compiled, while the pool compiles the rest.
  const auto work = [&] {
    while (true) {
      std::unique_lock one_waits(waits);
      const auto left = std::chrono::duration<double>(deadline - Clock::now()).count();
      const auto ticket = left > 0 ? pool_->wait_any(left) : std::nullopt;
      if (!ticket) return;
      const std::optional<toolchain::CompileResult> made = pool_->try_take(*ticket);
      one_waits.unlock();
      std::unique_lock lookup(mutex);
      const auto at = waiting.find(*ticket);
      if (!made || at == waiting.end()) continue;
      const auto [k, request] = at->second;
      lookup.unlock();
      PredictedVariant variant;
      if (*made) {
        variant = predict_one(request);
      } else {
        variant.refused = "does not compile: " + first_line(made->error().message);
      }
      const std::lock_guard lock(mutex);
      found[k] = std::move(variant);
      waiting.erase(*ticket);
      progress.step("trying changes:", ++done, wanted.size());
    }
  };
  {
    std::vector<std::jthread> threads(threads_);
    for (std::jthread& thread : threads) thread = std::jthread(work);
  }
  for (const auto& [ticket, rest] : waiting) pool_->cancel(ticket);
  progress.done();
  return found;
}

}  // namespace burin::jobs
