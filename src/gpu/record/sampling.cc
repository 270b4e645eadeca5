#include "gpu/record/sampling.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "gpu/record/driver/refusal.h"

namespace burin::gpu {
namespace {

constexpr std::size_t kRoom = 4096;               // PCs of one drain
constexpr std::uint64_t kSleepMilliseconds = 20;  // of CUPTI's threads that empty it
// Seen on an H200 under full load: 2^11 cycles, CUPTI's own choice, overruns the buffer within half
// a second, and then there are no samples at all.
constexpr std::uint64_t kUsualPeriod = 16;
// Of the GPU's memory, for each context: no sample was lost under full load with 512 MiB every 2^13
// cycles. A launch costs more the larger it is, so that rarer samples get less.
constexpr std::size_t kMaxHardwareBytes = 512 << 20, kMinHardwareBytes = 32 << 20;
constexpr std::uint64_t kFullPeriod = 13;
constexpr std::size_t kNameBytes = 128;
constexpr auto kSamplingPatience = std::chrono::seconds(5);
constexpr int kMaxDrains = 4096;  // at once: no drain goes on for ever
constexpr std::uint64_t kContinuous = 1, kSerialized = 2;

// Every parameter structure carries the size up to its last field, which for these is all of it.
template <typename Parameters>
Parameters call_on(void* context) {
  Parameters parameters{};
  if constexpr (std::is_same_v<Parameters, CuptiSamplingCall>) {
    parameters = {sizeof(Parameters), nullptr, context};
  } else {
    parameters.call = {sizeof(Parameters), nullptr, context};
  }
  return parameters;
}

}  // namespace

// Room for PCs and their stall reasons, as CUPTI fills it.
class SamplingBuffer {
 public:
  explicit SamplingBuffer(std::size_t reasons) : stalls_(kRoom * reasons), pcs_(kRoom) {
    for (std::size_t i = 0; i < kRoom; ++i) {
      pcs_[i].size = sizeof(CuptiSamplingPc);
      pcs_[i].stalls = stalls_.data() + i * reasons;
    }
    data_.size = sizeof(CuptiSamplingData);
    data_.room = kRoom;
    data_.pcs = pcs_.data();
  }
  CuptiSamplingData& data() { return data_; }

