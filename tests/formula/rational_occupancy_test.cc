// Occupancy as a rational program: as the thesis prints it, and exactly.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "formula/evaluator.h"
#include "formula/rational/occupancy.h"
#include "machine/load.h"
#include "machine/occupancy.h"

namespace burin::formula {
namespace {

// Blocks per SM by the definitions, evaluated one after the other as a Chooser does.
class ExactOccupancy {
 public:
  ExactOccupancy() {
    names_ = occupancy_inputs();
    for (const char* name : {"bx", "by", "bz", "registers", "shared"}) names_.emplace_back(name);
    for (const NamedExpression& definition : occupancy_definitions("registers", "shared")) {
      const Result<Evaluator> evaluator = definition.value.evaluator(names_);
      EXPECT_TRUE(evaluator.ok()) << definition.name << ": " << evaluator.error().message;
      formulas_.push_back(*evaluator);
      names_.push_back(definition.name);
    }
  }

  // {blocks, warps}; {-1, -1} if an expression has no value.
  std::pair<std::int64_t, std::int64_t> of(const machine::Machine& machine, std::int64_t threads,
                                           std::int64_t registers, std::int64_t shared) const {
    const auto& limit = machine.limit;
    std::vector<Scalar> values;
    for (const double value :
         {machine.sm.schedulers, limit.warps, limit.blocks, limit.registers,
          limit.registers_per_block, limit.register_granule, limit.shared, limit.shared_per_block,
          limit.shared_granule, limit.shared_reserved}) {
      values.push_back(Scalar::of(value));
    }
    for (const std::int64_t value :
         {threads, std::int64_t{1}, std::int64_t{1}, registers, shared}) {
      values.push_back(Scalar::of(value));
    }
    for (const Evaluator& formula : formulas_) {
      const Result<Scalar> value = formula.evaluate(std::span<const Scalar>(values));
      if (!value) return {-1, -1};
      values.push_back(*value);
    }
    const std::size_t last = values.size() - 1;
    return {static_cast<std::int64_t>(values[last - 1].number()),
            static_cast<std::int64_t>(values[last].number())};
  }

 private:
  std::vector<std::string> names_;
  std::vector<Evaluator> formulas_;
};

TEST(RationalOccupancy, EqualsTheFunctionOnAGrid) {
  const ExactOccupancy exact;
  for (const char* name : {"h200", "a100", "rtx3090"}) {
    const Result<machine::Machine> machine = machine::load_machine(name);
    ASSERT_TRUE(machine.ok());
    for (unsigned threads = 1; threads <= 1056; threads += threads < 64 ? 31 : 32) {
      for (unsigned registers = 0; registers <= 255; registers += 5) {
        for (const unsigned shared : {0u, 100u, 5000u, 16384u, 100000u, 232448u}) {
          const Result<machine::Occupancy> found = machine::occupancy(
              *machine, {.threads = threads, .registers = registers, .shared = shared});
          const auto [blocks, warps] = exact.of(*machine, threads, registers, shared);
          ASSERT_EQ(blocks, found ? static_cast<std::int64_t>(found->blocks) : 0)
              << name << ' ' << threads << ' ' << registers << ' ' << shared;
          ASSERT_EQ(warps, found ? static_cast<std::int64_t>(found->warps) : 0);
        }
      }
    }
  }
}

TEST(RationalOccupancy, EqualsTheToolkitsTable) {
  // scripts/occupancy_table.py makes the table from cuda_occupancy.h.
  std::ifstream file(BURIN_SOURCE_DIR "/tests/formula/occupancy.csv");
  const ExactOccupancy exact;
  std::map<std::string, machine::Machine> machines;
  std::string line;
  std::getline(file, line);
  unsigned rows = 0;
  unsigned resident = 0;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string name;
    std::getline(fields, name, ',');
    std::int64_t threads = 0;
    std::int64_t registers = 0;
    std::int64_t shared = 0;
    std::int64_t blocks = 0;
    char comma = 0;
    fields >> threads >> comma >> registers >> comma >> shared >> comma >> blocks;
    if (!machines.contains(name)) machines.emplace(name, *machine::load_machine(name));
    ASSERT_EQ(exact.of(machines.at(name), threads, registers, shared).first, blocks) << line;
    ++rows;
    resident += blocks > 0 ? 1 : 0;
  }
  EXPECT_EQ(rows, 4u * 11 * 12 * 10);
  EXPECT_GT(resident, rows / 2);
}

std::int64_t published(std::int64_t registers, std::int64_t words, std::int64_t threads) {
  const Result<std::int64_t> blocks =
      published_active_blocks().evaluate_integer({{"R", registers},
                                                  {"Z", words},
                                                  {"T", threads},
                                                  {"Rmax", std::int64_t{65536}},
                                                  {"Zmax", std::int64_t{12288}},
                                                  {"Bmax", std::int64_t{32}},
                                                  {"Wmax", std::int64_t{64}}});
  EXPECT_TRUE(blocks.ok()) << blocks.error().message;
  return blocks ? *blocks : -1;
}

TEST(RationalOccupancy, AsFigure31PrintsIt) {
  EXPECT_EQ(published(16, 0, 32), 32);    // blocks
  EXPECT_EQ(published(16, 0, 256), 8);    // warps
  EXPECT_EQ(published(64, 0, 256), 4);    // registers
  EXPECT_EQ(published(16, 6144, 64), 2);  // shared memory
  // The flow chart compares exact quotients, which is the minimum of four.
  for (std::int64_t threads = 32; threads <= 1024; threads += 32) {
    for (std::int64_t registers = 1; registers <= 255; registers += 7) {
      for (const std::int64_t words : {std::int64_t{1}, std::int64_t{500}, std::int64_t{5000}}) {
        const std::int64_t smallest = std::min(
            {std::int64_t{32}, 2048 / threads, 65536 / (registers * threads), 12288 / words});
        ASSERT_EQ(published(registers, words, threads), smallest)
            << registers << ' ' << words << ' ' << threads;
      }
    }
  }
}

TEST(RationalOccupancy, AsFormula31PrintsIt) {
  const Result<double> share = published_occupancy().evaluate_number(
      {{"Bactive", std::int64_t{4}}, {"T", std::int64_t{256}}, {"Wmax", std::int64_t{64}}});
  ASSERT_TRUE(share.ok());
  EXPECT_DOUBLE_EQ(*share, 0.5);
}

}  // namespace
}  // namespace burin::formula
