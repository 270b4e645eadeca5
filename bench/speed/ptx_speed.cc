// How fast one thread parses PTX and prints it again:
//   nvcc -ptx -arch=sm_90 -lineinfo corpus/reduce.cu -o reduce.ptx && bench_ptx_speed reduce.ptx…
// The functions of the files given are repeated until the module has 64 MB, more than any cache
// holds. The goal is 20 MB of text a second.
#include <ctime>

#include "base/file.h"
#include "base/format.h"
#include "read/ptx/parse.h"
#include "read/ptx/print.h"

using namespace burin;

namespace {

constexpr std::size_t kBytes = 64'000'000;

double cpu_seconds() {  // so that a busy machine does not count
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The functions with a body, each with the white space before it.
Result<std::string> functions_of(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  const Result<read::ptx::Module> module =
      read::ptx::parse(std::string(bytes.begin(), bytes.end()));
  if (!module) return module.error().within(path);
  std::string functions;
  for (const read::ptx::Item& item : module->items) {
    const auto* function = std::get_if<read::ptx::Function>(&item);
    if (function == nullptr || !function->has_body) continue;
    functions += "\n\t// .globl\t" + std::string(function->name) + "\n";
    functions += module->text_of(function->span);
  }
  return functions;
}

}  // namespace

int main(int argc, char** argv) {
  std::string functions;
  for (int i = 1; i < argc; ++i) {
    const Result<std::string> part = functions_of(argv[i]);
    if (!part) {
      fmt::print(stderr, "{}\n", part.error().message);
      return 3;
    }
    functions += *part;
  }
  if (functions.empty()) {
    fmt::print(stderr, "usage: bench_ptx_speed FILE.ptx…, with functions in them\n");
    return 2;
  }
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n";
  while (text.size() < kBytes) text += functions;

  const double megabytes = 1e-6 * static_cast<double>(text.size());
  for (int round = 0; round < 3; ++round) {
    const double start = cpu_seconds();
    const Result<read::ptx::Module> module = read::ptx::parse(text);
    const double parsed = cpu_seconds();
    if (!module) {
      fmt::print(stderr, "{}\n", module.error().message);
      return 3;
    }
    std::size_t statements = 0;
    for (const read::ptx::Function* kernel : module->entries()) statements += kernel->body.size();
    const double counted = cpu_seconds();
    const bool identical = read::ptx::print(*module) == text;
    const double printed = cpu_seconds();
    fmt::print("parse {:.1f} MB/s, print {:.1f} MB/s; {:.1f} MB, {} statements, {}\n",
               megabytes / (parsed - start), megabytes / (printed - counted), megabytes, statements,
               identical ? "identical" : "DIFFERENT");
    if (!identical) return 3;
  }
  return 0;
}
