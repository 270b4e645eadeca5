#include "toolchain/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>

#include "base/format.h"

namespace burin::toolchain {
namespace {

void* open_function(void* library, const char* name, std::string& missing) {
  void* function = ::dlsym(library, name);
  if (function == nullptr) missing = name;
  return function;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

// Of options that take a value, "-x=value", "-xvalue" (joined) or "-x value".
enum class Use : std::uint8_t { kPass, kDrop };
enum class Value : std::uint8_t { kNone, kAfterEqualsOrNext, kJoinedOrNext };
struct FlagForm {
  std::string_view name;
  Use use;
  Value value;
};
constexpr FlagForm kFlagForms[] = {
    {"-D", Use::kPass, Value::kJoinedOrNext},
    {"-U", Use::kPass, Value::kJoinedOrNext},
    {"-I", Use::kPass, Value::kJoinedOrNext},
    {"-std", Use::kPass, Value::kAfterEqualsOrNext},
    {"--std", Use::kPass, Value::kAfterEqualsOrNext},
    {"-maxrregcount", Use::kPass, Value::kAfterEqualsOrNext},
    {"--maxrregcount", Use::kPass, Value::kAfterEqualsOrNext},
    {"-Xptxas", Use::kPass, Value::kAfterEqualsOrNext},
    {"--ptxas-options", Use::kPass, Value::kAfterEqualsOrNext},
    {"-ftz", Use::kPass, Value::kAfterEqualsOrNext},
    {"--ftz", Use::kPass, Value::kAfterEqualsOrNext},
    {"-prec-div", Use::kPass, Value::kAfterEqualsOrNext},
    {"--prec-div", Use::kPass, Value::kAfterEqualsOrNext},
    {"-prec-sqrt", Use::kPass, Value::kAfterEqualsOrNext},
    {"--prec-sqrt", Use::kPass, Value::kAfterEqualsOrNext},
    {"-fmad", Use::kPass, Value::kAfterEqualsOrNext},
    {"--fmad", Use::kPass, Value::kAfterEqualsOrNext},
    {"-use_fast_math", Use::kPass, Value::kNone},
    {"--use_fast_math", Use::kPass, Value::kNone},
    {"-extra-device-vectorization", Use::kPass, Value::kNone},
    {"--extra-device-vectorization", Use::kPass, Value::kNone},
    {"-restrict", Use::kPass, Value::kNone},
    {"--restrict", Use::kPass, Value::kNone},
    {"-w", Use::kPass, Value::kNone},
    {"-lineinfo", Use::kDrop, Value::kNone},  // burin's own
    {"--generate-line-info", Use::kDrop, Value::kNone},
    {"-O", Use::kDrop, Value::kJoinedOrNext},
    {"-Xcompiler", Use::kDrop, Value::kAfterEqualsOrNext},
    {"--compiler-options", Use::kDrop, Value::kAfterEqualsOrNext},
    {"-ccbin", Use::kDrop, Value::kAfterEqualsOrNext},
    {"-allow-unsupported-compiler", Use::kDrop, Value::kNone},
    {"-m64", Use::kDrop, Value::kNone},
};

// The value of flags[at], which has the form; `at` moves on if it is the next word. nullopt: the
// word is another flag.
std::optional<std::string> value_of(const FlagForm& form, const std::vector<std::string>& flags,
                                    std::size_t& at) {
  const std::string& word = flags[at];
  if (!word.starts_with(form.name)) return std::nullopt;
  const std::string rest = word.substr(form.name.size());
  if (form.value == Value::kNone) return rest.empty() ? std::optional("") : std::nullopt;
  if (rest.empty()) return at + 1 < flags.size() ? std::optional(flags[++at]) : std::nullopt;
  if (form.value == Value::kJoinedOrNext) return rest;
  return rest.front() == '=' ? std::optional(rest.substr(1)) : std::nullopt;
}

}  // namespace

// As NVIDIA's header declares them. Those that return int return 0 on success.
struct Nvrtc::Functions {
  using Program = void*;
  int (*create_program)(Program*, const char* text, const char* name, int headers,
                        const char* const* header_texts, const char* const* header_names);
  int (*destroy_program)(Program*);
  int (*compile_program)(Program, int, const char* const*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*cubin_size)(Program, std::size_t*);
  int (*cubin)(Program, char*);
  int (*ptx_size)(Program, std::size_t*);
  int (*ptx)(Program, char*);
  int (*add_name)(Program, const char*);
  int (*lowered_name)(Program, const char*, const char**);
  const char* (*error_text)(int);
};

Result<Nvrtc> Nvrtc::open(const std::string& path) {
  // Never closed: its threads and its own exit handlers would go on in memory that is gone.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    return Error{fmt::format("cannot open NVRTC: {}", reason == nullptr ? path : reason)};
  }
  std::string missing;
  const auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        open_function(library, name, missing));
  };
  auto functions = std::make_shared<Functions>();
  load(functions->create_program, "nvrtcCreateProgram");
  load(functions->destroy_program, "nvrtcDestroyProgram");
  load(functions->compile_program, "nvrtcCompileProgram");
  load(functions->log_size, "nvrtcGetProgramLogSize");
  load(functions->log, "nvrtcGetProgramLog");
  load(functions->cubin_size, "nvrtcGetCUBINSize");
  load(functions->cubin, "nvrtcGetCUBIN");
  load(functions->ptx_size, "nvrtcGetPTXSize");
  load(functions->ptx, "nvrtcGetPTX");
  load(functions->add_name, "nvrtcAddNameExpression");
  load(functions->lowered_name, "nvrtcGetLoweredName");
  load(functions->error_text, "nvrtcGetErrorString");
  if (!missing.empty()) {
    return Error{
        fmt::format("{} has no function {}; use NVRTC of CUDA 12 or later", path, missing)};
  }
  Nvrtc nvrtc;
  nvrtc.functions_ = std::move(functions);
  return nvrtc;
}

