#include "gpu/record/ranges.h"

#include <cstddef>
#include <list>
#include <mutex>

namespace burin::gpu {
namespace {

// NVTX's binary interface, after its public headers.
constexpr std::uint32_t kCallbacksTable = 1;
enum Module : int { kCore = 1, kCore2 = 5 };
enum CoreFunction : unsigned {
  kRangePushEx = 8,
  kRangePushA = 9,
  kRangePushW = 10,
  kRangePop = 11
};
enum Core2Function : unsigned { kDomainPushEx = 4, kDomainPop = 5, kDomainRegisterStringA = 10 };
enum MessageType : std::int32_t { kAscii = 1, kUnicode = 2, kRegistered = 3 };

struct Attributes {  // nvtxEventAttributes_t
  std::uint16_t version, size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type, reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  const void* message;
};
static_assert(offsetof(Attributes, message) == 40);

struct Callbacks {  // NvtxExportTableCallbacks
  std::size_t size;
  int (*function_table)(int module, void**** table, unsigned* size);
};

thread_local std::vector<std::string> ranges;

int push(std::string name) {
  ranges.push_back(std::move(name));
  return static_cast<int>(ranges.size()) - 1;
}

std::string narrow(const wchar_t* text) {
  std::string name;
  for (; text != nullptr && *text != 0; ++text) {
    name += *text < 128 ? static_cast<char>(*text) : '?';
  }
  return name;
}

int push_ascii(const char* text) {
  return push(text == nullptr ? "" : text);
}

int push_wide(const wchar_t* text) {
  return push(narrow(text));
}

int push_attributes(const Attributes* attributes) {
  if (attributes == nullptr || attributes->message == nullptr) return push("");
  switch (attributes->message_type) {
    case kAscii:
    case kRegistered:  // what register_string gave
      return push_ascii(static_cast<const char*>(attributes->message));
    case kUnicode:
      return push_wide(static_cast<const wchar_t*>(attributes->message));
    default:
      return push("");
  }
}

int pop() {
  if (ranges.empty()) return -1;
  ranges.pop_back();
  return static_cast<int>(ranges.size());
}

int push_in_domain(void*, const Attributes* attributes) {
  return push_attributes(attributes);
}

int pop_in_domain(void*) {
  return pop();
}

const void* register_string(void*, const char* text) {
  static std::mutex mutex;
  static auto* texts = new std::list<std::string>;  // handles stay valid until the process ends
  const std::lock_guard lock(mutex);
  return texts->emplace_back(text == nullptr ? "" : text).c_str();
}

template <typename Function>
void put(void*** table, unsigned size, unsigned index, Function* function) {
  if (index < size && table[index] != nullptr) {
    *table[index] = reinterpret_cast<void*>(function);
  }
}

}  // namespace

const std::vector<std::string>& nvtx_ranges() {
  return ranges;
}

int attach_to_nvtx(NvtxExportTable* export_table) {
  const auto* callbacks = export_table == nullptr
                              ? nullptr
                              : static_cast<const Callbacks*>(export_table(kCallbacksTable));
  if (callbacks == nullptr || callbacks->size < sizeof(Callbacks)) return 0;
  void*** table = nullptr;
  unsigned size = 0;
  if (callbacks->function_table(kCore, &table, &size) == 0) return 0;
  put(table, size, kRangePushEx, push_attributes);
  put(table, size, kRangePushA, push_ascii);
  put(table, size, kRangePushW, push_wide);
  put(table, size, kRangePop, pop);
  if (callbacks->function_table(kCore2, &table, &size) != 0) {
    put(table, size, kDomainPushEx, push_in_domain);
    put(table, size, kDomainPop, pop_in_domain);
    put(table, size, kDomainRegisterStringA, register_string);
  }
  return 1;
}

}  // namespace burin::gpu
