// Every MUFU function over all of its inputs on a GPU, against the emulator's:
//   bench_mufu_sweep [--json FILE] [--record FOLDER]
// prints per function how many results differ and by how many units of the last place (of a
// double's high word for the 64H ones), and ends with 1 where one differs by more than two. --json
// keeps the table, --record the results that bench_mufu_fit makes the tables of the emulator from.
//
//   function           inputs   different   max ulp   mean ulp   worst input
//   MUFU.RCP       4294967296           0         0          0
//
// The GPU is that of sm_90: the kernel is bench/exactness/mufu/sweep.sm_90.cubin, its MUFU
// exchanged.
#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/format.h"
#include "base/new_file.h"
#include "mufu/sweeper.h"

using namespace burin;

namespace {

constexpr std::int64_t kMaxUnits = 2;

struct Score {
  std::uint64_t inputs = 0;
  std::uint64_t different = 0;
  std::int64_t most = 0;
  double sum = 0;
  std::uint32_t worst_input = 0;
  std::uint32_t expected = 0;  // there, by the GPU

  void add(const Score& other) {
    inputs += other.inputs;
    different += other.different;
    sum += other.sum;
    if (other.most <= most) return;
    most = other.most;
    worst_input = other.worst_input;
    expected = other.expected;
  }
};

// Numbers in the order of their values, neighbours 1 apart.
std::int64_t position(std::uint32_t bits, std::uint32_t sign) {
  return (bits & sign) != 0 ? -static_cast<std::int64_t>(bits & (sign - 1)) : bits;
}

// The squares of all places, so that a sweep makes each once.
const std::vector<std::uint32_t>& squares() {
  static const std::vector<std::uint32_t> made = [] {
    std::vector<std::uint32_t> all(1u << 17);
    for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = emulate::truncated_square(t);
    return all;
  }();
  return made;
}

std::uint32_t emulated(MufuForm form, std::uint32_t input, const std::uint32_t* square) {
  if (form.format == MufuFormat::kHalf) return emulate::mufu_half(form.function, input);
  if (form.format == MufuFormat::kBfloat) return emulate::mufu_bfloat(form.function, input);
  const emulate::MufuArgument argument = emulate::mufu_argument(form.function, input);
  return emulate::mufu_result(form.function, argument, square[argument.place]);
}

Score compare(MufuForm form, std::uint32_t first, std::span<const std::uint32_t> gpu) {
  const std::uint32_t* const square = squares().data();
  const std::uint32_t sign = form.format == MufuFormat::kSingle ? 0x80000000 : 0x8000;
  Score score{.inputs = gpu.size()};
  for (std::size_t i = 0; i < gpu.size(); ++i) {
    const auto input = static_cast<std::uint32_t>(first + i);
    const std::uint32_t ours = emulated(form, input, square);
    if (ours == gpu[i]) continue;
    const std::int64_t units = std::abs(position(ours, sign) - position(gpu[i], sign));
    score.add({.different = 1,
               .most = units,
               .sum = static_cast<double>(units),
               .worst_input = input,
               .expected = gpu[i]});
  }
  return score;
}

Result<Score> sweep(MufuSweeper& sweeper, MufuForm form) {
  const std::uint64_t inputs =
      form.format == MufuFormat::kSingle ? std::uint64_t{1} << 32 : 1u << 16;
  const std::size_t workers = std::max(1u, std::thread::hardware_concurrency());
  Score total;
  for (std::uint64_t first = 0; first < inputs; first += MufuSweeper::kMaxInputs) {
    const auto count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(MufuSweeper::kMaxInputs, inputs - first));
    const auto results = sweeper.run(static_cast<std::uint32_t>(first), 1, count);
    if (!results) return results.error();
    std::vector<Score> scores(workers);
    std::vector<std::jthread> threads;
    for (std::size_t w = 0; w < workers; ++w) {
      threads.emplace_back([&, w] {
        const std::size_t begin = count * w / workers;
        const std::size_t end = count * (w + 1) / workers;
        scores[w] = compare(form, static_cast<std::uint32_t>(first + begin),
                            results->subspan(begin, end - begin));
      });
    }
    threads.clear();
    for (const Score& score : scores) total.add(score);
  }
  return total;
}