NvrtcAnswer Nvrtc::compile(const NvrtcJob& job) const {
  const Functions& call = *functions_;
  std::vector<const char*> header_texts;
  std::vector<const char*> header_names;
  for (const HostHeader& header : host_headers()) {
    header_texts.push_back(header.text);
    header_names.push_back(header.name);
  }
  using Program = Functions::Program;
  const auto failure = [&](int code) { return NvrtcAnswer{.log = call.error_text(code)}; };
  Program program = nullptr;
  int code = call.create_program(&program, job.text.c_str(), job.name.c_str(),
                                 static_cast<int>(header_texts.size()), header_texts.data(),
                                 header_names.data());
  if (code != 0) return failure(code);
  const std::unique_ptr<Program, int (*)(Program*)> owner(&program, call.destroy_program);

  for (const std::string& name : job.name_expressions) {
    if ((code = call.add_name(program, name.c_str())) != 0) return failure(code);
  }
  const std::vector<const char*> options = pointers_to(job.options);
  if ((code = call.compile_program(program, static_cast<int>(options.size()), options.data())) !=
      0) {
    NvrtcAnswer answer = failure(code);
    std::size_t size = 0;
    if (call.log_size(program, &size) == 0 && size > 1) {
      answer.log.assign(size, '\0');
      call.log(program, answer.log.data());
      answer.log.resize(size - 1);  // without the final zero
    }
    return answer;
  }

  NvrtcAnswer answer;
  const bool ptx = job.output == CompileRequest::Output::kPtx;
  std::size_t size = 0;
  code = (ptx ? call.ptx_size : call.cubin_size)(program, &size);
  if (code != 0) return failure(code);
  answer.code.resize(size);
  code = (ptx ? call.ptx : call.cubin)(program, reinterpret_cast<char*>(answer.code.data()));
  if (code != 0) return failure(code);
  if (ptx && size > 0) answer.code.pop_back();  // its final zero
  if (answer.code.empty()) return {.log = "NVRTC returned no code"};
  for (const std::string& name : job.name_expressions) {
    const char* lowered = nullptr;
    if ((code = call.lowered_name(program, name.c_str(), &lowered)) != 0) return failure(code);
    answer.lowered_names.emplace_back(lowered);
  }
  answer.ok = true;
  return answer;
}

std::optional<NvrtcFlags> nvrtc_flags(const std::vector<std::string>& flags) {
  NvrtcFlags result;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    bool known = false;
    for (const FlagForm& form : kFlagForms) {
      const std::optional<std::string> value = value_of(form, flags, i);
      if (!value) continue;
      known = true;
      if (form.name == "-I") result.include_folders.push_back(*value);
      if (form.use == Use::kPass) {
        const bool equals = form.value == Value::kAfterEqualsOrNext;
        result.options.push_back(std::string(form.name) + (equals ? "=" : "") + *value);
      }
      break;
    }
    if (!known) return std::nullopt;
  }
  return result;
}

}  // namespace burin::toolchain
