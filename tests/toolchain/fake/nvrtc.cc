// Stands for NVIDIA's NVRTC: "compiles" a source to its options, names and text. Words in the
// source let it fail as the real one does. Each compilation adds a line to the file calls-nvrtc
// beside the source.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

struct FakeProgram {
  std::string text;
  std::string name;
  std::vector<std::string> expressions;
  std::map<std::string, std::string> lowered;
  std::string log;
  std::string code;
};

bool has(const FakeProgram& program, const char* word) {
  return program.text.find(word) != std::string::npos;
}

int size_of(const std::string& text, std::size_t* size) {
  *size = text.size() + 1;
  return 0;
}

}  // namespace

extern "C" {

const char* nvrtcGetErrorString(int code) {
  return code == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}

int nvrtcCreateProgram(void** made, const char* text, const char* name, int headers,
                       const char* const* texts, const char* const* names) {
  for (int i = 0; i < headers; ++i) {
    if (texts[i] == nullptr || names[i] == nullptr) return 3;
  }
  *made = new FakeProgram{text, name, {}, {}, {}, {}};
  return 0;
}

int nvrtcDestroyProgram(void** program) {
  delete static_cast<FakeProgram*>(*program);
  return 0;
}

int nvrtcAddNameExpression(void* made, const char* name) {
  static_cast<FakeProgram*>(made)->expressions.emplace_back(name);
  return 0;
}

int nvrtcCompileProgram(void* made, int count, const char* const* options) {
  FakeProgram& program = *static_cast<FakeProgram*>(made);
  std::string words;
  for (int i = 0; i < count; ++i) {
    if (std::strncmp(options[i], "-I", 2) != 0) words += options[i] + std::string(" ");
  }
  const std::string folder = program.name.substr(0, program.name.find_last_of('/') + 1);
  std::ofstream(folder + "calls-nvrtc", std::ios::app) << words << "\n";
  if (has(program, "crash")) std::abort();
  if (has(program, "hang")) {
    for (;;) ::pause();
  }
  if (has(program, "host_code")) {
    program.log = program.name + "(1): error: host functions are not allowed in JIT mode\n";
    return 6;
  }
  if (has(program, "wrong") || words.find("-DWRONG") != std::string::npos) {
    program.log = program.name + "(1): error: NVRTC says so\n1 error detected\n";
    return 6;
  }
  for (const std::string& name : program.expressions) {
    if (name.starts_with("none")) {
      program.log = "__nv_name_map(2): error: identifier \"none\" is undefined\n";
      return 6;
    }
    program.lowered[name] = "_Z" + name;
  }
  program.code = words + program.text;
  return 0;
}

int nvrtcGetProgramLogSize(void* program, std::size_t* size) {
  return size_of(static_cast<FakeProgram*>(program)->log, size);
}

int nvrtcGetProgramLog(void* program, char* to) {
  std::strcpy(to, static_cast<FakeProgram*>(program)->log.c_str());
  return 0;
}

int nvrtcGetCUBINSize(void* program, std::size_t* size) {
  *size = static_cast<FakeProgram*>(program)->code.size();
  return 0;
}

int nvrtcGetCUBIN(void* program, char* to) {
  const std::string& code = static_cast<FakeProgram*>(program)->code;
  std::memcpy(to, code.data(), code.size());
  return 0;
}

int nvrtcGetPTXSize(void* program, std::size_t* size) {
  return size_of("//ptx " + static_cast<FakeProgram*>(program)->code, size);
}

int nvrtcGetPTX(void* program, char* to) {
  std::strcpy(to, ("//ptx " + static_cast<FakeProgram*>(program)->code).c_str());
  return 0;
}

int nvrtcGetLoweredName(void* program, const char* name, const char** lowered) {
  const auto& known = static_cast<FakeProgram*>(program)->lowered;
  const auto found = known.find(name);
  if (found == known.end()) return 10;
  *lowered = found->second.c_str();
  return 0;
}

}  // extern "C"