 private:
  std::vector<CuptiSamplingStall> stalls_;
  std::vector<CuptiSamplingPc> pcs_;
  CuptiSamplingData data_{};
};

struct Sampling::Context {
  void* handle = nullptr;
  std::uint32_t id = 0;
  std::uint32_t device = 0;
  std::vector<std::uint32_t> reasons{};  // CUPTI's index of each
  std::vector<std::string> names{};
  std::unique_ptr<SamplingBuffer> drained{},
      last{};  // `last` is what CUPTI leaves when sampling ends
};

Sampling::Sampling(const Cupti& cupti, const RecordDriver& driver, capture::SpoolWriter& out,
                   const RecordSettings& settings, Warn warn)
    : cupti_(cupti), driver_(driver), out_(out), settings_(settings), warn_(std::move(warn)) {}

Sampling::~Sampling() = default;

CuptiStatus Sampling::read_reasons(Context& context) {
  std::size_t count = 0;
  auto counted = call_on<CuptiSamplingReasonCount>(context.handle);
  counted.count = &count;
  if (const CuptiStatus status = cupti_.sampling_reason_count(&counted); status != 0) return status;
  std::vector<std::uint32_t> indices(count);
  std::vector<char> text(count * kNameBytes);
  std::vector<char*> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = text.data() + i * kNameBytes;
  auto named = call_on<CuptiSamplingReasons>(context.handle);
  named.count = count;
  named.indices = indices.data();
  named.names = names.data();
  if (const CuptiStatus status = cupti_.sampling_reasons(&named); status != 0) return status;
  context.reasons = indices;
  for (const char* name : names) context.names.emplace_back(name);
  return 0;
}

CuptiStatus Sampling::configure(Context& context) {
  std::vector<CuptiSamplingSetting> settings;
  const auto set = [&](std::uint32_t attribute, std::uint64_t value, std::uint64_t second = 0) {
    settings.push_back({attribute, 0, {value, second, 0}});
  };
  set(CuptiSamplingSetting::kReasons, context.reasons.size(),
      reinterpret_cast<std::uint64_t>(context.reasons.data()));
  set(CuptiSamplingSetting::kMode, settings_.serialize ? kSerialized : kContinuous);
  const std::uint64_t period = settings_.period != 0 ? settings_.period : kUsualPeriod;
  const std::uint64_t rarer = period - std::min(period, kFullPeriod);
  set(CuptiSamplingSetting::kHardwareBytes,
      std::max(kMaxHardwareBytes >> rarer, kMinHardwareBytes));
  set(CuptiSamplingSetting::kDataBuffer, reinterpret_cast<std::uint64_t>(&context.last->data()));
  set(CuptiSamplingSetting::kSleepMilliseconds, kSleepMilliseconds);
  set(CuptiSamplingSetting::kPeriod, period);
  auto call = call_on<CuptiSamplingConfiguration>(context.handle);
  call.count = settings.size();
  call.settings = settings.data();
  if (const CuptiStatus status = cupti_.sampling_configure(&call); status != 0) return status;

  CuptiSamplingSetting chosen{CuptiSamplingSetting::kPeriod, 0, {}};
  call.count = 1;
  call.settings = &chosen;
  const bool warn = cupti_.sampling_configuration(&call) == 0;
  const auto exponent = static_cast<std::uint32_t>(warn ? chosen.value[0] : period);
  out_.add(capture::SpoolSampling{context.device, context.id, exponent < 32 ? 1u << exponent : 0,
                                  settings_.serialize ? 1u : 0u, context.names});
  return 0;
}

bool Sampling::claim(std::uint32_t device) {
  char bus[64] = "";
  const auto known = claims_.find(device);
  if (known != claims_.end()) return static_cast<bool>(known->second);
  if (driver_.device_bus_id(bus, sizeof bus, static_cast<int>(device)) != 0) return true;
  return static_cast<bool>(claims_.emplace(device, DeviceClaim::take(bus)).first->second);
}

void Sampling::begin(void* context, std::uint32_t context_id, std::uint32_t device) {
  const std::unique_lock lock(mutex_, kSamplingPatience);
  if (!lock) {
    return warn_(
        capture::SpoolProblem{.what = capture::SpoolProblem::kTimedOut,
                              .sentence = "a context is not sampled: CUPTI was busy too long"});
  }
  if (cupti_.sampling_enable == nullptr || cupti_.sampling_data == nullptr ||
      cupti_.sampling_configure == nullptr || cupti_.sampling_reasons == nullptr) {
    return warn_(
        capture::SpoolProblem{.what = capture::SpoolProblem::kNoCupti,
                              .sentence = "this libcupti has no PC sampling; CUDA 12's has"});
  }
  if (!claim(device)) {
    return warn_(capture::SpoolProblem{
        .what = capture::SpoolProblem::kSampledElsewhere,
        .sentence =
            "another recorded process is sampling this GPU, and CUPTI samples one process per GPU "
            "at a time, so this process has no samples; launches and times are complete. To sample "
            "all processes, record them one after the other, or each on its own GPU"});
  }
  auto enable = call_on<CuptiSamplingCall>(context);
  if (const CuptiStatus status = cupti_.sampling_enable(&enable); status != 0) {
    return warn_(refusal(cupti_, status, "samples", "cuptiPCSamplingEnable"));
  }
  Context& sampled = contexts_.emplace_back();
  sampled.handle = context;
  sampled.id = context_id;
  sampled.device = device;
  CuptiStatus status = read_reasons(sampled);
  if (status == 0) {
    sampled.drained = std::make_unique<SamplingBuffer>(sampled.reasons.size());
    sampled.last = std::make_unique<SamplingBuffer>(sampled.reasons.size());
    status = configure(sampled);
  }
  if (status == 0) return;
  warn_(refusal(cupti_, status, "samples", "the configuration of PC sampling"));
  cupti_.sampling_disable(&enable);
  contexts_.pop_back();
}

void Sampling::write(Context& context, CuptiSamplingData& data) {
  capture::SpoolSamples batch;
  batch.context = context.id;
  batch.total = data.total;
  batch.dropped = data.dropped;
  batch.not_user = data.not_user;
  batch.buffer_full = data.buffer_full;
  lost_ += data.dropped;
  if (data.buffer_full != 0) {
    warn_(capture::SpoolProblem{
        .what = capture::SpoolProblem::kSamplesLost,
        .sentence =
            "the hardware sample buffer overflowed and samples were lost; use a longer --period"});
  }
  std::map<std::pair<std::uint64_t, const char*>, std::uint32_t> functions;
  for (std::size_t i = 0; i < std::min(data.pc_count, kRoom); ++i) {
    const CuptiSamplingPc& pc = data.pcs[i];
    const char* name = pc.function_name == nullptr ? "" : pc.function_name;
    const auto [at, is_new] =
        functions.try_emplace({pc.crc, name}, static_cast<std::uint32_t>(batch.functions.size()));
    if (is_new) batch.functions.push_back({pc.crc, name});
    capture::SpoolSample& sample = batch.samples.emplace_back();
    sample.function = at->second;
    sample.correlation = pc.correlation;
    sample.offset = pc.offset;
    for (std::size_t k = 0; k < std::min(pc.stall_count, context.reasons.size()); ++k) {
      if (pc.stalls[k].samples == 0) continue;
      const auto reason =
          std::find(context.reasons.begin(), context.reasons.end(), pc.stalls[k].reason);
      sample.stalls.push_back(
          {static_cast<std::uint32_t>(reason - context.reasons.begin()), pc.stalls[k].samples});
    }
  }
  if (batch.total != 0 || !batch.samples.empty() || batch.buffer_full != 0) out_.add(batch);
}

void Sampling::drain(Context& context) {
  for (int i = 0; i < kMaxDrains; ++i) {
    auto get = call_on<CuptiSamplingGetData>(context.handle);
    get.data = &context.drained->data();
    const CuptiStatus status = cupti_.sampling_data(&get);
    if (status != 0 && status != CuptiError::kOutOfMemory) return;
    write(context, *get.data);
    if (get.data->remaining == 0 || get.data->pc_count == 0) return;
  }
}

void Sampling::drain() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  for (Context& context : contexts_) drain(context);
}

void Sampling::end(void* context) {
  const std::unique_lock lock(mutex_, kSamplingPatience);
  if (!lock) return;
  for (auto at = contexts_.begin(); at != contexts_.end();) {
    if (context != nullptr && at->handle != context) {
      ++at;
      continue;
    }
    drain(*at);
    auto disable = call_on<CuptiSamplingCall>(at->handle);
    at->last->data().pc_count = 0;
    if (cupti_.sampling_disable(&disable) == 0) write(*at, at->last->data());
    at = contexts_.erase(at);
  }
}

}  // namespace burin::gpu
