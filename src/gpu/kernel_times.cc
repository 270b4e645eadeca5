#include "gpu/kernel_times.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <thread>

#include "base/format.h"
#include "gpu/library.h"

namespace burin::gpu {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::uint32_t kKernelKind = 3;             // CUPTI_ACTIVITY_KIND_KERNEL
constexpr std::uint32_t kConcurrentKernelKind = 10;  // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
constexpr std::uint32_t kForceFlush = 1;             // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
// Of a kernel that has ended CUPTI may still wait for the stamps; a forced flush would hand its
// record out without them, and for good.
constexpr std::uint32_t kFlushComplete = 0;
constexpr std::chrono::milliseconds kPatience{200};

// How every version of CUPTI_ActivityKernel since the fourth begins; newer ones add at the end.
struct KernelRecord {
  std::uint32_t kind;
  std::uint32_t before_start[3];
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint32_t before_name[18];
  const char* name;
};
static_assert(offsetof(KernelRecord, start_ns) == 16 && offsetof(KernelRecord, name) == 104);

struct Seen {
  std::string name;
  std::uint64_t start_ns;
  std::uint64_t end_ns;
};

using RequestBuffer = void(std::uint8_t**, std::size_t*, std::size_t*);
using CompleteBuffer = void(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

struct Cupti {
  int (*enable)(std::uint32_t) = nullptr;
  int (*disable)(std::uint32_t) = nullptr;
  int (*register_callbacks)(RequestBuffer*, CompleteBuffer*) = nullptr;
  int (*next_record)(std::uint8_t*, std::size_t, std::uint32_t**) = nullptr;
  int (*flush)(std::uint32_t) = nullptr;
  int (*result_string)(int, const char**) = nullptr;
};

// CUPTI's callbacks carry no pointer of ours, and come from threads of its own.
Cupti cupti;
std::mutex seen_mutex;
std::vector<Seen> seen;

void give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // as many as fit
}

void take_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  const std::lock_guard lock(seen_mutex);
  std::uint32_t* record = nullptr;
  while (cupti.next_record(buffer, valid, &record) == 0) {
    const auto* kernel = reinterpret_cast<const KernelRecord*>(record);
    if (kernel->kind != kKernelKind && kernel->kind != kConcurrentKernelKind) continue;
    if (kernel->name == nullptr || kernel->start_ns == 0 || kernel->end_ns == 0) continue;
    seen.push_back({kernel->name, kernel->start_ns, kernel->end_ns});
  }
  std::free(buffer);
}

std::string words(int status) {
  const char* said = nullptr;
  if (cupti.result_string != nullptr) cupti.result_string(status, &said);
  return said == nullptr ? fmt::format("error {}", status) : said;
}

}  // namespace

KernelTimes::KernelTimes(const std::vector<std::string>& names) {
  const Library library = Library::open(names);
  if (!library) {
    problem_ = "libcupti not found (it is part of the CUDA toolkit)";
    return;
  }
  cupti.enable = library.symbol<int(std::uint32_t)>("cuptiActivityEnable");
  cupti.disable = library.symbol<int(std::uint32_t)>("cuptiActivityDisable");
  cupti.register_callbacks =
      library.symbol<int(RequestBuffer*, CompleteBuffer*)>("cuptiActivityRegisterCallbacks");
  cupti.next_record = library.symbol<int(std::uint8_t*, std::size_t, std::uint32_t**)>(
      "cuptiActivityGetNextRecord");
  cupti.flush = library.symbol<int(std::uint32_t)>("cuptiActivityFlushAll");
  cupti.result_string = library.symbol<int(int, const char**)>("cuptiGetResultString");
  if (!cupti.enable || !cupti.disable || !cupti.register_callbacks || !cupti.next_record ||
      !cupti.flush) {
    problem_ = "this libcupti has no activity records";
    return;
  }
  int status = cupti.register_callbacks(give_buffer, take_buffer);
  if (status == 0) status = cupti.enable(kConcurrentKernelKind);
  if (status != 0) problem_ = "CUPTI error: " + words(status);
}

KernelTimes::~KernelTimes() {
  if (!problem_.empty()) return;
  cupti.disable(kConcurrentKernelKind);
  cupti.flush(kForceFlush);
}

void KernelTimes::forget() {
  if (!problem_.empty()) return;
  cupti.flush(kFlushComplete);
  const std::lock_guard lock(seen_mutex);
  seen.clear();
}

std::vector<KernelSpan> KernelTimes::last(std::size_t count, std::string_view apart_from) {
  if (!problem_.empty()) return {};
  std::vector<Seen> found;
  const auto collect = [&](std::uint32_t how) {
    cupti.flush(how);
    const std::lock_guard lock(seen_mutex);
    std::ranges::copy_if(seen, std::back_inserter(found),
                         [&](const Seen& record) { return record.name != apart_from; });
    seen.clear();
  };
  const auto until = std::chrono::steady_clock::now() + kPatience;
  collect(kFlushComplete);
  while (found.size() < count && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    collect(kFlushComplete);
  }
  if (found.size() < count) collect(kForceFlush);
  std::ranges::sort(found, {}, &Seen::start_ns);
  if (found.size() > count)
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(count));
  std::vector<KernelSpan> spans;
  for (const Seen& record : found) spans.push_back({record.start_ns, record.end_ns});
  return spans;
}

}  // namespace burin::gpu
