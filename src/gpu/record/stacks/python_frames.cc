#include "gpu/record/stacks/python_frames.h"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>

#include "gpu/record/stacks/frame_tables.h"

namespace burin::gpu {
namespace {

constexpr std::size_t kMaxPythonFrames = 96;
constexpr std::uint8_t kNoFunction = 3;       // a frame where C calls the interpreter
constexpr std::size_t kType = 8;              // in every object
constexpr std::size_t kTextState = 32;        // in a text
constexpr std::uint32_t kPlainText = 3 << 5;  // it is in one piece, and all of it is ASCII

// Where the interpreter has what: offsets in the structures of the C headers.
struct Layout {
  unsigned long version;                           // 0x030b: 3.11
  std::size_t thread_frame;                        // in the thread's state
  std::optional<std::size_t> in_that;              // one pointer farther
  std::size_t code, previous, instruction, owner;  // in a frame
  std::size_t instructions;                        // in a code object
};
constexpr Layout kLayouts[] = {
    {0x030b, 56, 8, 32, 48, 56, 69, 184},
    {0x030c, 56, 0, 0, 8, 56, 70, 192},
    {0x030d, 72, std::nullopt, 0, 8, 56, 70, 200},
};
constexpr std::size_t kFile = 112, kName = 128;  // in a code object, of all of them

template <typename T>
T at(std::uintptr_t address) {
  T value;
  std::memcpy(&value, pointer_to<char>(address), sizeof value);
  return value;
}

// As above, but an address that is none is no harm.
template <typename T>
std::optional<T> try_at(std::uintptr_t address) {
  T value;
  iovec here{&value, sizeof value};
  iovec there{const_cast<char*>(pointer_to<char>(address)), sizeof value};
  if (::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) != sizeof value) return std::nullopt;
  return value;
}

// The interpreter's functions, and the layout of its version; null where there is none.
struct Interpreter {
  const Layout* layout = nullptr;
  void* (*thread_state)() = nullptr;
  int (*line)(const void* code, int offset) = nullptr;
  const char* (*text)(const void* text) = nullptr;
  std::uintptr_t code_type = 0, text_type = 0;
  std::uintptr_t begin = 0;  // where its code is loaded

  std::uintptr_t current_frame() const {
    const auto thread = reinterpret_cast<std::uintptr_t>(thread_state());
    if (thread == 0) return 0;
    const auto frame = at<std::uintptr_t>(thread + layout->thread_frame);
    return frame != 0 && layout->in_that ? at<std::uintptr_t>(frame + *layout->in_that) : frame;
  }
};

enum class Reading : std::uint8_t { kOpen, kUnderstood, kStrange };

// A build may differ from the headers: the current frame must lead to code with a file and a name.
Reading judge(const Interpreter& python) {
  const Layout& layout = *python.layout;
  const auto thread = reinterpret_cast<std::uintptr_t>(python.thread_state());
  auto frame = try_at<std::uintptr_t>(thread + layout.thread_frame);
  if (frame && layout.in_that) frame = try_at<std::uintptr_t>(*frame + *layout.in_that);
  while (frame && try_at<std::uint8_t>(*frame + layout.owner).value_or(0) == kNoFunction) {
    frame = try_at<std::uintptr_t>(*frame + layout.previous);
  }
  if (!frame) return Reading::kStrange;
  if (*frame == 0) return Reading::kOpen;  // nothing of Python's runs in this thread
  const auto type = [](std::optional<std::uintptr_t> object) {
    return object ? try_at<std::uintptr_t>(*object + kType).value_or(0) : 0;
  };
  const auto code = try_at<std::uintptr_t>(*frame + layout.code);
  const bool is_known = code && type(code) == python.code_type &&
                        type(try_at<std::uintptr_t>(*code + kFile)) == python.text_type &&
                        type(try_at<std::uintptr_t>(*code + kName)) == python.text_type;
  return is_known ? Reading::kUnderstood : Reading::kStrange;
}

template <typename Function>
void find(const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

Interpreter find_interpreter() {
  Interpreter python;
  const unsigned long* version = nullptr;
  find("Py_Version", version);
  find("PyGILState_GetThisThreadState", python.thread_state);
  find("PyCode_Addr2Line", python.line);
  find("PyUnicode_AsUTF8", python.text);
  find("PyCode_Type", python.code_type);
  find("PyUnicode_Type", python.text_type);
  if (version == nullptr || python.thread_state == nullptr || python.line == nullptr ||
      python.text == nullptr) {
    return {};
  }
  const auto* layout = std::find_if(std::begin(kLayouts), std::end(kLayouts),
                                    [&](const Layout& l) { return l.version == *version >> 16; });
  const auto object = loaded_object(reinterpret_cast<std::uintptr_t>(python.line));
  if (layout == std::end(kLayouts) || !object) return {};
  python.layout = layout;
  python.begin = object->begin;
  return python;
}

// Null where there is none, or this thread is none of its own.
const Interpreter* interpreter() {
  static const Interpreter found = find_interpreter();
  static std::atomic<Reading> reading = Reading::kOpen;
  if (found.layout == nullptr || found.thread_state() == nullptr) return nullptr;
  if (reading == Reading::kOpen) reading = judge(found);
  return reading == Reading::kUnderstood ? &found : nullptr;
}

// "?" for a text that only the interpreter itself may turn into bytes.
std::string text_in(const Interpreter& python, std::uintptr_t address) {
  const auto text = at<std::uintptr_t>(address);
  const bool is_plain = text != 0 && at<std::uintptr_t>(text + kType) == python.text_type &&
                        (at<std::uint32_t>(text + kTextState) & kPlainText) == kPlainText;
  const char* bytes = is_plain ? python.text(pointer_to<char>(text)) : nullptr;
  return bytes == nullptr ? "?" : bytes;
}

}  // namespace

std::vector<PythonFrame> python_frames() {
  std::vector<PythonFrame> found;
  const Interpreter* python = interpreter();
  if (python == nullptr) return found;
  const Layout& layout = *python->layout;
  for (std::uintptr_t frame = python->current_frame();
       frame != 0 && found.size() < kMaxPythonFrames;
       frame = at<std::uintptr_t>(frame + layout.previous)) {
    if (at<std::uint8_t>(frame + layout.owner) == kNoFunction) continue;
    const auto code = at<std::uintptr_t>(frame + layout.code);
    if (code == 0 || at<std::uintptr_t>(code + kType) != python->code_type) break;
    found.push_back({code, at<std::uintptr_t>(frame + layout.instruction)});
  }
  return found;
}

capture::SpoolFrame describe(const PythonFrame& frame) {
  const Interpreter* python = interpreter();
  if (python == nullptr) return {};
  const auto offset =
      static_cast<int>(frame.instruction - frame.code - python->layout->instructions);
  const int line = python->line(pointer_to<char>(frame.code), offset);
  return {text_in(*python, frame.code + kFile) + ":" + std::to_string(line), 0,
          text_in(*python, frame.code + kName)};
}

bool is_python(std::uintptr_t address) {
  const Interpreter* python = interpreter();
  const std::optional<CodeObject> object = loaded_object(address);
  return python != nullptr && object && object->begin == python->begin;
}

}  // namespace burin::gpu
