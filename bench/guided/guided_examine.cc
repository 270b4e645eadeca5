// Examines configurations of a spec as the guided search does, for bench/guided.py record:
//
//   bench_guided_examine --burin build/burin [--machine h200] [--seconds S] SPEC [SIZE]
//
// SIZE is a problem size as recorded spaces name it: extent_16. Without --count the indices of the
// configurations are read from standard input; each becomes a line of examination.h. --count prints
// how many configurations there are.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/format.h"
#include "guided/examination.h"
#include "jobs/tune/spec_compiler.h"
#include "machine/load.h"
#include "model/guided/examine.h"
#include "tune/formats/toml_spec.h"

using namespace burin;

namespace {

struct Options {
  std::string burin = "build/burin", machine = "h200", spec, size;
  double seconds = 1e9;
  bool count = false;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "bench_guided_examine: {}\n", message);
  return 3;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// "extent=16" as files are named: "extent_16".
std::string file_words(const formula::Names& size) {
  std::string text = tune::describe(size);
  std::string words;
  for (const char c : text) {
    if (c == '=') {
      words += '_';
    } else if (c == ',') {
      words += '.';
    } else if (c != ' ') {
      words += c;
    }
  }
  return words;
}

Result<guided_bench::Recorded> examine(tune::Builder& builder, const tune::Point& point,
                                       const machine::Machine& machine) {
  const Result<tune::Built> built = builder.finish(point);
  if (!built) return built.error();
  guided_bench::Recorded recorded;
  recorded.compile_seconds = built->compile_seconds;
  if (built->status != tune::Status::kOk) {
    recorded.examined.failure = built->reason;
    return recorded;
  }
  const auto begin = std::chrono::steady_clock::now();
  recorded.examined = model::examine(built->request, machine, {.threads = 1});
  recorded.examine_seconds = seconds_since(begin);
  return recorded;
}

int examine_all(const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Result<machine::Machine> machine = machine::load_machine(options.machine);
  if (!machine) return refuse(machine.error().message);
  const Result<tune::Spec> spec = tune::read_toml_spec(options.spec);
  if (!spec) return refuse(spec.error().message);
  std::size_t size = 0;
  while (size + 1 < spec->sizes.size() && file_words(spec->sizes[size]) != options.size) ++size;
  jobs::SpecCompiler compiler(
      *spec,
      {.build = {.arch = read::to_string(machine->arch),
                 .max_shared_bytes = static_cast<std::uint64_t>(machine->limit.shared_per_block)},
       .burin = options.burin,
       .processes = 1});
  const Result<tune::Builder*> builder = compiler.begin(size);
  if (!builder) return refuse(builder.error().message);
  if (options.count) {
    fmt::print("{}\n", compiler.space().size());
    return 0;
  }
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t index = 0; std::cin >> index;) wanted.push_back(index);
  for (std::size_t k = 0; k < wanted.size() && seconds_since(begin) < options.seconds; ++k) {
    const tune::Point point = compiler.space().at(wanted[k]);
    if (k == 0) (*builder)->start(point);
    if (k + 1 < wanted.size()) (*builder)->start(compiler.space().at(wanted[k + 1]));
    const Result<guided_bench::Recorded> recorded = examine(**builder, point, *machine);
    if (!recorded) return refuse(recorded.error().message);
    fmt::print("{}\n", guided_bench::line_of(wanted[k], *recorded));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&] { return std::string(i + 1 < count ? words[++i] : ""); };
    if (word == "--burin") {
      options.burin = value();
    } else if (word == "--machine") {
      options.machine = value();
    } else if (word == "--seconds") {
      options.seconds = std::strtod(value().c_str(), nullptr);
    } else if (word == "--count") {
      options.count = true;
    } else {
      (options.spec.empty() ? options.spec : options.size) = word;
    }
  }
  if (options.spec.empty()) return refuse("name a spec");
  return examine_all(options);
}
