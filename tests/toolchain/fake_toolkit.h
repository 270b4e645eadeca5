// A folder with a CUDA toolkit whose nvcc and ptxas are scripts, and whose NVRTC is fake/nvrtc.cc.
// CUDA_HOME names it while it exists.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "toolchain/compile.h"

namespace burin::toolchain::test {

// Notes each call, then writes the words it was called with and the source as its output, and the
// rule for header.h beside it.
inline constexpr const char* kCompilerScript = R"sh(#!/bin/sh
echo "$@" >> FOLDER/calls
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2 ;; -MF) rule=$2 ;; -arch=*) arch=$1 ;; -D*) defines="$defines $1" ;; -ptx) ptx=1 ;;
  esac
  last=$1; shift
done
if grep -q wrong "$last"; then
  printf 'note\n%s(1): error: one\n%s(2): error: two\n3 errors detected in x\n' "$last" "$last"
  exit 1
fi
if grep -q slow "$last"; then sh -c 'echo $$ > FOLDER/slow.pid; exec sleep 30'; fi
echo "$arch$defines $(cat "$last")" > "$out"
if [ -n "$ptx" ] && grep -q burin_instance "$last"; then
  { echo '.version 8.0'
    sed -n 's/.*auto \(burin_instance_[0-9]*\) = &\(.*\);/.visible .global .u64 \1 = _Z\2;/p' "$last"
    echo '.visible .entry k'
  } > "$out"
fi
[ -z "$rule" ] || printf '%s : %s \\\n  FOLDER/toolkit/own.h FOLDER/header.h\n' "$out" "$last" > "$rule"
)sh";

class FakeToolkit {
 public:
  FakeToolkit() {
    char name[] = "/tmp/burin-test-XXXXXX";
    folder_ = ::mkdtemp(name);
    std::filesystem::create_directories(at("toolkit/bin"));
    std::filesystem::create_directories(at("toolkit/lib64"));
    for (const char* tool : {"nvcc", "ptxas"}) {
      std::string script = kCompilerScript;
      for (std::size_t i; (i = script.find("FOLDER")) != std::string::npos;) {
        script.replace(i, 6, folder_);
      }
      write(std::string("toolkit/bin/") + tool, script);
      std::filesystem::permissions(at(std::string("toolkit/bin/") + tool),
                                   std::filesystem::perms::owner_all);
    }
    write("toolkit/own.h", "of the toolkit");
    write("header.h", "first");
    write("a.cu", "kernel");
    ::setenv("CUDA_HOME", at("toolkit").c_str(), 1);
  }
  ~FakeToolkit() {
    ::unsetenv("CUDA_HOME");
    std::filesystem::remove_all(folder_);
  }
  FakeToolkit(const FakeToolkit&) = delete;
  FakeToolkit& operator=(const FakeToolkit&) = delete;

  void add_nvrtc(const std::string& library) const {
    std::filesystem::create_symlink(library, at("toolkit/lib64/libnvrtc.so.13"));
  }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(at(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t lines_of(const std::string& name) const {
    const std::string text = read(name);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::size_t nvcc_calls() const { return lines_of("calls"); }
  std::size_t nvrtc_calls() const { return lines_of("calls-nvrtc"); }

 private:
  std::string folder_;
};

inline std::string text_of(const Compiled& compiled) {
  return {compiled.cubin.begin(), compiled.cubin.end()};
}

}  // namespace burin::toolchain::test