// What the tables are fitted to: every place of every segment at least once.
struct Range {
  emulate::MufuFunction function;
  std::uint32_t first, stride, count;
};
std::vector<Range> recorded_ranges() {
  using enum emulate::MufuFunction;
  constexpr std::uint32_t kOctave = 1u << 23;
  std::vector<Range> ranges = {
      {kRcp, 0x3f800000, 1, kOctave},      {kRsq, 0x3f800000, 1, 2 * kOctave},
      {kSqrt, 0x3f800000, 1, 2 * kOctave}, {kEx2, 0x3f800000, 1, kOctave},
      {kLg2, 0x40000000, 1, kOctave},
  };
  // SIN counts |x| in units of 2^-25, TANH in units that its octave has (mufu.cc).
  for (std::uint32_t e = 0; e < 23; ++e) {
    ranges.push_back({kSin, (127 - 25 + e) << 23, kOctave >> e, 1u << e});
  }
  constexpr std::array<int, 11> kKept = {25, 24, 23, 23, 22, 22, 21, 20, 20, 20, 18};
  for (int k = 0; k < 11; ++k) {
    const int e = k - 8;
    const int bits = e + kKept[static_cast<std::size_t>(k)];
    ranges.push_back(
        {kTanh, static_cast<std::uint32_t>(127 + e) << 23, kOctave >> bits, 1u << bits});
  }
  return ranges;
}

Result<void> record(MufuSweeper& sweeper, const Range& range, const std::string& folder,
                    const std::string& name) {
  const auto results = sweeper.run(range.first, range.stride, range.count);
  if (!results) return results.error();
  Result<NewFile> file = NewFile::create(
      fmt::format("{}/{}_{:08x}_{}.bin", folder, name.substr(5), range.first, range.stride));
  if (!file) return file.error();
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(results->data()), results->size_bytes());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->finish();
}

std::string today() {
  const std::chrono::year_month_day day{
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

struct Options {
  std::string json, record;
};

Result<int> sweep_all(const Options& options) {
  Result<MufuSweeper> sweeper =
      MufuSweeper::open(BURIN_SOURCE_DIR "/bench/exactness/mufu/sweep.sm_90.cubin");
  if (!sweeper) return sweeper.error();
  const std::vector<Range> ranges = recorded_ranges();
  nlohmann::ordered_json table = {{"schema", "burin.mufu/1"},
                                  {"gpu", sweeper->gpu().name()},
                                  {"driver", sweeper->gpu().driver()},
                                  {"toolkit", sweeper->toolkit()},
                                  {"date", today()},
                                  {"functions", nlohmann::ordered_json::array()}};
  fmt::print("{:<14} {:>12} {:>11} {:>9} {:>10}   worst input\n", "function", "inputs", "different",
             "max ulp", "mean ulp");
  std::int64_t most = 0;
  for (const MufuForm form : all_mufu_forms()) {
    const Result<std::string> name = sweeper->load(form);
    if (!name) return name.error();
    const Result<Score> score = sweep(*sweeper, form);
    if (!score) return score.error();
    const double mean = score->sum / static_cast<double>(score->inputs);
    fmt::print("{:<14} {:>12} {:>11} {:>9} {:>10.3g}   {}\n", *name, score->inputs,
               score->different, score->most, mean,
               score->most == 0
                   ? ""
                   : fmt::format("{:08x}, GPU {:08x}", score->worst_input, score->expected));
    std::fflush(stdout);
    most = std::max(most, score->most);
    table["functions"].push_back({{"name", *name},
                                  {"inputs", score->inputs},
                                  {"different", score->different},
                                  {"max_ulp", score->most},
                                  {"mean_ulp", mean}});
    if (options.record.empty() || form.format != MufuFormat::kSingle) continue;
    for (const Range& range : ranges) {
      if (range.function != form.function) continue;
      if (auto done = record(*sweeper, range, options.record, *name); !done) return done.error();
    }
  }
  if (!options.json.empty()) std::ofstream(options.json) << table.dump(1) << '\n';
  return most > kMaxUnits ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc || (option != "--json" && option != "--record")) {
      fmt::print(stderr, "usage: bench_mufu_sweep [--json FILE] [--record FOLDER]\n");
      return 2;
    }
    (option == "--json" ? options.json : options.record) = argv[i + 1];
  }
  const Result<int> result = sweep_all(options);
  if (result) return *result;
  fmt::print(stderr, "bench_mufu_sweep: {}\n", result.error().message);
  return static_cast<int>(result.error().exit);
}
