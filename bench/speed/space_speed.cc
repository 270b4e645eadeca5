// How long building a configuration space takes, and one evaluation of a restriction. The goal for
// a million combinations of which 1 % are valid is well below a second.
//   bench_space_speed
#include <ctime>

#include "base/format.h"
#include "formula/evaluator.h"
#include "tune/space/build_space.h"

using namespace burin;

namespace {

double cpu_seconds() {  // so that a busy machine does not count
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

tune::Parameter integers(std::string name, std::vector<std::int64_t> values) {
  return {std::move(name), {values.begin(), values.end()}};
}

tune::Parameter range(std::string name, std::int64_t first, std::int64_t last,
                      std::int64_t step = 1) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = first; i <= last; i += step) values.push_back(i);
  return integers(std::move(name), values);
}

void build(const char* name, const std::vector<tune::Parameter>& parameters,
           const std::vector<std::string>& restrictions) {
  std::vector<formula::Expression> expressions;
  for (const std::string& text : restrictions) {
    expressions.push_back(*formula::Expression::parse(text));
  }
  const double start = cpu_seconds();
  const Result<tune::Space> space = tune::build_space(parameters, expressions);
  const double seconds = cpu_seconds() - start;
  if (!space) {
    fmt::print("{:<28} {:>10.1f} ms  {}\n", name, 1e3 * seconds, space.error().message);
    return;
  }
  fmt::print("{:<28} {:>10.1f} ms  {:.4g} of {:.4g} combinations are valid\n", name, 1e3 * seconds,
             static_cast<double>(space->size()), space->product());
}

void evaluate() {
  const std::vector<std::string> slots = {"bx", "by", "tx", "ty"};
  const auto evaluator = formula::Expression::parse(
                             "32 <= bx * by <= 1024 and (bx * tx + 2) * (by * ty + 2) * 4 <= 49152")
                             ->evaluator(slots);
  std::vector<formula::Scalar> values(4);
  std::int64_t count = 0;
  std::int64_t held = 0;
  const double start = cpu_seconds();
  while (count < 5'000'000) {
    values[0] = formula::Scalar::of(1 + count % 256);
    values[1] = formula::Scalar::of(1 + count % 7);
    values[2] = values[3] = formula::Scalar::of(1 + count % 5);
    held += *evaluator->holds(values) ? 1 : 0;
    ++count;
  }
  fmt::print("{:<28} {:>10.1f} ns  ({} of {} hold)\n", "a restriction of 17 operations",
             1e9 * (cpu_seconds() - start) / static_cast<double>(count), held, count);
}

}  // namespace

int main() {
  std::vector<tune::Parameter> ten;
  std::string sum = "p0";
  for (int i = 0; i < 6; ++i) ten.push_back(range(fmt::format("p{}", i), 1, 10));
  for (int i = 1; i < 6; ++i) sum += fmt::format(" + {} * p{}", 7 * i, i);
  build("10^6, one restriction of all", ten, {sum + " < 260"});
  build("10^6, one unlike product", ten, {"p5 * p4 + p3 ** 2 * p2 + p0 * p1 * 3 == 100"});

  std::vector<tune::Parameter> many;
  std::vector<std::string> neighbours;
  for (int i = 0; i < 15; ++i) {
    many.push_back(range(fmt::format("p{}", i), 1, 10));
    if (i > 0) neighbours.push_back(fmt::format("p{} % p{} == 0 or p{} > 8", i, i - 1, i));
  }
  build("10^15, neighbours", many, neighbours);

  // A stencil with temporal tiling: one restriction of six parameters.
  build("stencil",
        {integers("bx", {1,   2,   4,   8,   16,  32,  64,  96,  128, 160, 192, 224, 256,
                         320, 384, 448, 512, 576, 640, 704, 768, 832, 896, 960, 1024}),
         integers("by", {1, 2, 4, 8, 16, 32}), range("tx", 1, 10), range("ty", 1, 10),
         range("steps", 1, 10), range("unroll", 1, 10), integers("shared", {0, 1}),
         integers("blocks", {0, 1, 2, 3, 4})},
        {"32 <= bx * by <= 1024", "steps % unroll == 0",
         "shared == 0 or (bx * tx + steps * 2) * (by * ty + steps * 2) * (2 + shared) * 4 <= 49152",
         "blocks == 0 or bx * by * blocks <= 2048"});

  // A tiled matrix product, its parameters in a user's order.
  build("matrix product",
        {integers("mwg", {16, 32, 64, 128}), integers("nwg", {16, 32, 64, 128}),
         integers("kwg", {16, 32}), integers("mdimc", {8, 16, 32}), integers("ndimc", {8, 16, 32}),
         integers("mdima", {8, 16, 32}), integers("ndimb", {8, 16, 32}), integers("kwi", {2, 8}),
         integers("vwm", {1, 2, 4, 8}), integers("vwn", {1, 2, 4, 8}), integers("strm", {0, 1}),
         integers("strn", {0, 1}), integers("sa", {0, 1}), integers("sb", {0, 1})},
        {"kwg % kwi == 0", "mwg % (mdimc * vwm) == 0", "nwg % (ndimc * vwn) == 0",
         "mwg % (mdima * vwm) == 0", "nwg % (ndimb * vwn) == 0",
         "kwg % ((mdimc * ndimc) / mdima) == 0", "kwg % ((mdimc * ndimc) / ndimb) == 0",
         "(mwg * kwg * sa + nwg * kwg * sb) * 4 <= 49152"});

  // What does not fit: how long until that is said.
  std::vector<tune::Parameter> nine;
  std::string digits = "last";
  for (int i = 0; i < 9; ++i) {
    nine.push_back(range(fmt::format("p{}", i), 0, 9));
    digits += fmt::format(" + 10 ** {} * p{}", i, i);
  }
  nine.push_back(range("last", 0, 9));
  build("too large", nine, {digits + " > 5"});
  evaluate();
  return 0;
}
