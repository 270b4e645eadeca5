// Parses PTX files and prints them again: is each byte what it was?
//   bench_round_trip FILE.ptx…
// One line for each file: "identical BYTES STATEMENTS FILE" or "WHAT IS WRONG: FILE".
#include <algorithm>

#include "base/file.h"
#include "base/format.h"
#include "read/ptx/parse.h"
#include "read/ptx/print.h"

using namespace burin;
using namespace burin::read::ptx;

namespace {

std::size_t statements_of(const Module& module) {
  std::size_t count = 0;
  for (const Item& item : module.items) {
    const auto* function = std::get_if<Function>(&item);
    if (function != nullptr) count += function->body.size();
  }
  return count;
}

Result<std::size_t> check(const std::string& text) {
  const Result<Module> module = parse(text);
  if (!module) return module.error();
  const std::string printed = print(*module);
  if (printed != text) {
    const auto at = std::mismatch(text.begin(), text.end(), printed.begin(), printed.end());
    const auto byte = static_cast<std::uint32_t>(at.first - text.begin());
    return Error{fmt::format("differs from line {} on", module->position_of(byte).line)};
  }
  return statements_of(*module);
}

}  // namespace

int main(int argc, char** argv) {
  bool all = true;
  for (int i = 1; i < argc; ++i) {
    const Result<MappedFile> file = MappedFile::open(argv[i]);
    if (!file) {
      fmt::print("{}\n", file.error().message);
      all = false;
      continue;
    }
    const std::string text(file->bytes().begin(), file->bytes().end());
    const Result<std::size_t> statements = check(text);
    if (statements) {
      fmt::print("identical {} {} {}\n", text.size(), *statements, argv[i]);
    } else {
      fmt::print("{}: {}\n", statements.error().message, argv[i]);
      all = false;
    }
  }
  return all ? 0 : 3;
}
